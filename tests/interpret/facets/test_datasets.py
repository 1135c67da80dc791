"""Schemas in one normal form, however they were written."""

from __future__ import annotations

import json

import pytest

from headwater.graph.facts import SchemaVersion, ShapeEdge
from headwater.interpret.interpret import interpret
from headwater.openlineage.decode import decode_event


def schema_of(fields: str) -> SchemaVersion:
    body = (
        '{"eventTime": "2025-01-01T00:00:00Z", "dataset": {"namespace": "n", "name": "d", '
        f'"facets": {{"schema": {{"fields": {fields}}}}}}}}}'
    )
    [found] = [fact for fact in interpret(decode_event(body.encode()), 1).facts() if isinstance(fact, SchemaVersion)]
    return found


PLAIN = '[{"name": "a", "type": "int"}, {"name": "b", "description": "why"}]'


@pytest.mark.parametrize(
    "written",
    [
        '[{"type": "int", "name": "a"}, {"description": "why", "name": "b"}]',
        '[{"name": "\\u0061", "type": "int"}, {"name": "b", "description": "why"}]',
        '[{"name": "a", "type": "int", "description": "", "fields": []}, {"name": "b", "type": "", "description": "why"}]',
        '[{"name": "b", "description": "why", "ordinal_position": 2}, {"name": "a", "type": "int", "ordinal_position": 1}]',
        '[{"name": "a", "type": "int"}, {"name": ""}, {"name": "b", "description": "why", "type": null}]',
    ],
)
def test_one_schema_has_one_id(written: str) -> None:
    assert schema_of(written) == schema_of(PLAIN)


def test_what_is_stored_of_a_schema() -> None:
    sent = '[{"name": "s", "type": "struct", "fields": [{"type": "int", "name": "x\\u0000"}], "_more": 1}]'
    stored = schema_of(sent).fields
    assert stored is not None
    nested = {"name": "x\N{REPLACEMENT CHARACTER}", "type": "int"}
    assert json.loads(stored) == [{"fields": [nested], "name": "s", "type": "struct"}]


def test_deleted_facets_say_nothing_however_plain_they_are() -> None:
    source = {"namespace": "n", "name": "source", "field": "x"}
    facets = {
        "schema": {"fields": [{"name": "x", "type": "int"}]},
        "columnLineage": {"fields": {"x": {"inputFields": [source]}}},
    }

    def facts(deleted: bool) -> list[type]:
        sent = {name: {**facet, "_deleted": True} if deleted else facet for name, facet in facets.items()}
        event = {
            "eventType": "COMPLETE",
            "eventTime": "2026-01-01T00:00:00Z",
            "run": {"runId": "0197833d-511d-7034-be27-078fb128ca59"},
            "job": {"namespace": "n", "name": "j"},
            "outputs": [{"namespace": "n", "name": "o", "facets": sent}],
        }
        return [type(fact) for fact in interpret(decode_event(json.dumps(event).encode()), 1).facts()]

    assert {SchemaVersion, ShapeEdge} <= set(facts(deleted=False))
    assert not {SchemaVersion, ShapeEdge} & set(facts(deleted=True))


def test_what_flows_into_an_input_is_not_of_the_job_that_reads_it() -> None:
    source = {"namespace": "n", "name": "source", "field": "x"}
    stated = {"columnLineage": {"fields": {"x": {"inputFields": [source]}}}}
    event = {
        "eventType": "COMPLETE",
        "eventTime": "2026-01-01T00:00:00Z",
        "run": {"runId": "0197833d-511d-7034-be27-078fb128ca59"},
        "job": {"namespace": "n", "name": "j"},
        "inputs": [{"namespace": "n", "name": "i", "facets": stated}],
    }

    def edges(**more: list[dict[str, str]]) -> int:
        decoded = decode_event(json.dumps(event | more).encode())
        found = [fact for fact in interpret(decoded, 1).facts() if isinstance(fact, ShapeEdge)]
        assert bool(decoded.warnings) is not bool(found)
        return len(found)

    assert edges() == 0
    assert edges(outputs=[{"namespace": "n", "name": "i"}]) == 1, "it writes it too"
