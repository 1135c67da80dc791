"""Every filter of every list, each alone and two together, against a model that goes through all that was sent."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.api.test_answers import ask, at, short
from tests.application import InProcess
from tests.lineage.walk.test_lineage import run_of

PLACES = ("postgres://db:5432", "s3://lake", "hive://metastore:9083")
KINDS = {"COMPLETE": "SUCCEEDED", "FAIL": "FAILED", "ABORT": "KILLED", "START": "STARTED"}
PARENT = "0190c0de-0000-7000-8000-0000000000aa"


def made() -> list[dict[str, Any]]:
    """What is sent: one run each of twelve jobs, which differ in all that a filter may ask for."""
    return [
        {
            "number": number,
            "job": f"{('Load', 'export')[number % 2]}_{number}",
            "namespace": ("etl", "ETL", "crm")[number % 3],
            "type": ("SQL_JOB", "RDD_JOB", None)[number // 2 % 3],
            "second": 10 + number,
            "kind": list(KINDS)[number % 4],
            "user": ("ann", "Ann", None)[number % 3],
            "external": f"ext_{number}",
            "has_parent": number % 5 == 0,
            "tags": [tag for tag, is_there in (("pii", number % 2), ("tier=gold", number % 3)) if is_there],
            "input": (PLACES[number % 3], f"in.Table_{number}"),
            "output": (PLACES[(number + 1) % 3], f"out.table%{number}"),
            "both": (PLACES[0], "shared"),
            "sql": f"SELECT {number % 4} FROM words" if number % 2 else None,
        }
        for number in range(12)
    ]


MADE = made()


def body_of(made: dict[str, Any]) -> bytes:
    def dataset(name: tuple[str, str], *, tagged: bool) -> dict[str, Any]:
        listed = [dict(zip(("key", "value"), tag.split("="), strict=False)) for tag in made["tags"]]
        facets = {"tags": {"tags": listed}} if tagged and listed else {}
        return {"namespace": name[0], "name": name[1], "facets": facets}

    run: dict[str, Any] = {"dataRentgen_run": {"external_id": made["external"]}}
    if made["user"]:
        run["dataRentgen_run"]["started_by_user"] = made["user"]
    if made["has_parent"]:
        run["parent"] = {"run": {"runId": PARENT}, "job": {"namespace": "etl", "name": "app"}}
    job: dict[str, Any] = {}
    if made["sql"]:
        job["sql"] = {"query": made["sql"]}
    if made["type"]:
        job["jobType"] = {"processingType": "BATCH", "integration": "X", "jobType": made["type"]}
    body = {
        "eventTime": at(made["second"]),
        "eventType": made["kind"],
        "run": {"runId": run_of(made["number"]), "facets": run},
        "job": {"namespace": made["namespace"], "name": made["job"], "facets": job},
        "inputs": [dataset(made["input"], tagged=True), dataset(made["both"], tagged=False)],
        "outputs": [dataset(made["output"], tagged=False)],
    }
    return json.dumps(body).encode()


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    with InProcess(tmp_path_factory.mktemp("data")) as started:
        for one in MADE:
            assert started.send(body_of(one)).status_code == 201
        yield started


Means = Callable[[dict[str, Any]], bool]
_J = f"job:{MADE[3]['namespace']}:{MADE[3]['job']}"
_D = "dataset:{0[0]}:{0[1]}".format(MADE[3]["input"])
_MIDDLE = 16


def nobody(_: dict[str, Any]) -> bool:
    return False


def everybody(_: dict[str, Any]) -> bool:
    return True


def has_tag(tag: str) -> Means:
    return lambda one: any(tag in (said, said.partition("=")[0]) for said in one["tags"])


DATASETS: dict[str, Means] = {
    # Of the inputs alone, which is why each has `seen=INPUT`; `shared` is none of them.
    "name=TABLE_1": lambda one: "table_1" in one["input"][1].lower(),
    "name=%25": nobody,
    "name=n.T": lambda one: "n.t" in one["input"][1].lower(),
    f"namespace={PLACES[0]}": lambda one: one["input"][0] == PLACES[0],
    f"location={PLACES[1]}": lambda one: one["input"][0] == PLACES[1],
    "location_type=s3": lambda one: one["input"][0] == PLACES[1],
    "location_type=s": nobody,
    "tag=pii": has_tag("pii"),
    "tag=tier": has_tag("tier"),
    "tag=tier=gold": has_tag("tier=gold"),
    "tag=tier=silver": nobody,
    "tag=Pii": has_tag("pii"),
    "tag=pi": nobody,
    "tag=pii&tag=tier": lambda one: has_tag("pii")(one) and has_tag("tier")(one),
    f"since={at(_MIDDLE)}": lambda one: one["second"] >= _MIDDLE,
    f"until={at(_MIDDLE)}": lambda one: one["second"] < _MIDDLE,
    f"job={_J}": lambda one: one["number"] == 3,
    f"job={_J}&role=input": lambda one: one["number"] == 3,
    f"job={_J}&role=output": nobody,
    f"job={_J}&role=reference": nobody,
}
JOBS: dict[str, Means] = {
    "name=LOAD": lambda one: "load" in one["job"].lower(),
    "name=_1": lambda one: "_1" in one["job"],
    "namespace=etl": lambda one: one["namespace"] == "etl",
    "location=crm": lambda one: one["namespace"] == "crm",
    "type=SQL_JOB": nobody,
    "type=X_SQL_JOB": lambda one: one["type"] == "SQL_JOB",
    f"since={at(_MIDDLE)}": lambda one: one["second"] >= _MIDDLE,
    f"until={at(_MIDDLE)}": lambda one: one["second"] < _MIDDLE,
    "parent=job:etl:app": lambda one: one["has_parent"],
    f"dataset={_D}": lambda one: one["number"] == 3,
    "dataset=shared": everybody,
    "dataset=shared&role=input": everybody,
    "dataset=shared&role=output": nobody,
}
RUNS: dict[str, Means] = {
    f"job={_J}": lambda one: one["number"] == 3,
    "namespace=ETL": lambda one: one["namespace"] == "ETL",
    "location=etl": lambda one: one["namespace"] == "etl",
    f"dataset={_D}": lambda one: one["number"] == 3,
    "dataset=shared&role=input": everybody,
    "dataset=shared&role=output": nobody,
    "user=ann": lambda one: one["user"] == "ann",
    "user=an": nobody,
    "name=EXT_1": lambda one: "ext_1" in one["external"],
    "status=FAILED": lambda one: KINDS[one["kind"]] == "FAILED",
    "status=FAILED&status=STARTED": lambda one: KINDS[one["kind"]] in ("FAILED", "STARTED"),
    "status=UNKNOWN": nobody,
    f"parent={PARENT}": lambda one: one["has_parent"],
    f"since={at(_MIDDLE)}": lambda one: one["second"] >= _MIDDLE,
    f"until={at(_MIDDLE)}": lambda one: one["second"] < _MIDDLE,
}
LISTS: dict[str, tuple[dict[str, Means], str, Callable[[dict[str, Any]], str]]] = {
    "datasets": (DATASETS, "seen=INPUT", lambda one: one["input"][1]),
    "jobs": (JOBS, "", lambda one: one["job"]),
    "runs": (RUNS, "", lambda one: run_of(one["number"])),
}
NEITHER = {"shared", "app", PARENT}
"""Beside what is in `MADE`."""


def questions() -> Iterator[tuple[str, str]]:
    for route, (filters, _, _) in LISTS.items():
        yield from ((route, query) for query in filters)
        for one, other in itertools.combinations(filters, 2):
            if not {part.partition("=")[0] for part in one.split("&")} & {
                part.partition("=")[0] for part in other.split("&")
            }:
                yield route, f"{one}&{other}"


def test_every_filter_alone_and_with_every_other(app: InProcess) -> None:
    wrong = []
    for route, query in questions():
        filters, always, name = LISTS[route]
        means = [
            meaning
            for part, meaning in filters.items()
            if f"&{part}&" in f"&{query}&" and is_whole(part, query, filters)
        ]
        answer = app.get(f"/api/v2/{route}?limit=1000&{query}&{always}".rstrip("&"))
        assert answer.status_code == 200, (query, answer.text)
        found = {short(item["id"]) for item in answer.json()["items"]} - NEITHER
        expected = {short(name(one)) for one in MADE if all(meaning(one) for meaning in means)}
        if found != expected or answer.json()["total"] != len(answer.json()["items"]):
            wrong.append((route, query, sorted(found ^ expected)))
    assert not wrong, wrong[:10]


def is_whole(part: str, query: str, filters: dict[str, Means]) -> bool:
    """Not just a piece of a longer one: `tag=pii` is no filter of its own in `tag=pii&tag=tier`."""
    return not any(part != other and part in other and other in query for other in filters)


@pytest.mark.parametrize("route", LISTS)
def test_a_list_in_every_order(app: InProcess, route: str) -> None:
    for order in ("first_seen", "-first_seen", *(("name", "-name") if route != "runs" else ())):
        items = ask(app, route, limit=1000, order=order)["items"]
        values = [item[order.removeprefix("-")] for item in items]
        values = [value.lower() if order.endswith("name") else value for value in values if value is not None]
        assert values == sorted(values, reverse=order.startswith("-")), order
        assert len(values) >= len(MADE)


def test_what_a_list_says_of_each(app: InProcess) -> None:
    runs = {item["id"].removeprefix("run:"): item for item in ask(app, "runs", limit=1000)["items"]}
    jobs = {item["name"]: item for item in ask(app, "jobs", limit=1000)["items"]}
    for one in MADE:
        run, job = runs[run_of(one["number"])], jobs[one["job"]]
        assert (run["status"], run["user"], run["external_id"]) == (KINDS[one["kind"]], one["user"], one["external"])
        assert (run["parent"] is not None) is one["has_parent"]
        assert job["latest_run"]["id"] == run["id"]
        assert (job["parent"] == "job:etl:app") is one["has_parent"]
        assert job["first_seen"].startswith(at(one["second"])[:19])
    statements = {item["text"]: item["jobs"] for item in ask(app, "sql")["items"]}
    assert statements == {
        text: sum(one["sql"] == text for one in MADE) for text in {one["sql"] for one in MADE if one["sql"]}
    }
    users = {item["name"]: item["runs"] for item in ask(app, "users")["items"]}
    assert users == {"ann": 4, "Ann": 4}
    tags = {item["tag"]: item["datasets"] for item in ask(app, "tags")["items"]}
    assert tags == {"pii": 6, "tier=gold": 8}
