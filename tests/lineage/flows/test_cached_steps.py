"""What a reader remembers never changes what it answers: one that lives long says the same as one that is new."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headwater.graph.facts import FACTS, Node
from headwater.lineage.flows import preload as ahead
from headwater.lineage.flows.preload import warm
from headwater.lineage.walk.lineage import lineage
from headwater.pipeline.jobs.rollup import rollup_changes
from headwater.pipeline.rollup.changed_keys import changed_keys_of
from headwater.store.cache.graph_loader import LoadedGraph, load_graph
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from tests.conftest import EVENTS, entry_of, read_events
from tests.edits import merge
from tests.lineage.flows.test_neighbours import DB, ref, static, view, with_entries
from tests.lineage.test_aliases import HIVE, PATH, event, symlink

TABLES = ("a", "b", "c", "d")
some = st.lists(st.sampled_from(TABLES), max_size=3, unique=True)


def placed(names: list[str]) -> list[tuple[str, str]]:
    return [(DB, name) for name in names]


def with_columns(body: bytes, pairs: list[tuple[str, str]]) -> bytes:
    changed = json.loads(body)
    for output in changed["outputs"]:
        fields = {
            far: {"inputFields": [{"namespace": DB, "name": item["name"], "field": near} for item in changed["inputs"]]}
            for near, far in pairs
        }
        output["facets"]["columnLineage"] = {"fields": fields}
    return json.dumps(changed).encode()


@st.composite
def bodies(draw: st.DrawFn, second: int) -> bytes:
    """Runs of few jobs on few tables, with all that makes a job more than inputs times outputs."""
    job, inputs, outputs = draw(st.sampled_from("xyz")), draw(some), draw(some)
    run = event(job, placed(inputs), placed(outputs), second)
    what = draw(st.sampled_from(("run", "run", "columns", "columns", "stated", "job", "dataset", "names", "symlink")))
    if what == "columns":
        return with_columns(run, draw(st.lists(st.tuples(st.sampled_from("pq"), st.sampled_from("pq")), max_size=2)))
    if what == "stated":
        return with_entries(run, *(ref(name, inputs=[ref(source) for source in inputs[:1]]) for name in outputs))
    if what == "job":
        return static(job, outputs, second)
    if what == "dataset":
        return view(draw(st.sampled_from(TABLES)), inputs, second)
    if what == "names":  # a job that another job feeds
        entry = ref(outputs[0] if outputs else "a", inputs=[{"namespace": "etl", "name": "y", "type": "JOB"}])
        return with_entries(run, entry)
    if what == "symlink":
        return event(job, placed(inputs), [(DB, "a", symlink(DB, "other"))], second)
    return run


actions = st.lists(
    st.one_of(
        st.integers(0, 59).flatmap(lambda second: bodies(second).map(lambda body: ("write", body))),
        st.just(("survey", b"")),
        st.just(("sums", b"")),
        st.just(("ask", b"")),
    ),
    min_size=2,
    max_size=12,
)


def answers(reader: Reader) -> dict[str, dict]:
    found = {}
    names = reader.names(1, {node.node for node in reader.all_facts(1, Node)})
    for name in sorted(name.node_id for name in names.values()):
        for granularity in ("JOB", "DATASET", "COLUMN") if name.startswith("dataset:") else ("JOB", "DATASET"):
            found[f"{granularity} {name}"] = lineage(reader, 1, name, depth=20, granularity=granularity)
    return found


def summed(store: SqlStore) -> None:
    """What the pipeline does with everything that came in."""
    reader = Reader(store.engine)
    touched = changed_keys_of(fact for kind in FACTS for fact in reader.all_facts(1, kind))
    rollup_changes(None, store.engine.url.render_as_string(hide_password=False), touched)


@pytest.fixture
def opened(tmp_path_factory: pytest.TempPathFactory):
    made: list[SqlStore] = []

    def make() -> SqlStore:
        made.append(SqlStore(f"sqlite:///{tmp_path_factory.mktemp('store') / 'headwater.db'}"))
        made[-1].open()
        return made[-1]

    yield make
    for store in made:
        store.close()


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(actions)
def test_any_events(opened, said) -> None:
    store = opened()
    lasting = Reader(store.engine)
    for what, body in said:
        if what == "write":
            store.write([entry_of(body)])
        elif what == "survey":
            warm(lasting, 1)
        elif what == "sums":
            summed(store)
        else:
            assert answers(lasting) == answers(Reader(store.engine))
    assert answers(lasting) == answers(Reader(store.engine))


@pytest.mark.parametrize("survey", [False, True], ids=["asked", "surveyed"])
def test_events_of_real_producers(store: SqlStore, survey: bool) -> None:
    lasting = Reader(store.engine)
    files = sorted((EVENTS / "recorded").rglob("*.ndjson"))
    recorded = [body for file in files for body in read_events(str(file.relative_to(EVENTS)))]
    assert recorded
    for start in range(0, len(recorded), -(-len(recorded) // 3)):
        if survey:
            warm(lasting, 1)
        store.write([entry_of(body) for body in recorded[start : start + -(-len(recorded) // 3)]])
        assert answers(lasting) == answers(Reader(store.engine))


def test_a_graph_is_surveyed_as_a_whole(filled) -> None:
    """After it nothing is looked up but names, and the jobs that are not simple."""
    reader = filled(
        [
            event("plain", placed(["a", "b"]), placed(["c"])),
            with_entries(event("stated", placed(["c"]), placed(["d"]), 2), ref("d", inputs=[ref("c")])),
        ]
    )
    assert warm(reader, 1)
    graph = reader.graph_cache._graphs[1]  # whether it is remembered cannot be seen from outside
    assert len(graph.targets) == 1
    assert {len(jobs) for jobs in graph.readers.values()} == {1}
    asked = lineage(reader, 1, f"dataset:{DB}:a", depth=10)
    assert {node["name"] for node in asked["downstream"]["nodes"]} == {"a", "plain", "c", "stated", "d"}


def test_what_comes_while_a_graph_is_read(filled, store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = filled([event("x", placed(["a"]), placed(["b"]), 1)])

    def meanwhile(*arguments) -> LoadedGraph | None:
        found = load_graph(*arguments)
        store.write([entry_of(event("x", placed(["a"]), placed(["c"]), 2)), entry_of(event("y", placed(["b"]), [], 3))])
        lineage(reader, 1, "job:etl:x")  # somebody else asks, and so notices
        return found

    monkeypatch.setattr(ahead, "load_graph", meanwhile)
    assert warm(reader, 1)
    assert answers(reader) == answers(Reader(store.engine))


def test_of_what_was_declared_the_newest_counts_also_when_asked_again(filled) -> None:
    reader = filled([static("x", ["a"], 2), static("x", ["b"], 1)])
    for _ in range(3):
        assert len(lineage(reader, 1, f"dataset:{DB}:a")["upstream"]["nodes"]) == 3
        assert len(lineage(reader, 1, f"dataset:{DB}:b")["upstream"]["nodes"]) == 1


def test_sums_that_change(filled, store: SqlStore) -> None:
    """How an edge is shown is remembered until the pipeline has other sums of its job."""
    reader = filled([event("x", placed(["a"]), placed(["b"]), 1), event("y", placed(["b"]), placed(["c"]), 2)])

    def seen() -> dict[str, str]:
        edges = lineage(reader, 1, f"dataset:{DB}:a", depth=10)["downstream"]["edges"]
        return {edge["to"]: edge["last_seen"][17:19] for edge in edges if edge["kind"] == "OUTPUT"}

    summed(store)
    assert list(seen().values()) == ["01", "02"]
    known = reader.graph_cache._graphs[1].edges.kept
    assert len(known) == 2  # whether it is remembered cannot be seen from outside
    store.write([entry_of(event("y", placed(["b"]), placed(["c"]), 9))])
    assert list(seen().values()) == ["01", "09"], "times are those of the events, whatever the pipeline has summed"
    summed(store)
    assert list(seen().values()) == ["01", "09"]
    assert len(known) == 2
    assert reader.graph_cache._graphs[1].edges.kept is known, "nothing else was forgotten"


def test_places_that_become_one(filled, store: SqlStore) -> None:
    """A decision of a person is noted as well."""
    other = "postgres://replica:5432"
    reader = filled([event("x", [(DB, "a")], [(DB, "b")], 1), event("y", [(other, "b")], [(DB, "c")], 2)])
    before = {node["name"] for node in lineage(reader, 1, f"dataset:{DB}:a")["downstream"]["nodes"]}
    merge(store, [DB, other], 10)
    after = {node["name"] for node in lineage(reader, 1, f"dataset:{DB}:a")["downstream"]["nodes"]}
    assert (before, after) == ({"a", "x", "b"}, {"a", "x", "b", "y", "c"})


def test_new_places_alone_make_nobody_forget(filled, store: SqlStore) -> None:
    reader = filled([event("x", [(DB, "a")], [(DB, "b")], 1)])
    lineage(reader, 1, "job:etl:x")
    graph = reader.graph_cache._graphs[1]
    store.write([entry_of(event("y", [("s3://elsewhere", "c")], [("s3://elsewhere", "d")], 2))])
    assert len(lineage(reader, 1, "job:etl:y")["downstream"]["nodes"]) == 2
    assert reader.graph_cache._graphs[1] is graph


def test_a_symlink_that_comes_later(filled, store: SqlStore) -> None:
    reader = filled([event("write", [], [PATH], 1), event("read", [HIVE], [(DB, "report")], 2)])
    warm(reader, 1)
    assert len(lineage(reader, 1, "job:etl:write")["downstream"]["nodes"]) == 2
    store.write([entry_of(event("write", [], [(*PATH, symlink(*HIVE))], 3))])
    assert len(lineage(reader, 1, "job:etl:write")["downstream"]["nodes"]) == 4
