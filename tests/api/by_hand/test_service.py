"""The five updates of the service, as a Python program calls them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from headwater.access.identity import Identity, Role
from headwater.api.by_hand.service import LineageService, Written
from headwater.api.context import Caller, Context
from headwater.lineage.by_hand.errors import WrongEdges
from headwater.lineage.edits.event import Maker
from headwater.store.sql_store import DEFAULT_TENANT
from tests.application import InProcess

NAMES = {
    "dataset": [f"dataset:hive:d{number}" for number in range(1, 5)],
    "chart": [f"chart:looker:c{number}" for number in range(1, 4)],
    "dashboard": ["dashboard:looker:b1", "dashboard:looker:b2"],
    "job": ["job:airflow:flow.j1", "job:airflow:flow.j2"],
}
UPDATES = {
    "update_dataset_lineage": ("dataset", {"dataset"}),
    "update_chart_lineage": ("chart", {"dataset", "chart"}),
    "update_dashboard_lineage": ("dashboard", {"dataset", "chart"}),
    "update_data_job_upstream_lineage": ("job", {"dataset", "job"}),
    "update_data_job_downstream_lineage": ("job", {"dataset"}),
}


@pytest.fixture
def app(tmp_path: Path) -> Iterator[InProcess]:
    with InProcess(tmp_path) as application:
        for name in [name for names in NAMES.values() for name in names]:
            assert application.post("/api/v2/edits/create", json={"name": name}).status_code == 200
        yield application


def call(app: InProcess, update: str, of: str, add: Sequence[str], remove: Sequence[str] = ()) -> Written:
    identity = Identity(source="test", roles=frozenset({Role.EDITOR}))
    context = Context(app.services, Caller(identity, DEFAULT_TENANT, DEFAULT_TENANT.id))

    async def work() -> Written:
        service = LineageService(context, Maker("test", by="ann", reason="why", via="API"), "PROD")
        return await getattr(service, update)(of, add, remove)

    return app.run(work())


def others(app: InProcess, name: str) -> set[str]:
    listed = app.get("/api/v2/edits/edges", params={"name": name}).json()["items"]
    own = app.get("/api/v2/show", params={"name": name}).json()["id"]
    return {item["source"] if item["target"] == own else item["target"] for item in listed}


@pytest.mark.parametrize(("update", "own", "allowed"), [(name, *rule) for name, rule in UPDATES.items()])
def test_each_takes_its_types_and_no_others(app: InProcess, update: str, own: str, allowed: set[str]) -> None:
    of = NAMES[own][0]
    good = [NAMES[kind][1] for kind in sorted(allowed)]
    written = call(app, update, of, [*good, *good])
    assert [outcome.change for outcome in written.plan.outcomes] == ["added"] * len(good)  # repeated ones count once
    for kind in NAMES.keys() - allowed:
        with pytest.raises(WrongEdges) as caught:
            call(app, update, of, [good[0], NAMES[kind][1]])
        assert [(problem.path.split(".")[1], problem.error) for problem in caught.value.problems] == [
            ("add[1]", "type")
        ]
        assert set(caught.value.problems[0].allowed) <= allowed | {"job"}
    for kind in NAMES.keys() - {own}:
        with pytest.raises(WrongEdges, match=f"is a {kind}, not a {own}"):
            call(app, update, NAMES[kind][0], good)
    swapped = call(app, update, of, [NAMES["dataset"][2]], [good[0]])
    assert sorted(outcome.change for outcome in swapped.plan.outcomes) == ["added", "removed"]
    found = others(app, of)
    assert "dataset:hive:d3" in found
    assert len(found) == len(good)


def test_who_and_why(app: InProcess) -> None:
    call(app, "update_dataset_lineage", "dataset:hive:d1", ["dataset:hive:d2"])
    made: dict[str, Any] = app.get("/api/v2/edits").json()["items"][0]
    assert (made["actor"], made["by"], made["reason"], made["via"]) == ("test", "ann", "why", "API")
