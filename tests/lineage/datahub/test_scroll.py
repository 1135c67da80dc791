"""What `scrollAcrossLineage` answers: filters as the SDK sends them, names as people read them, pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.api.datahub.test_doors import board, chart, dataset, job, update
from tests.application import InProcess

QUERY = "query scrollAcrossLineage($input: ScrollAcrossLineageInput!) { scrollAcrossLineage(input: $input) { x } }"


@pytest.fixture
def app(tmp_path: Path) -> Iterator[InProcess]:
    """d1 → j1 → d2 → c1 → b1, and k1 of another platform → j1."""
    with InProcess(tmp_path) as application:
        for name, title in (
            *((f"dataset:hive:d{number}", "") for number in (1, 2)),
            ("dataset:kafka:k1", ""),
            ("job:airflow:flow.j1", ""),
            ("chart:looker:c1", "Turnover"),
            ("dashboard:looker:b1", "Sales"),
        ):
            assert application.post("/api/v2/edits/create", json={"name": name, "title": title}).status_code == 200
        kafka = "urn:li:dataset:(urn:li:dataPlatform:kafka,k1,PROD)"
        listed = [
            (dataset(1), job(1)),
            (kafka, job(1)),
            (job(1), dataset(2)),
            (dataset(2), chart(1)),
            (chart(1), board(1)),
        ]
        assert update(application, listed) == {"data": {"updateLineage": True}}
        yield application


def condition(field: str, *values: str, **more: Any) -> dict[str, Any]:
    return {"field": field, "condition": "EQUAL", "values": list(values), **more}


def ask(app: InProcess, urn: str, *groups: list[dict[str, Any]], direction: str = "UPSTREAM", **more: Any) -> Any:
    wanted = {"urn": urn, "direction": direction, "orFilters": [{"and": group} for group in groups], **more}
    return app.post("/api/graphql", json={"query": QUERY, "variables": {"input": wanted}}).json()


def urns(answer: dict[str, Any]) -> list[str]:
    return [item["entity"]["urn"] for item in answer["data"]["scrollAcrossLineage"]["searchResults"]]


FAR = condition("degree", "1", "2", "3+")


def test_filters(app: InProcess) -> None:
    kafka = "urn:li:dataset:(urn:li:dataPlatform:kafka,k1,PROD)"
    everything = sorted([chart(1), dataset(1), dataset(2), job(1), kafka])
    assert sorted(urns(ask(app, board(1), [FAR]))) == everything
    assert sorted(urns(ask(app, board(1)))) == everything
    assert urns(ask(app, board(1), [condition("degree", "1")])) == [chart(1)]
    on_kafka = condition("platform.keyword", "urn:li:dataPlatform:kafka")
    assert urns(ask(app, board(1), [FAR, on_kafka])) == [kafka]
    datasets = condition("_entityType", "DATASET")
    assert sorted(urns(ask(app, board(1), [FAR, datasets, {**on_kafka, "negated": True}]))) == [dataset(1), dataset(2)]
    assert sorted(urns(ask(app, board(1), [FAR, on_kafka], [condition("degree", "1")]))) == [chart(1), kafka]
    assert sorted(urns(ask(app, board(1), [FAR, condition("origin", "PROD")]))) == sorted({*everything} - {chart(1)})
    assert urns(ask(app, board(1), [FAR, condition("env", "DEV")])) == []
    assert urns(ask(app, board(1), [FAR], types=["CHART"])) == [chart(1)]


@pytest.mark.parametrize(
    ("group", "words"),
    [
        ([condition("owners", "ann")], "cannot be filtered by 'owners'"),
        ([condition("degree", "7")], "A degree is 1, 2 or 3+"),
        ([{**FAR, "condition": "CONTAIN"}], "the condition 'CONTAIN'"),
        ([FAR] * 200, "may have 100 parts"),
        (["x"], "cannot be filtered by 'None'"),
    ],
)
def test_what_cannot_be_filtered_by(app: InProcess, group: list[Any], words: str) -> None:
    assert words in ask(app, board(1), group)["errors"][0]["message"]


def test_names_and_pages(app: InProcess) -> None:
    found = ask(app, dataset(2), [FAR], direction="DOWNSTREAM")["data"]["scrollAcrossLineage"]["searchResults"]
    assert [item["entity"]["name"] for item in found] == ["Turnover", "Sales"]
    assert [step["urn"] for step in found[1]["paths"][0]["path"]] == [dataset(2), chart(1), board(1)]
    seen: list[str] = []
    following: dict[str, str] = {}
    while True:
        answer = ask(app, board(1), [FAR], count=2, **following)
        seen += urns(answer)
        if answer["data"]["scrollAcrossLineage"]["nextScrollId"] is None:
            break
        following = {"scrollId": answer["data"]["scrollAcrossLineage"]["nextScrollId"]}
    assert len(seen) == len(set(seen)) == 5
    assert "errors" in ask(app, board(1), direction=["UPSTREAM"])  # type: ignore[arg-type]
