"""One question has one answer, whatever door it comes through: lists, entities, search, lineage from either end, CLI.

Asked of all that the demo and the recordings of real producers have.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from headwater.cli.main import app as command
from headwater.demo.shop import shop_events
from headwater.graph.search.words import terms_of
from tests.application import InProcess
from tests.conftest import read_events

CORPORA = {
    "demo": lambda: shop_events(datetime(2026, 1, 31, 12, tzinfo=UTC))[-350:],
    "spark": lambda: read_events("recorded/spark.ndjson"),
    "written": lambda: [
        body
        for name in ("spec", "generic", "hive", "trino", "starrocks", "odd", "dbt", "airflow")
        for body in read_events(f"written/{name}.ndjson")
    ],
    "others": lambda: [
        body for name in ("airflow", "dbt", "flink", "client") for body in read_events(f"recorded/{name}.ndjson")
    ],
}
KINDS = ("datasets", "jobs", "runs", "operations", "locations", "users", "sql")


class Doors:
    def __init__(self, server: InProcess, data: Path) -> None:
        self.server, self.data = server, data
        self.lists = {kind: self.listed(kind) for kind in KINDS}
        self.shown = {
            item["id"]: self.ask("/api/v2/show", name=item["id"]) for listed in self.lists.values() for item in listed
        }

    def ask(self, path: str, **parameters: str) -> Any:
        answer = self.server.get(path, params=parameters)
        assert answer.status_code == 200, (path, parameters, answer.text[:300])
        return answer.json()

    def listed(self, place: str, **wanted: str) -> list[dict[str, Any]]:
        page = self.ask(f"/api/v2/{place}", limit="1000", **wanted)
        assert page["total"] == len(page["items"])
        return list(page["items"])


@pytest.fixture(scope="module", params=sorted(CORPORA))
def doors(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    data = tmp_path_factory.mktemp(f"one-{request.param}")
    with InProcess(data) as server:
        for body in CORPORA[request.param]():
            assert server.send(body).status_code == 201
        yield Doors(server, data)


def test_lists_and_entities(doors: Doors) -> None:
    """Every member that an item and its entity share; a name that is not the dataset's own has times of its own."""
    for listed in doors.lists.values():
        for item in listed:
            shown = doors.shown[item["id"]]
            if item.get("alias_of"):
                assert shown["id"] == item["alias_of"]
                continue
            members = {"id", "key", "namespace", "name"} if shown.get("aliases") else set(item) & set(shown)
            members.discard("text" if shown["kind"] == "sql" else "")  # cut in the list
            for name in [name for name in members if isinstance(item[name], int) and isinstance(shown[name], list)]:
                members.discard(name)  # a number in the list, what is counted in the entity
                assert item[name] == shown.get(f"{name}_total", len(shown[name]))
            assert {name: shown[name] for name in members} == {name: item[name] for name in members}


def test_every_way_to_an_entity(doors: Doors) -> None:
    for kind, listed in doors.lists.items():
        for item in listed:
            shown = doors.shown[item["id"]]
            assert doors.ask(f"/api/v2/{kind}/{item['key']}") == shown
            assert doors.ask("/api/v2/show", name=shown["key"]) == shown
        for item in listed[:2]:
            said = CliRunner().invoke(command, ["show", item["id"], "--data", str(doors.data), "-f", "json"])
            assert json.loads(said.stdout) == doors.shown[item["id"]]


def test_runs(doors: Doors) -> None:
    """Of jobs, users, datasets, and of each other."""
    every = {item["id"]: item for item in doors.lists["runs"]}
    assert {item["id"] for item in doors.lists["operations"]} <= set(every)
    for kind in ("run", "operation"):
        assert doors.listed("runs", kind=kind) == [
            item for item in every.values() if kind.upper() in (item["activity"] or ["RUN"])
        ]
    for job in doors.lists["jobs"]:
        shown, listed = doors.shown[job["id"]], doors.listed("runs", job=job["id"])
        assert (shown["runs_total"], shown["runs"]) == (len(listed), listed[:10])
        assert sum(shown["runs_by_status"].values()) == len(listed)
    for user in doors.lists["users"]:
        shown, listed = doors.shown[user["id"]], doors.listed("runs", user=user["name"])
        assert (shown["runs_total"], shown["runs"]) == (len(listed), listed[:20])
    for run in every.values():
        shown = doors.shown[run["id"]]
        assert [parent["run"] for parent in shown["parents"]][:1] == ([run["parent"]] if run["parent"] else [])
        assert shown["children_total"] == len(doors.listed("runs", parent=run["id"], kind="run"))
        assert shown["operations_total"] == len(doors.listed("operations", run=run["id"]))
        for part in (*shown["parents"], *shown["children"], *shown["operations"]):
            assert part == every[part["id"]]


def test_what_runs_and_datasets_say_of_each_other(doors: Doors) -> None:
    """Each dataset that a run read or wrote has the run in its list, in that role, and the other way round."""
    by_run = {
        (run["id"], item["dataset"], role)
        for run in doors.lists["runs"]
        for side, role in (("inputs", "INPUT"), ("outputs", "OUTPUT"))
        for item in doors.shown[run["id"]][side]
    }
    by_dataset = set()
    for shown in {doors.shown[item["id"]]["id"]: doors.shown[item["id"]] for item in doors.lists["datasets"]}.values():
        listed = {role: doors.listed("runs", dataset=shown["id"], role=role) for role in ("input", "output")}
        by_dataset |= {(run["id"], shown["id"], role.upper()) for role, runs in listed.items() for run in runs}
        ids = {run["id"] for run in doors.listed("runs", dataset=shown["id"])}
        assert ids.issuperset(run["id"] for runs in listed.values() for run in runs)
        assert shown["runs_total"] == len(ids)
        assert {run["id"] for run in shown["runs"]} <= ids
        if listed["output"] and all(run["status"] in ("FAILED", "KILLED") for run in listed["output"]):
            assert shown["use"]["last_written"] is None
        if shown["use"]["last_attempt"]:
            assert shown["use"]["last_attempt"]["run"] in {run["id"] for run in listed["output"]}
    assert by_run == by_dataset


def test_jobs_and_datasets(doors: Doors) -> None:
    """What a job says of a dataset, the dataset says of the job, and both lists do."""
    by_job, by_dataset, listed = set(), set(), set()
    for job in doors.lists["jobs"]:
        shown = doors.shown[job["id"]]
        for side, role in (("inputs", "input"), ("outputs", "output")):
            by_job |= {(job["id"], dataset, role) for dataset in shown[side]}
            used = doors.listed("datasets", job=job["id"], role=role)
            listed |= {(job["id"], item["alias_of"] or item["id"], role) for item in used}
    for item in doors.lists["datasets"]:
        shown = doors.shown[item["id"]]
        assert not set(shown["written_by"]) & set(shown["changed_by"])
        for side, role in (("read_by", "input"), ("written_by", "output"), ("changed_by", "output")):
            by_dataset |= {(job, shown["id"], role) for job in shown[side]}
    assert by_job == by_dataset == listed


def test_runs_and_their_lineage(doors: Doors) -> None:
    """A run and the walk that starts at it name the same datasets; each is reached from the dataset as well."""
    for run in doors.lists["runs"]:
        shown = doors.shown[run["id"]]
        answer = doors.ask("/api/v2/lineage", name=run["id"], depth="1", unfold="true")
        folded = doors.ask("/api/v2/lineage", name=run["id"], depth="1")
        assert answer["start"] == folded["start"] == run["id"]
        for way, side in (("upstream", "inputs"), ("downstream", "outputs")):
            found = {node["id"]: node["key"] for node in answer[way]["nodes"] if node["kind"] == "dataset"}
            own = {item["dataset"]: item["key"] for item in shown[side]}
            assert own.items() <= found.items(), "references are shown beside inputs"
            assert side == "inputs" or own == found
            shown_of = {node["id"] for node in folded[way]["nodes"] if node["kind"] == "dataset"}
            start = next(node for node in folded[way]["nodes"] if node["id"] == run["id"])
            assert len(own.keys() - shown_of) == start.get("inner", 0)
            assert shown_of <= found.keys()


@pytest.mark.parametrize("granularity", ["DATASET", "JOB", "RUN", "OPERATION"])
def test_edges_from_either_end(doors: Doors, granularity: str) -> None:
    """An edge is the same wherever a walk starts: its kind, figures, times, and whether it is current."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    starts = [item["id"] for kind in ("datasets", "jobs", "runs") for item in doors.lists[kind]]
    for start in starts:
        answer = doors.ask("/api/v2/lineage", name=start, depth="1", granularity=granularity)
        for edge in (*answer["upstream"]["edges"], *answer["downstream"]["edges"]):
            assert found.setdefault((edge["from"], edge["to"]), edge) == edge, start
            assert edge["first_seen"] <= edge["last_seen"]
            assert edge["current"] in (True, False)
    assert found


def test_search(doors: Doors) -> None:
    """Found by its own words, a thing is what the list says."""
    for kind in ("dataset", "job"):
        for item in doors.lists[f"{kind}s"]:
            words = " ".join(terms_of(item["name"])[:12])
            page = (
                doors.ask("/api/v2/search", q=words, kind=kind, limit="1000") if words else {"items": [], "next": None}
            )
            hit = next((hit for hit in page["items"] if hit["id"] == item["id"]), None)
            assert hit is not None or page["next"] or not words, words
            members = ("key", "namespace", "name", "description")
            assert hit is None or [hit[name] for name in members] == [item[name] for name in members]
