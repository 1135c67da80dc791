"""A difference as people read it: how much changed, and what happened to each dataset."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.store.sql_store import SqlStore
from tests.cli.test_main import headwater
from tests.conftest import entry_of
from tests.lineage.walk.test_lineage import DB, column, event, of_columns
from tests.server import Server

TIMES = ("2026-02-01T00:00:05Z", "2026-02-01T00:00:30Z")
NONE = {"appeared": [], "vanished": []}
SUMMARY = (
    "datasets: 2 appeared, 1 vanished, 2 changed; jobs: 3 appeared, 2 changed; edges: 3 appeared, 1 vanished, 1 changed; "
    "schemas: 1 appeared, 1 changed; column edges: 1 appeared, 1 vanished, 1 changed"
)
TREE = f"""\
├── + ▤ {DB}:extra
├── + ▤ {DB}:fresh
│   ├── + written by ▶ etl:gen
│   └── + schema
├── ~ ▤ {DB}:mart
│   ├── + from ▤ {DB}:extra through ▶ etl:build (1 column edge)
│   ├── + read by ▶ etl:scan
│   ├── - y from ▤ {DB}:stage#b through ▶ etl:build
│   └── ~ x from ▤ {DB}:stage#a through ▶ etl:build
├── - ▤ {DB}:old
│   └── - written by ▶ etl:copy
├── ~ ▤ {DB}:stage
│   └── ~ schema +c -b ~a: int → long
└── + ▶ etl:idle
"""


def schema(**types: str) -> dict[str, Any]:
    return {"schema": {"fields": [{"name": name, "type": kind} for name, kind in types.items()]}}


def lifecycle(what: str) -> dict[str, Any]:
    return {"lifecycleStateChange": {"lifecycleStateChange": what}}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    store = SqlStore(f"sqlite:///{folder}/headwater.db")
    store.open()
    first = of_columns(x=[column("stage", "a")], y=[column("stage", "b")])
    second = of_columns(x=[column("stage", "a", "TRANSFORMATION")], z=[column("extra", "k")])
    bodies = [
        event("load", {"raw": {}}, {"stage": schema(a="int", b="text")}, 1),
        event("build", {"stage": {}}, {"mart": first}, 2),
        event("copy", {}, {"old": {}}, 3),
        event("load", {"raw": {}}, {"stage": schema(a="long", c="text")}, 11),
        event("build", {"stage": {}, "extra": {}}, {"mart": second}, 12),
        event("scan", {"mart": {}}, {}, 13),
        event("gen", {}, {"fresh": schema(q="int")}, 14),
        event("idle", {}, {}, 15),
        event("idle", {}, {"old": lifecycle("DROP")}, 16),
    ]
    store.write([entry_of(body) for body in bodies])
    store.close()
    return folder


@pytest.fixture(scope="module")
def server(data: Path) -> Iterator[Server]:
    with Server(data) as started:
        yield started


@pytest.fixture(scope="module")
def answer(server: Server) -> Any:
    found = server.get("/api/v2/diff", **{"from": TIMES[0], "to": TIMES[1]})
    assert found.status_code == 200, found.text
    return found.json()


def test_a_tree_by_dataset_below_the_summary(data: Path) -> None:
    said = headwater("diff", *TIMES, "--data", data).stdout
    first, _, tree = said.split("\n", 2)
    assert (first, tree) == (SUMMARY, TREE)


def test_nothing_changed(data: Path) -> None:
    assert headwater("diff", "2026-01-01", "2026-01-02", "--data", data).stdout.startswith("nothing changed\n")


def test_of_one_dataset_alone(data: Path) -> None:
    said = headwater("diff", *TIMES, "--name", "stage", "--direction", "upstream", "--data", data).stdout
    assert said.splitlines()[0] == "datasets: 1 changed; schemas: 1 changed"
    assert "mart" not in said


def test_what_happened_to_a_dataset(answer: Any) -> None:
    entries = {entry["id"].rpartition(":")[2]: entry for entry in answer["datasets"]}
    (feed,) = entries["mart"]["fed_by"]["appeared"]
    keys = {"from_key": entries["extra"]["key"], "job_key": feed["job_key"], "column_edges": 1}
    assert feed == {"from": f"dataset:{DB}:extra", "job": "job:etl:build", **keys}
    (gone,) = entries["mart"]["columns"]["vanished"]
    assert (gone["from"], gone["job"]) == (f"dataset:{DB}:stage", "job:etl:build")
    assert (gone["source_column"], gone["column"]) == ("b", "y")
    (other,) = entries["mart"]["columns"]["changed"]
    assert (other["column"], other["before"][0]["subtype"]) == ("x", "IDENTITY")
    types = [{"column": "a", "from": "int", "to": "long"}]
    assert entries["stage"]["schema"] == {"change": "changed", "appeared": ["c"], "vanished": ["b"], "changed": types}
    assert (entries["stage"]["fed_by"], entries["stage"]["read_by"]) == (NONE, NONE)
    assert (entries["old"]["change"], entries["fresh"]["change"]) == ("vanished", "appeared")
    assert list(answer["summary"]) == ["datasets", "jobs", "edges", "schemas", "column_edges"]
    assert answer["summary"]["column_edges"] == {"appeared": 1, "vanished": 1, "changed": 1}


def test_the_same_from_the_folder(data: Path, answer: Any) -> None:
    assert json.loads(headwater("diff", *TIMES, "--data", data, "-f", "json").stdout) == answer


def keys_in(found: Any) -> Iterator[tuple[str, str]]:
    """Keys, each with what it is the key of."""
    if isinstance(found, list):
        for item in found:
            yield from keys_in(item)
    elif isinstance(found, dict):
        names = {"key": "id", "from_key": "from", "job_key": "job"}
        yield from ((found[key], found[name]) for key, name in names.items() if found.get(key) and name in found)
        if "source_column" in found and "key" in found:
            yield found["key"], f"#{found['column']}"
        yield from zip(found.get("keys", ()), found["nodes"] if "keys" in found else (), strict=True)
        for item in found.values():
            yield from keys_in(item)


@pytest.mark.parametrize(
    ("question", "params", "count"),
    [
        ("diff", {"from": TIMES[0], "to": TIMES[1]}, 12),
        ("paths", {"from": "raw", "to": "mart"}, 5),
        ("paths", {"from": "stage#a", "to": "mart#x"}, 2),
        ("impact", {"name": "stage#a"}, 1),
        ("impact", {"name": "raw"}, 5),
    ],
)
def test_all_that_is_listed_can_be_asked_for_by_its_key(
    server: Server, question: str, params: dict[str, str], count: int
) -> None:
    pairs = set(keys_in(server.get(f"/api/v2/{question}", **params).json()))
    assert len(pairs) == count, pairs
    for key, name in pairs:
        found = server.get("/api/v2/lineage", name=key)
        assert found.status_code == 200, found.text
        assert found.json()["start"].endswith(name)
