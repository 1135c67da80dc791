"""`as_of` and `diff` against a plain model that keeps every state, for any events in any order of arrival."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headwater.graph.current.window import ALWAYS, Window
from headwater.lineage.difference.diff import diff
from headwater.lineage.entities.entity import show
from headwater.lineage.walk.lineage import lineage
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from tests.conftest import entry_of
from tests.lineage.model import BASE, Moment, Said, dataset, moment_of

DATASETS = ("a", "b", "c", "d")
JOBS = ("x", "y", "z")
some = st.lists(st.sampled_from(DATASETS), max_size=2, unique=True).map(lambda names: tuple(sorted(names)))
columns = st.lists(
    st.tuples(st.sampled_from(("p", "q")), st.sampled_from(("p", "q")), st.booleans()),
    max_size=2,
    unique_by=lambda c: c[:2],
).map(tuple)
schema = st.sampled_from(((), ("p",), ("p", "q")))
ended = st.sampled_from(("COMPLETE", "COMPLETE", "FAIL"))


@st.composite
def events(draw: st.DrawFn) -> list[Said]:
    """One event a second: runs that flip between a few shapes, job and dataset events, and changes of datasets."""
    found = []
    for second in range(draw(st.integers(1, 9))):
        what = draw(st.sampled_from(("run", "run", "run", "run", "job", "dataset", "drop", "create", "rename")))
        job = draw(st.sampled_from(JOBS))
        if what == "dataset":
            subject = draw(st.sampled_from(DATASETS))
            inputs = tuple(name for name in draw(some) if name != subject)
            found.append(Said(second, "", None, "", inputs, subject=subject))
        elif what == "job":
            found.append(Said(second, job, None, "", draw(some), draw(some)))
        elif what in ("drop", "create"):
            target = (draw(st.sampled_from(DATASETS)),)
            parts = {"drops": target} if what == "drop" else {"creates": target}
            found.append(Said(second, "w", second, draw(ended), **parts))
        elif what == "rename":
            pair = draw(st.tuples(st.sampled_from(DATASETS), st.sampled_from(DATASETS)))
            if pair[0] != pair[1]:
                found.append(Said(second, "w", second, draw(ended), renames=(pair,)))
        else:
            kind = draw(st.sampled_from(("START", "RUNNING", "COMPLETE", "FAIL")))
            inputs, outputs = draw(some), draw(some)
            run = draw(st.integers(0, 2))
            links = draw(st.sampled_from(((), (), (), (("a", "t"),), (("b", "t"),), (("c", "d"),))))
            parts = {"columns": draw(columns), "schema": draw(schema), "links": links}
            found.append(Said(second, job, run, kind, inputs, outputs, **parts))
    return found or [Said(0, "x", 0, "COMPLETE")]


def graph_at(reader: Reader, second: int | None, start: str) -> tuple[set[str], set[tuple[str, str]]]:
    """Everything up- and downstream of one node at the end of a second, or of all time."""
    window = ALWAYS if second is None else Window(as_of=BASE + second * 1_000_000)
    found = lineage(reader, 1, start, depth=50, window=window)
    sides = (found["upstream"], found["downstream"])
    nodes = {node["id"] for side in sides for node in side["nodes"]}
    return nodes, {(edge["from"], edge["to"]) for side in sides for edge in side["edges"]}


def check(store: SqlStore, said: list[Said], arrival: int) -> None:
    bodies = [event.body() for event in said]
    random.Random(arrival).shuffle(bodies)
    for body in bodies:
        store.write([entry_of(body)])
    reader = Reader(store.engine)
    last = max(event.second for event in said)
    moments = {second: moment_of(said, second) for second in range(-1, last + 1)}
    for second, moment in moments.items():
        for start in sorted({dataset(name) for event in said for name in _named(event)})[:3]:
            assert graph_at(reader, second, start) == moment.lineage(start), f"{start} at second {second}"
    always = moment_of(said, None)
    for start in sorted({dataset(name) for event in said for name in _named(event)}):
        assert graph_at(reader, None, start) == always.lineage(start), f"{start} of all time"
    for name in sorted({name for event in said for name in _named(event)}):
        shown = show(reader, 1, dataset(name))
        gone = dataset(always.shown.get(name, name)) not in moments[last].nodes
        assert gone == (shown["dropped_at"] is not None and shown["exists"] is False), f"{name} is there"
    check_columns(reader, [event.named_by(always.shown) for event in said], always, moments[last])
    for earlier in range(-1, last + 1):
        for later in range(earlier, last + 1):
            before = moment_of(said, earlier, links_until=later)
            assert told(reader, earlier, later) == expected(before, moments[later]), f"{earlier} to {later}"


def check_columns(reader: Reader, said: list[Said], always: Moment, now: Moment) -> None:
    """Column edges of all time: which are current, and that each was seen when an event stated it."""
    for target in sorted({dataset(name) for event in said for name in event.outputs}):
        found = lineage(reader, 1, target, granularity="COLUMN", direction="upstream", depth=1)["upstream"]["edges"]
        shown = {(edge["from"], edge["to"]): edge for edge in found}
        assert {ends: edge["current"] for ends, edge in shown.items()} == {
            (f"{source}#{near}", f"{target}#{far}"): any(
                (near, far) == way[:2]
                for (_, one, other), ways in now.columns.items()
                if (one, other) == (source, target)
                for way in ways
            )
            for (_, source, other), ways in always.columns.items()
            if other == target
            for near, far, _ in ways
            if (source, near) != (target, far)
        }
        for (one, other), edge in shown.items():
            times = {
                event.second
                for event in said
                if target in map(dataset, event.outputs)
                and one.partition("#")[0] in map(dataset, event.inputs)
                and (one.partition("#")[2], other.partition("#")[2]) in {way[:2] for way in event.columns}
            }
            seen = [int(edge[name][17:19]) for name in ("first_seen", "last_seen")]
            assert seen[0] <= seen[1], edge
            assert times.issuperset(seen), edge


def _named(event: Said) -> tuple[str, ...]:
    changed = (*event.drops, *event.creates, *(name for pair in event.renames for name in pair))
    return (*event.inputs, *event.outputs, *changed, *((event.subject,) if event.subject else ()))


def told(reader: Reader, earlier: int, later: int) -> dict:
    found = diff(reader, 1, BASE + earlier * 1_000_000, BASE + later * 1_000_000)
    assert not found["truncated"]
    changed = {}
    for edge in found["edges"]["changed"]:
        parts = edge["columns"]
        changed[edge["job"], edge["from"], edge["to"]] = (
            {(item["source_column"], item["column"]) for item in parts["appeared"]},
            {(item["source_column"], item["column"]) for item in parts["vanished"]},
            {(item["source_column"], item["column"]) for item in parts["changed"]},
        )
    check_summary(found)
    fed = {
        word: {
            (feed["from"], feed["job"], entry["id"]) for entry in found["datasets"] for feed in entry["fed_by"][word]
        }
        | {(entry["id"], job["id"], None) for entry in found["datasets"] for job in entry["read_by"][word]}
        for word in ("appeared", "vanished")
    }
    return {
        "fed": fed,
        "appeared": {node["id"] for node in found["nodes"]["appeared"]},
        "vanished": {node["id"] for node in found["nodes"]["vanished"]},
        "new": {(edge["from"], edge["to"]) for edge in found["edges"]["appeared"]},
        "gone": {(edge["from"], edge["to"]) for edge in found["edges"]["vanished"]},
        "changed": changed,
    }


def check_summary(found: dict) -> None:
    """It counts what the answer lists, once by dataset and once by node and edge."""
    summary, datasets = found["summary"], {entry["id"]: entry for entry in found["datasets"]}
    assert len(datasets) == len(found["datasets"])
    for word in ("appeared", "vanished"):
        nodes = [node for node in found["nodes"][word] if node["kind"] == "dataset"]
        assert {node["id"] for node in nodes} == {name for name, entry in datasets.items() if entry["change"] == word}
        assert summary["datasets"][word] == len(nodes)
        assert summary["jobs"][word] == len(found["nodes"][word]) - len(nodes)
    for entry in datasets.values():
        parts = (*entry["fed_by"].values(), *entry["read_by"].values(), *entry["columns"].values(), entry["schema"])
        assert entry["change"] != "changed" or any(parts), entry
    assert summary["datasets"]["changed"] == sum(entry["change"] == "changed" for entry in datasets.values())
    assert summary["edges"] == {word: len(listed) for word, listed in found["edges"].items()}
    for node in found["nodes"]["changed"]:
        schema = datasets[node["id"]]["schema"]
        assert schema == {"change": "changed", **node["columns"]}
    counts = {
        word: sum(len(edge["columns"][word]) for edge in found["edges"]["changed"])
        for word in ("appeared", "vanished", "changed")
    }
    for word, count in counts.items():
        assert sum(len(entry["columns"][word]) for entry in datasets.values()) == count
        fed = [feed["column_edges"] for entry in datasets.values() for feed in entry["fed_by"].get(word, ())]
        assert summary["column_edges"][word] == count + sum(fed)


def fed_of(now: Moment, then: Moment) -> set[tuple[str | None, str | None, str | None]]:
    """What feeds what in one state and not in another, what is written of nothing, and what is read for nothing."""
    flows = now.flows - then.flows
    edges = now.edges - then.edges
    through = {(job, target) for _, job, target in flows}
    out_of = {(source, job) for source, job, _ in flows}
    found: set[tuple[str | None, str | None, str | None]] = set(flows)
    found |= {(source, None, target) for source, target in now.stated - then.stated}
    for one, other in edges:
        if one.startswith("job:") and (one, other) not in through:
            found.add((None, one, other))
        if other.startswith("job:") and (one, other) not in out_of:
            found.add((one, other, None))
    return found


def expected(before: Moment, after: Moment) -> dict:
    changed = {}
    for key in before.columns.keys() | after.columns.keys():
        job, source, target = key
        if not all(edge in before.edges and edge in after.edges for edge in ((source, job), (job, target))):
            continue
        old, new = _by_pair(before.columns.get(key, set())), _by_pair(after.columns.get(key, set()))
        if old != new:
            both = {pair for pair in old.keys() & new.keys() if old[pair] != new[pair]}
            changed[key] = (new.keys() - old.keys(), old.keys() - new.keys(), both)
    return {
        "fed": {"appeared": fed_of(after, before), "vanished": fed_of(before, after)},
        "appeared": after.nodes - before.nodes,
        "vanished": before.nodes - after.nodes,
        "new": after.edges - before.edges,
        "gone": before.edges - after.edges,
        "changed": changed,
    }


def _by_pair(ways: set[tuple[str, str, bool]]) -> dict[tuple[str, str], set[bool]]:
    found: dict[tuple[str, str], set[bool]] = {}
    for source, target, masking in ways:
        found.setdefault((source, target), set()).add(masking)
    return found


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events(), st.integers(0, 5))
def test_every_moment_is_as_it_was(tmp_path_factory: pytest.TempPathFactory, said: list[Said], arrival: int) -> None:
    store = SqlStore(f"sqlite:///{tmp_path_factory.mktemp('past')}/headwater.db")
    store.open()
    try:
        check(store, said, arrival)
    finally:
        store.close()


FLIPS = [
    Said(0, "x", 0, "COMPLETE", ("a",), ("b",)),
    Said(1, "x", 1, "COMPLETE", ("c",), ("b",)),
    Said(2, "x", 2, "COMPLETE", ("a",), ("b",)),
    Said(3, "x", 3, "COMPLETE", ("c",), ("b",)),
]
VANISHES = [Said(0, "x", 0, "COMPLETE", ("a", "b"), ("c",)), Said(1, "x", 1, "COMPLETE", ("a",), ("c",))]
DROPPED = [
    Said(0, "x", 0, "COMPLETE", ("a",), ("b",)),
    Said(1, "y", 0, "COMPLETE", ("b",), ("c",)),
    Said(2, "w", 2, "COMPLETE", drops=("b",)),
    Said(3, "x", 1, "COMPLETE", ("a",), ("b",)),
    Said(4, "w", 4, "COMPLETE", drops=("b",)),
    Said(5, "w", 5, "COMPLETE", creates=("b",)),
]
STREAM = [
    Said(0, "x", 0, "START", ("a",), ("b",)),
    Said(1, "w", 1, "COMPLETE", drops=("b",)),
    Said(2, "x", 0, "RUNNING", ("a",), ("b",)),
    Said(3, "w", 3, "COMPLETE", drops=("b",)),
    Said(4, "y", 0, "COMPLETE", ("b",), ("c",)),
    Said(5, "x", 0, "RUNNING", ("a",), ("b",)),
]
STATIC = [
    Said(0, "x", None, "", ("a",), ("b",)),
    Said(1, "x", None, "", ("c",), ("b",)),
    Said(2, "x", None, "", ("a",), ("b",)),
    Said(3, "", None, "", ("a",), subject="d"),
    Said(4, "", None, "", ("b",), subject="d"),
    Said(5, "", None, "", ("a",), subject="d"),
]
IDLE = [
    Said(0, "x", 0, "COMPLETE", ("a",), ("b",)),
    Said(1, "x", 1, "START"),
    Said(2, "x", 1, "COMPLETE"),
    Said(3, "x", 1, "COMPLETE"),
    Said(4, "x", 0, "RUNNING", ("c",), ("b",)),
]


SWAPPED = [
    Said(0, "w", 0, "COMPLETE", creates=("a",)),
    Said(1, "x", 0, "COMPLETE", ("c",), ("a",)),
    Said(2, "w", 2, "COMPLETE", renames=(("a", "b"),)),
    Said(3, "w", 3, "COMPLETE", creates=("a",)),
    Said(4, "x", 1, "COMPLETE", ("c",), ("a",)),
    Said(5, "w", 5, "COMPLETE", renames=(("a", "b"),)),
    Said(6, "y", 0, "COMPLETE", ("b",), ("d",)),
]
LINKED = [
    Said(0, "x", 0, "COMPLETE", ("c",), ("a",)),
    Said(1, "y", 0, "COMPLETE", ("t",), ("d",)),
    Said(2, "x", 1, "COMPLETE", ("c",), ("a",), links=(("a", "t"),)),
]
UNDONE = [
    Said(0, "x", 0, "COMPLETE", ("a",), ("b",)),
    Said(1, "y", 0, "COMPLETE", ("b",), ("c",)),
    Said(2, "w", 2, "FAIL", drops=("b",)),
    Said(3, "w", 3, "FAIL", renames=(("b", "d"),)),
    Said(4, "w", 4, "COMPLETE", drops=("b",)),
    Said(5, "x", 1, "FAIL", ("a",), ("b",)),
    Said(6, "w", 6, "FAIL", creates=("b",)),
]
VIEWS = [
    Said(0, "", None, "", ("c",), subject="a"),
    Said(1, "", None, "", ("d",), subject="b"),
    Said(2, "w", 2, "COMPLETE", renames=(("a", "b"),)),
    Said(3, "", None, "", (), subject="a"),
]


@pytest.mark.parametrize("arrival", range(3))
@pytest.mark.parametrize(
    "said",
    [FLIPS, VANISHES, DROPPED, STREAM, STATIC, IDLE, SWAPPED, LINKED, UNDONE, VIEWS],
    ids=["flips", "vanishes", "dropped", "stream", "static", "idle", "swapped", "linked", "undone", "views"],
)
def test_known_stories(store: SqlStore, said: list[Said], arrival: int) -> None:
    check(store, said, arrival)
