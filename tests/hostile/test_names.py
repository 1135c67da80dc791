"""What is accepted can be shown: odd names and values, in every place of an event, through every route."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.openlineage.surrogates import without_lone_surrogates
from tests.api.test_ingest import event
from tests.application import InProcess
from tests.hostile.test_questions import ASKED, FACET, QUESTIONS
from tests.hostile.test_streams import STREAMING

TEXTS = {
    "high half": r'"a\ud800b"',
    "low half": r'"\uDFFF"',
    "halves the wrong way round": r'"\udc00\ud800"',
    "nul": r'"a\u0000b"',
    "controls": r'"\u001b[2J\u009b\u202e\u0007"',
    "escaped backslash": r'"C:\\ud800"',
}
VALUES = {
    **TEXTS,
    "nested": "[" * 900 + "]" * 900,
    "no number of a machine": "1e999",
    "many digits": "9" * 4000,
    "twice": '1, "v": null',
}


def events(value: str) -> Iterator[bytes]:
    """One event for each place in which the value may be."""
    is_text = value.startswith('"')
    name = "@@" if is_text else "x"
    facets = {"odd": {**FACET, "v": "@@", name: "@@"}}
    columns = {"c": {"inputFields": [{"namespace": "n", "name": "i", "field": name, "transformations": "@@"}]}}
    kept = {
        "schema": {**FACET, "fields": [{"name": name, "type": "@@", "description": "@@"}]},
        "columnLineage": {**FACET, "fields": columns},
        "symlinks": {**FACET, "identifiers": [{"namespace": name, "name": name, "type": "@@"}]},
        "dataSource": {**FACET, "name": name, "uri": "@@"},
        "tags": {**FACET, "tags": [{"key": name, "value": "@@"}]},
    }
    said = {
        "sql": {**FACET, "query": f"select {name} from t"},
        "documentation": {**FACET, "description": "@@"},
        "ownership": {**FACET, "owners": [{"name": name, "type": "@@"}]},
    }
    changes = (
        {"job": {"namespace": name, "name": name, "facets": facets}},
        {"job": {"namespace": "tests", "name": "orders", "facets": facets | said}},
        {"run": {"runId": json.loads(event("orders"))["run"]["runId"], "facets": facets}},
        {"inputs": [{"namespace": name, "name": name, "facets": facets, "inputFacets": facets}]},
        {"outputs": [{"namespace": "tests", "name": "orders.out", "facets": facets | kept, "outputFacets": facets}]},
        {"producer": f"https://{name}", "odd": "@@"},
    )
    for change in changes:
        yield (
            json.dumps({**json.loads(event("orders")), **change})
            .replace('"@@"', value)
            .replace("@@", value[1:-1] if is_text else "x")
            .encode()
        )


@pytest.mark.parametrize("odd", VALUES)
def test_every_route_shows_it(tmp_path: Path, odd: str) -> None:
    with InProcess(tmp_path) as app:
        for body in events(VALUES[odd]):
            assert app.send(body).status_code == 201, body
        for path in [ASKED.get(path, path) for path in QUESTIONS] + STREAMING:
            answer = app.get(path)
            assert answer.status_code in (200, 404), (path, answer.text)
            for line in answer.text.splitlines() if path in STREAMING else [answer.text]:
                json.dumps(json.loads(line, parse_int=str), ensure_ascii=False).encode()  # no half of a character
        shown = json.loads(app.get("/api/v1/events/lineage").text, parse_int=str)
        assert len(shown["events"]) == 6


def test_only_halves_are_replaced() -> None:
    assert without_lone_surrogates(rb'"\ud83d\ude00"') == rb'"\ud83d\ude00"'
    assert without_lone_surrogates(rb'"\ud83d"') == rb'"\ufffd"'
    assert without_lone_surrogates(rb'"\\ud83d"') == rb'"\\ud83d"'
    assert without_lone_surrogates(rb'"\\\ud83d"') == rb'"\\\ufffd"'
    assert without_lone_surrogates(rb'"\ud83d\ud83d\ude00\ude00"') == rb'"\ufffd\ud83d\ude00\ufffd"'
    assert without_lone_surrogates(rb'"\\ud83d\ude00"') == rb'"\\ud83d\ufffd"'
