"""What an answer must not leave out, and must not make up: each kind of question at each granularity and window."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.application import InProcess
from tests.lineage.walk.test_lineage import column, event, of_columns, run_of, tagged

GRANULARITIES = ("JOB", "RUN", "OPERATION", "DATASET", "COLUMN")
DIRECTIONS = ("upstream", "downstream")


@pytest.fixture
def app(tmp_path: Path) -> Iterator[InProcess]:
    with InProcess(tmp_path) as started:
        yield started


def send(app: InProcess, *bodies: bytes) -> None:
    for body in bodies:
        assert app.send(body).status_code == 201


def ask(app: InProcess, route: str, **parameters: Any) -> dict[str, Any]:
    answer = app.get(f"/api/v2/{route}", params={name.rstrip("_"): value for name, value in parameters.items()})
    assert answer.status_code == 200, answer.text
    return answer.json()


def short(node: str) -> str:
    return node.rpartition(":")[2]


def nodes(answer: dict[str, Any], side: str) -> set[str]:
    return {short(node["id"]) for node in answer[side]["nodes"] if node["depth"]}


def edges(listed: list[dict[str, Any]]) -> set[tuple[str, str]]:
    return {(short(edge["from"]), short(edge["to"])) for edge in listed}


# --- what is named in column lineage alone -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["DIRECT", "INDIRECT"])
@pytest.mark.parametrize("has_inputs", [True, False], ids=["beside inputs", "no input at all"])
def test_named_in_column_lineage_alone(app: InProcess, kind: str, has_inputs: bool) -> None:
    """Who only names a dataset's column as a source reads it all the same."""
    inputs = {"read": {}} if has_inputs else {}
    said = of_columns(x=[column("named", "y", kind=kind)], z=[column("read", "z")])
    send(app, event("load", inputs, {"mart": said}, 1), event("on", {"mart": {}}, {"page": {}}, 2))
    found = ask(app, "lineage", name="named", direction="downstream", depth=9)
    assert nodes(found, "downstream") == {"load", "mart", "on", "page"}
    found = ask(app, "lineage", name="named", direction="downstream", granularity="DATASET", depth=9)
    assert nodes(found, "downstream") == {"mart", "page"}
    for granularity in ("RUN", "OPERATION"):
        found = ask(app, "lineage", name="named", direction="downstream", granularity=granularity, depth=1)
        assert nodes(found, "downstream") == {run_of(1)}
    found = ask(app, "lineage", name="named#y", direction="downstream")
    assert nodes(found, "downstream") == {"mart#x"}
    assert ("named", "load") in edges(ask(app, "lineage", name="mart", direction="upstream")["upstream"]["edges"])
    assert {short(entry["id"]) for entry in ask(app, "impact", name="named")["affected"]} == {
        "load",
        "mart",
        "on",
        "page",
    }
    assert ask(app, "paths", from_="named", to="page")["count"] == 1
    assert [short(job["id"]) for job in ask(app, "jobs", dataset="named")["items"]] == ["load"]


# --- masked and not ----------------------------------------------------------------------------------------------------

INTO = {
    # By column of the table: how the secret gets into it, and whether masked. None: no value of it gets there.
    "bare": ([column("people", "secret")], False),
    "computed": ([column("people", "secret", "TRANSFORMATION")], False),
    "masked": ([column("people", "secret", "TRANSFORMATION", masking=True)], True),
    "both": ([column("people", "secret"), column("people", "secret", "AGGREGATION", masking=True)], False),
    "filtered": ([column("people", "secret", "FILTER", kind="INDIRECT"), column("people", "id")], None),
    "joined": ([column("people", "secret", "JOIN", kind="INDIRECT", masking=True), column("people", "id")], None),
    "masked_and_filtered": (
        [column("people", "secret", masking=True), column("people", "secret", "FILTER", kind="INDIRECT")],
        True,
    ),
}


@pytest.mark.parametrize("by", [{"tag": "pii"}, {"name": "people#secret"}])
def test_whether_a_value_gets_there_bare(app: InProcess, by: dict[str, str]) -> None:
    said = of_columns(**{name: sources for name, (sources, _) in INTO.items()})
    further = of_columns(**{f"next_{name}": [column("mart", name)] for name in INTO})
    facets = tagged("pii", "secret")
    send(app, event("load", {"people": facets}, {"mart": said}, 1), event("on", {"mart": {}}, {"page": further}, 2))
    expected = {f"mart#{name}": masked for name, (_, masked) in INTO.items()}
    expected |= {f"page#next_{name}": masked for name, (_, masked) in INTO.items()}
    found = {short(entry["id"]): entry["masked"] for entry in ask(app, "impact", **by)["affected"]}
    assert found == expected
    for wanted, word in ((False, "false"), (True, "true")):
        listed = ask(app, "impact", masked=word, **by)["affected"]
        assert {short(entry["id"]) for entry in listed} == {
            name for name, masked in expected.items() if masked is wanted
        }
        csv = app.get("/api/v2/impact", params={**by, "masked": word, "format": "csv"}).text
        assert len(csv.splitlines()) == 1 + len(listed)
        if "name" in by:
            shown = ask(app, "lineage", name="people#secret", masked=word, direction="downstream", granularity="COLUMN")
            assert nodes(shown, "downstream") == {name for name, masked in expected.items() if masked is wanted}


# --- windows -----------------------------------------------------------------------------------------------------------


def began_and_ended(job: str, source: str, target: str, number: int, began: int, ended: int) -> list[bytes]:
    facets = of_columns(x=[column(source, "x")])
    start = json.loads(event(job, {source: {}}, {target: facets}, number, began))
    start["eventType"] = "START"
    return [json.dumps(start).encode(), event(job, {source: {}}, {target: facets}, number, ended)]


ACTIVE = {
    "long_before": (1, 5),
    "into": (6, 12),
    "inside": (11, 13),
    "out_of": (14, 25),
    "across": (5, 30),
    "after": (21, 30),
}
ACTIVE |= {"touches_begin": (2, 10), "touches_end": (20, 22), "just_before": (2, 9), "just_after": (21, 22)}
WINDOWS = {(10, 20), (None, 20), (10, None), (None, None), (26, 40), (1, 1)}


def at(second: int) -> str:
    return f"2026-02-01T00:00:{second:02d}Z"


def overlaps(active: tuple[int, int], window: tuple[int | None, int | None]) -> bool:
    since, until = window
    return (since is None or active[1] >= since) and (until is None or active[0] <= until)


@pytest.mark.parametrize("window", sorted(WINDOWS, key=str), ids=str)
def test_what_was_going_on_in_a_window(app: InProcess, window: tuple[int | None, int | None]) -> None:
    """A run counts if any of it lies in the window, both ends included, at each granularity and in each direction."""
    for number, (job, (began, ended)) in enumerate(ACTIVE.items(), 1):
        send(app, *began_and_ended(job, "source", f"of_{job}", number, began, ended))
        send(app, *began_and_ended(f"to_{job}", f"from_{job}", "target", 50 + number, began, ended))
    times = {name: at(second) for name, second in zip(("since", "until"), window, strict=True) if second is not None}
    seen = {job for job, active in ACTIVE.items() if overlaps(active, window)}
    numbers = {job: number for number, job in enumerate(ACTIVE, 1)}
    down, up = {"name": "source", "direction": "downstream"}, {"name": "target", "direction": "upstream"}
    for granularity in GRANULARITIES:
        for side, asked, before, far in (("downstream", down, 0, "of"), ("upstream", up, 50, "from")):
            found = nodes(ask(app, "lineage", **asked, granularity=granularity, depth=9, **times), side)
            if granularity in ("RUN", "OPERATION"):
                between = {run_of(before + numbers[job]) for job in seen}
            else:
                between = {job if side == "downstream" else f"to_{job}" for job in seen if granularity == "JOB"}
            suffix = "#x" if granularity == "COLUMN" else ""
            found -= {"source#x", "target#x", "source", "target"}
            assert found == between | {f"{far}_{job}{suffix}" for job in seen}, (granularity, side)
    affected = {short(entry["id"]) for entry in ask(app, "impact", name="source", **times)["affected"]}
    assert affected == seen | {f"of_{job}" for job in seen}
    for job in ACTIVE:
        assert bool(ask(app, "paths", from_="source", to=f"of_{job}", **times)["count"]) == (job in seen)


# --- differences -------------------------------------------------------------------------------------------------------


BEFORE = {("old", "j0"), ("j0", "a")}
AFTER = {("up", "j0"), ("j0", "a"), ("a", "j1"), ("j1", "b"), ("b", "j2"), ("j2", "c"), ("a", "j3"), ("j3", "sibling")}
AFTER |= {("other", "j4"), ("j4", "c"), ("up", "j6"), ("j6", "c"), ("b", "j7"), ("j7", "d")}
JOBS = sorted({node for edge in AFTER for node in edge if node[0] == "j"})


@pytest.fixture(scope="module")
def changing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    """At second 1: old -> a. From second 10: up -> a -> b -> c, d, with branches on the way. From 40: all from other sources."""
    with InProcess(tmp_path_factory.mktemp("data")) as app:
        send(app, event("j0", {"old": {}}, {"a": {}}, 1))
        for number, job in enumerate(JOBS, 10):
            inputs = {one: {} for one, other in AFTER if other == job}
            send(app, event(job, inputs, {other: {} for one, other in AFTER if one == job}, number))
            send(app, event(job, {f"new_{job}": {}}, {other: {} for one, other in AFTER if one == job}, number + 30))
        yield app


def reachable(flow: set[tuple[str, str]], start: str, depth: int) -> set[tuple[str, str]]:
    """The edges within so many steps, in the direction of the pairs."""
    level, found = {start}, set()
    for _ in range(depth):
        new = {(one, other) for one, other in flow if one in level}
        level = {other for _, other in new - found}
        found |= new
    return found


@pytest.mark.parametrize("name", ["a", "b", "c", "up", "job:etl:j1", "sibling"])
@pytest.mark.parametrize("depth", [1, 2, 3, 50])
@pytest.mark.parametrize("direction", ["upstream", "downstream", "both"])
@pytest.mark.parametrize("moments", [(5, 30), (30, 59)], ids=["appeared", "vanished"])
def test_a_difference_stays_within_its_direction(
    changing: InProcess, name: str, depth: int, direction: str, moments: tuple[int, int]
) -> None:
    times = {"from_": at(moments[0]), "to": at(moments[1])}
    found = ask(changing, "diff", **times, name=name, direction=direction, depth=depth)
    at_end = {(f"new_{job}", job) for job in JOBS} | {edge for edge in AFTER if edge[0] in JOBS}
    before, after = (BEFORE, AFTER) if moments[0] == 5 else (AFTER, at_end)
    reached: set[tuple[str, str]] = set()
    for flow in (before, after):
        if direction != "upstream":
            reached |= reachable(flow, short(name), depth)
        if direction != "downstream":
            reached |= {(one, other) for other, one in reachable({(b, a) for a, b in flow}, short(name), depth)}
    around = {end for edge in reached for end in edge} | {short(name)}
    for word, changed in (("appeared", after - before), ("vanished", before - after)):
        told = edges(found["edges"][word])
        assert reached & changed <= told <= {edge for edge in changed if around >= set(edge)}
        if depth == 50 and direction != "both":
            assert told == reached & changed
        assert {short(node["id"]) for node in found["nodes"][word]} <= around


# --- limits ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("granularity", GRANULARITIES)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_what_a_limit_leaves_out_is_said(app: InProcess, granularity: str, direction: str) -> None:
    """Whatever the limit: what is there is not truncated, or says so and counts what is missing."""
    for number in range(1, 7):
        names = ["hub", f"leaf{number}"] if direction == "downstream" else [f"leaf{number}", "hub"]
        send(app, event(f"j{number}", {names[0]: {}}, {names[1]: of_columns(x=[column(names[0], "x")])}, number))
    asked = {"name": "hub#x" if granularity == "COLUMN" else "hub", "granularity": granularity, "direction": direction}
    whole = ask(app, "lineage", **asked)
    assert whole["truncated"] is whole[direction]["truncated"] is False
    assert whole[direction]["left_out"] == {}
    everything = nodes(whole, direction)
    for limit in range(1, len(everything) + 3):
        part = ask(app, "lineage", **asked, limit=limit)
        found = nodes(part, direction)
        assert found <= everything
        assert len(found) <= limit
        assert part["truncated"] is part[direction]["truncated"] is (found != everything)
        assert bool(part[direction]["left_out"]) is (found != everything)
    if direction == "downstream" and granularity in ("JOB", "COLUMN"):
        total = len(ask(app, "impact", name=asked["name"])["affected"])
        for limit in range(1, total + 3):
            part = ask(app, "impact", name=asked["name"], limit=limit)
            assert part["truncated"] is bool(part["left_out"]) is (len(part["affected"]) < total)


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_what_a_depth_leaves_out_is_said(app: InProcess, depth: int) -> None:
    send(app, event("j1", {"a": {}}, {"b": {}}, 1), event("j2", {"b": {}}, {"c": {}}, 2))
    found = ask(app, "lineage", name="a", direction="downstream", depth=depth)
    assert len(nodes(found, "downstream")) == min(depth, 4)
    assert found["downstream"]["complete"] is (depth > 4)
    assert found["truncated"] is False


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 9])
@pytest.mark.parametrize(
    "route", ["datasets", "jobs", "runs", "operations", "locations", "users", "tags", "sql", "search"]
)
def test_pages_miss_nothing_and_tell_nothing_twice(app: InProcess, route: str, limit: int) -> None:
    for number in range(1, 6):
        facets = {"sql": {"query": f"SELECT {number} FROM words"}, **tagged(f"t{number}")}
        started_by = {"dataRentgen_run": {"started_by_user": f"u{number}"}}
        out = {f"words_{number}": {"namespace": f"postgres://{number}:5432", **tagged(f"t{number}")}}
        send(app, event(f"words{number}", {}, out, number, job_facets=facets, run_facets=started_by))
    more = {"q": "words"} if route == "search" else {}
    whole = ask(app, route, limit=1000, **more)
    assert whole.get("next") is None
    assert len(whole["items"]) >= 5
    collected, cursor = [], {}
    while True:
        page = ask(app, route, limit=limit, **more, **cursor)
        assert len(page["items"]) <= limit
        collected += page["items"]
        if not page.get("next"):
            break
        cursor = {"cursor": page["next"]}
    assert collected == whole["items"]


# --- search ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["orders", "order", "shop orders", "ORDERS", "daily orders"])
def test_the_nearest_name_comes_first(app: InProcess, query: str) -> None:
    """A name that is the word before names that end with it, those before names that contain it; short ones first."""
    ranked = {
        "orders": [
            "orders",
            "shop.orders",
            "shop.public.orders",
            "orders_archive",
            "orders_archive_daily",
            "orders.daily.all",
        ],
        "shop orders": ["shop.orders", "shop.public.orders"],
        "daily orders": ["orders_archive_daily", "orders.daily.all"],
    }
    expected = ranked.get(query.lower(), ranked["orders"])
    names = sorted({name for listed in ranked.values() for name in listed})
    send(app, *(event(f"x{number}", {}, {name: {}}, number) for number, name in enumerate(names, 1)))
    hits = ask(app, "search", q=query, kind="dataset")["items"]
    found = [hit["name"] for hit in hits]
    assert set(found) == set(expected)
    assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)
    for name, following in itertools.pairwise(expected):
        assert found.index(name) < found.index(following), found
