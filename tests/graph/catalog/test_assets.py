"""Every operation of Gravitino makes the nodes and edges that tests/events/gravitino says, in any order of events."""

from __future__ import annotations

import random
from typing import Any

import pytest

from headwater.interpret.gravitino.event import OPERATIONS
from tests.graph.catalog.cases import CASES, IDS, assets, edges_of, event_of, nodes_of


def test_every_operation_has_a_case() -> None:
    # Not sent by Gravitino: what a full reading appends to the log, see tests/pipeline/gravitino.
    ours = {"load_catalog", "sync_started", "sync_ready"}
    assert set(OPERATIONS) - {name for name, _, _ in CASES} == ours


@pytest.mark.parametrize(("name", "number", "case"), CASES, ids=IDS)
@pytest.mark.parametrize("order", ["as sent", "reversed", "shuffled and doubled"])
def test_case(name: str, number: int, case: dict[str, Any], order: str) -> None:
    bodies = [event_of(short) for short in case["events"]]
    if order == "reversed":
        bodies.reverse()
    elif order == "shuffled and doubled":
        bodies = bodies + bodies
        random.Random(f"{name}{number}").shuffle(bodies)
    found = assets(bodies)
    assert nodes_of(found) == sorted(case["nodes"])
    assert edges_of(found) == sorted(case["edges"])
    by_id = {item["id"]: item for item in found if "asset" in item}
    for own, wanted in case.get("properties", {}).items():
        assert {key: by_id[own].get(key) for key in wanted} == wanted
