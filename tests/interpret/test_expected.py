"""Every recorded and written event of every producer means what tests/events/expected says it means."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from headwater.graph.facts import Role
from headwater.openlineage.times import parse_time
from tests.conftest import EVENTS, read_events
from tests.interpret.view import View

FILES = sorted(path.name for path in (EVENTS / "expected").glob("*.json"))
TIMES = {"created_at", "started_at", "ended_at", "expected_start_at", "expected_end_at", "dropped_at"}
KEYS = {
    "runs": ("run_id",),
    "operations": ("operation_id",),
    "inputs": ("operation", "dataset"),
    "outputs": ("operation", "dataset"),
    "columns": ("operation", "source", "target", "type", "subtype"),
    "dataset_edges": ("source", "target", "job"),
    "jobs": ("name",),
    "job_dependencies": ("from", "to", "type"),
    "assertions": ("operation", "dataset", "assertion", "column", "name"),
}


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("order", ["as sent", "reversed", "shuffled and doubled"])
def test_expected(file: str, order: str, filled) -> None:
    expectation = json.loads((EVENTS / "expected" / file).read_text())
    bodies = read_events(expectation["source"])
    if order == "reversed":
        bodies.reverse()
    elif order == "shuffled and doubled":
        bodies = bodies + bodies
        random.Random(file).shuffle(bodies)
    view = View(filled(bodies))
    found = {
        "runs": view.runs,
        "operations": view.operations,
        "inputs": lambda: view.datasets_of(Role.INPUT),
        "outputs": lambda: view.datasets_of(Role.OUTPUT),
        "columns": view.columns,
        "dataset_edges": view.dataset_edges,
        "jobs": view.jobs,
        "job_dependencies": view.job_dependencies,
        "assertions": view.assertions,
    }
    problems: list[str] = []
    for section, keys in KEYS.items():
        if section in expectation:
            wanted = [_resolved(view, item) for item in expectation[section]]
            problems += _compare(
                section, wanted, found[section](), keys, exhaustive=section in expectation["exhaustive"]
            )
    for item in expectation.get("datasets", ()):
        problems += _compare_dataset(view, item)
    assert not problems, "\n".join(problems)


def _resolved(view: View, item: dict[str, Any]) -> dict[str, Any]:
    """Names of datasets as they are shown, times parsed, remarks dropped."""
    item = {key: value for key, value in item.items() if key != "about"}
    for key in TIMES & set(item):
        item[key] = parse_time(item[key]) if item[key] is not None else None
    for key in ("dataset", "source", "target"):
        value = item.get(key)
        if isinstance(value, list):
            item[key] = [*(view.canonical(value[:2]) or value[:2]), *value[2:]]
    if "types" in item:
        item["types"] = sorted(item["types"])
    for key in ("owners", "tags"):
        if item.get(key) is not None:
            item[key] = sorted(item[key], key=str)
    return item


def _compare(
    section: str, wanted: list[dict[str, Any]], found: list[dict[str, Any]], keys: tuple[str, ...], *, exhaustive: bool
) -> list[str]:
    problems = []
    by_key = {json.dumps([item[key] for key in keys]): item for item in found}
    for item in wanted:
        key = json.dumps([item.get(name) for name in keys])
        match = by_key.pop(key, None)
        if match is None:
            problems.append(f"{section}: missing {item}")
            continue
        for name, value in item.items():
            is_equal = value in (match[name] or "") if name == "end_reason" and value else match[name] == value
            if not is_equal:
                problems.append(f"{section} {key}: {name} is {match[name]!r}, expected {value!r}")
    if exhaustive:
        problems += [f"{section}: not expected {item}" for item in by_key.values()]
    return problems


def _compare_dataset(view: View, item: dict[str, Any]) -> list[str]:
    item = _resolved(view, item)
    unwanted = [name for name in item.get("not_names", ()) if view.canonical(name) is not None]
    problems = [f"datasets: {name} should be no dataset" for name in unwanted]
    for name in item.get("names", ()):
        found = view.dataset(name)
        if found is None:
            problems.append(f"datasets: {name} is unknown")
            continue
        wanted = {**item, "names": sorted(item["names"])}
        problems += [
            f"datasets {name}: {key} is {found[key]!r}, expected {value!r}"
            for key, value in wanted.items()
            if key in found and found[key] != value
        ]
    return problems
