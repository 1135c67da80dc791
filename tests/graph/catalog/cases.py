"""The events of tests/events/gravitino in full, and the asset graph that they make."""

from __future__ import annotations

import json
from typing import Any

from headwater.graph.assets.assets import assets_of
from headwater.graph.fold import fold
from headwater.interpret.interpret import interpret
from headwater.openlineage.decode import decode_event
from tests.conftest import EVENTS

FOLDER = EVENTS / "gravitino"
CASES = [
    (path.stem, number, case)
    for path in sorted(FOLDER.glob("*.json"))
    for number, case in enumerate(json.loads(path.read_text()))
]
IDS = [f"{name}-{number}" for name, number, _ in CASES]


def event_of(short: dict[str, Any], tenant: int = 7) -> bytes:
    """An event as the listener sends it: random id of a run, always COMPLETE, one dataset."""
    body = {
        "eventTime": f"2026-03-01T00:00:{short['at']:02}.123Z",
        "eventType": "COMPLETE",
        "producer": "https://github.com/apache/gravitino/openlineage-listener",
        "run": {"runId": "00000000-0000-4000-8000-000000000000"},
        "job": {"namespace": f"gravitino://tenant/{tenant}", "name": f"gravitino.{short['operation']}"},
        "inputs": [],
        "outputs": [],
    }
    body[short.get("role", "outputs")] = [short["dataset"]]
    return json.dumps(body).encode()


def assets(bodies: list[bytes]) -> list[dict[str, Any]]:
    graph = fold(fact for body in bodies for fact in interpret(decode_event(body), 1).facts())
    found = {json.dumps(asset, sort_keys=True) for asset in assets_of(lambda kind: graph.get(kind, {}).values())}
    return [json.loads(text) for text in sorted(found)]


def nodes_of(found: list[dict[str, Any]]) -> list[list[str]]:
    return sorted([item["asset"], item["id"]] for item in found if item.get("asset", "Tenant") != "Tenant")


def edges_of(found: list[dict[str, Any]]) -> list[list[str]]:
    return sorted([item["edge"], item["from"], item["to"]] for item in found if "edge" in item)
