"""No edge that no run did, and every edge that one did: table-level answers of everyday jobs."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import pytest

from headwater.graph.current.window import Window
from headwater.graph.facts import ShapePair
from headwater.lineage.entities.entity import show
from headwater.lineage.flows.preload import warm
from headwater.lineage.impact.impact import impact
from headwater.lineage.walk.lineage import lineage
from headwater.lineage.walk.paths import paths
from headwater.openlineage.times import parse_time
from headwater.store.read.reader import Reader
from headwater.store.read.shapes import newest_shapes
from headwater.store.sql_store import SqlStore
from tests.conftest import entry_of
from tests.lineage.flows.test_neighbours import DB, ref, static, with_entries
from tests.lineage.test_aliases import event

Fill = Callable[[list[bytes]], Reader]


def ran(
    job: str, inputs: list[str], outputs: list[str], second: int, *, run: int | None = None, state="COMPLETE"
) -> bytes:
    return event(job, [(DB, name) for name in inputs], [(DB, name) for name in outputs], second, run=run, state=state)


def short(node: str) -> str:
    return node.rpartition(":")[2]


def edges(reader: Reader, name: str, side: str, **options) -> dict[tuple[str, str], bool]:
    """By both ends, whether the edge is current."""
    asked = name if ":" in name else f"dataset:{DB}:{name}"
    found = lineage(reader, 1, asked, direction=side, depth=20, **options)[side]["edges"]
    return {(short(edge["from"]), short(edge["to"])): edge["current"] for edge in found}


def sources(reader: Reader, name: str, **options) -> set[str]:
    return {one for one, _ in edges(reader, name, "upstream", granularity="DATASET", **options)}


def targets(reader: Reader, name: str, **options) -> set[str]:
    return {other for _, other in edges(reader, name, "downstream", granularity="DATASET", **options)}


COPIES = [ran("copy", ["apples"], ["apples_copy"], 1), ran("copy", ["salaries"], ["salaries_copy"], 2)]


@pytest.mark.parametrize("is_read_ahead", [False, True])
def test_a_job_that_copies_one_table_today_and_another_tomorrow(filled: Fill, is_read_ahead: bool) -> None:
    reader = filled(COPIES)
    if is_read_ahead:
        assert warm(reader, 1)
    assert edges(reader, "apples_copy", "upstream") == {("apples", "copy"): True, ("copy", "apples_copy"): True}
    assert edges(reader, "salaries", "downstream") == {("salaries", "copy"): True, ("copy", "salaries_copy"): True}
    assert sources(reader, "salaries_copy") == {"salaries"}
    assert targets(reader, "apples") == {"apples_copy"}
    affected = {short(entry["id"]) for entry in impact(reader, 1, f"dataset:{DB}:salaries")["affected"]}
    assert affected == {"copy", "salaries_copy"}
    assert not paths(reader, 1, f"dataset:{DB}:apples", f"dataset:{DB}:salaries_copy")["paths"]
    assert set(edges(reader, "job:etl:copy", "upstream")) == {("apples", "copy"), ("salaries", "copy")}
    moment = Window(as_of=parse_time("2026-02-01T00:00:09Z"))
    assert sources(reader, "apples_copy", window=moment) == {"apples"}, "it was not dropped, so it is there"


def test_what_is_only_the_source_of_a_column_is_no_input(filled: Fill) -> None:
    """Data flows from it all the same; the dataset and the edge say alike what it is."""
    by_column = json.loads(ran("k", [], ["z"], 3))
    source = {"namespace": DB, "name": "apples", "field": "x"}
    by_column["outputs"][0]["facets"] = {"columnLineage": {"fields": {"y": {"inputFields": [source]}}}}
    reader = filled([*COPIES, json.dumps(by_column).encode()])
    shown = show(reader, 1, f"dataset:{DB}:apples")
    assert [short(job) for job in (*shown["read_by"], *shown["named_by"])] == ["copy", "k"]
    for start, side in (
        (f"dataset:{DB}:apples", "downstream"),
        (f"dataset:{DB}:z", "upstream"),
        ("job:etl:k", "upstream"),
    ):
        found = lineage(reader, 1, start)[side]["edges"]
        kinds = {short(edge["to"]): edge["kind"] for edge in found if short(edge["from"]) == "apples"}
        assert kinds["k"] == "REFERENCE"
        assert kinds.get("copy", "INPUT") == "INPUT"
    by_run = lineage(reader, 1, f"dataset:{DB}:z", granularity="RUN")["upstream"]["edges"]
    assert {edge["kind"] for edge in by_run} == {"REFERENCE", "OUTPUT"}


def test_one_run_may_say_its_inputs_first_and_its_outputs_last(filled: Fill) -> None:
    reader = filled(
        [
            ran("j", ["a"], [], 1, run=1, state="START"),
            ran("j", ["b"], [], 2, run=2, state="START"),
            ran("j", [], ["x"], 3, run=1),
            ran("j", [], ["y"], 4, run=2),
        ]
    )
    assert (sources(reader, "x"), sources(reader, "y")) == ({"a"}, {"b"})
    assert (targets(reader, "a"), targets(reader, "b")) == ({"x"}, {"y"})


def test_a_run_that_says_what_it_writes_under_the_name_of_another_job(filled: Fill) -> None:
    reader = filled([ran("app", ["a"], [], 1, run=1, state="START"), ran("app.insert", [], ["x"], 2, run=1)])
    for _ in range(2):
        assert edges(reader, "x", "upstream") == {("a", "app.insert"): True, ("app.insert", "x"): True}
        found = edges(reader, "a", "downstream")
        assert found == {("a", "app"): True, ("a", "app.insert"): True, ("app.insert", "x"): True}
        assert warm(reader, 1)


def test_a_run_that_failed_did_nothing_unless_all_failed(store: SqlStore) -> None:
    store.write([entry_of(ran("z", ["a", "b", "c"], [], 0))])
    reader = Reader(store.engine)
    steps: list[tuple[bytes, set[str], set[str]]] = [
        (ran("j", ["a"], ["t"], 1, run=1, state="FAIL"), {"a"}, set()),
        (ran("j", ["b"], ["t"], 2, run=2, state="FAIL"), {"b"}, set()),
        (ran("j", ["c"], ["t"], 3, run=3, state="START"), {"c"}, {"c"}),
        (ran("j", ["c"], ["t"], 4, run=3), {"c"}, {"c"}),
        (ran("j", ["a"], ["t"], 5, run=4), {"a", "c"}, {"a", "c"}),
        (ran("j", [], [], 6, run=4, state="FAIL"), {"c"}, {"c"}),
    ]
    for body, expected, _ in steps:
        store.write([entry_of(body)])
        for one in (reader, Reader(store.engine)):
            assert sources(one, "t") == expected
            for source in "abc":
                assert targets(one, source) == ({"t"} if source in expected else set()), source


def test_dropping_is_not_writing(filled: Fill) -> None:
    drop = json.loads(ran("cleanup", ["list"], ["t"], 2))
    drop["outputs"][0]["facets"] = {"lifecycleStateChange": {"lifecycleStateChange": "TRUNCATE"}}
    reader = filled([ran("j", ["a"], ["t"], 1), json.dumps(drop).encode()])
    assert sources(reader, "t") == {"a"}
    assert edges(reader, "t", "upstream") == {("a", "j"): True, ("j", "t"): True}
    assert edges(reader, "job:etl:cleanup", "downstream") == {("cleanup", "t"): True}, (
        "the job itself shows all it does"
    )


def test_a_job_event_of_one_side_holds_for_all_on_the_other(filled: Fill) -> None:
    declared = json.loads(static("j", [], 3))
    declared["inputs"] = [{"namespace": DB, "name": "config"}]
    reader = filled([ran("j", ["a"], ["x"], 1), ran("j", ["b"], ["y"], 2), json.dumps(declared).encode()])
    assert (sources(reader, "x"), sources(reader, "y")) == ({"a", "config"}, {"b", "config"})
    assert targets(reader, "config") == {"x", "y"}
    only_outputs = json.loads(static("k", ["z"], 6))
    only_outputs["inputs"] = []
    reader = filled([ran("k", ["a"], ["x2"], 4), ran("k", ["b"], [], 5), json.dumps(only_outputs).encode()])
    assert sources(reader, "z") == {"a", "b"}
    assert targets(reader, "b") == {"y", "z"}


def test_an_output_with_stated_sources_takes_nothing_else(filled: Fill) -> None:
    stated = with_entries(ran("j", ["a", "b"], ["x", "y"], 1), ref("x", inputs=[ref("a")]))
    reader = filled([stated, ran("j", ["c"], ["x"], 2)])
    assert sources(reader, "x") == {"a"}
    assert targets(reader, "c") == set()


def test_what_is_current_is_what_the_newest_run_did_that_wrote_it(filled: Fill, store: SqlStore) -> None:
    reader = filled([ran("j", ["a", "b"], ["t"], 1), ran("j", ["b", "c"], ["t"], 2), ran("j", ["d"], ["other"], 3)])
    for _ in range(2):
        found = edges(reader, "t", "upstream")
        assert found == {("a", "j"): False, ("b", "j"): True, ("c", "j"): True, ("j", "t"): True}
        by_dataset = edges(reader, "t", "upstream", granularity="DATASET")
        assert by_dataset == {("a", "t"): False, ("b", "t"): True, ("c", "t"): True}
        assert sources(reader, "t", current=True) == {"b", "c"}
        assert edges(reader, "a", "downstream", current=True) == {}
    store.write([entry_of(ran("j", ["a", "b"], ["t"], 4))])
    found = edges(reader, "t", "upstream")
    assert found == {("a", "j"): True, ("b", "j"): True, ("c", "j"): False, ("j", "t"): True}


def test_an_edge_says_when_it_was_seen_whichever_way_one_comes(filled: Fill) -> None:
    reader = filled([ran("j", ["a"], ["t"], 1), ran("j", ["a", "b"], ["t"], 5), ran("k", ["t"], ["u"], 6)])
    seen: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for start in (f"dataset:{DB}:a", f"dataset:{DB}:b", f"dataset:{DB}:u", "job:etl:j", "job:etl:k"):
        found = lineage(reader, 1, start, depth=20)
        for edge in (*found["upstream"]["edges"], *found["downstream"]["edges"]):
            times = edge["first_seen"][17:19], edge["last_seen"][17:19]
            seen.setdefault((short(edge["from"]), short(edge["to"])), set()).add(times)
    assert seen == {
        ("a", "j"): {("01", "05")},
        ("b", "j"): {("05", "05")},
        ("j", "t"): {("01", "05")},
        ("t", "k"): {("06", "06")},
        ("k", "u"): {("06", "06")},
    }


def test_a_job_of_very_many_shapes(filled: Fill) -> None:
    """More than are read as a whole: from a dataset only what belongs to it is."""
    bodies = [ran("many", [f"in{number}", "config"], [f"out{number}"], number % 60, run=number) for number in range(99)]
    reader = filled(bodies)
    for number in (0, 50, 98):
        assert sources(reader, f"out{number}") == {f"in{number}", "config"}
        assert targets(reader, f"in{number}") == {f"out{number}"}
    assert targets(reader, "config") == {f"out{number}" for number in range(99)}
    assert len(edges(reader, "job:etl:many", "downstream")) == 99


def test_a_run_of_very_many_shapes_joins_them_all_without_a_pair_for_each(store: SqlStore) -> None:
    bodies = [ran("wide", [f"in{number}"], [], 1, run=1, state="RUNNING") for number in range(40)]
    bodies += [ran("wide", [], [f"out{number}"], 2, run=1, state="RUNNING") for number in range(40)]
    random.Random(7).shuffle(bodies)
    for body in [*bodies, ran("wide", ["other"], ["elsewhere"], 3, run=2)]:
        store.write([entry_of(body)])
    reader = Reader(store.engine)
    assert sources(reader, "out3") == {f"in{number}" for number in range(40)}
    assert targets(reader, "in7") == {f"out{number}" for number in range(40)}
    assert sources(reader, "elsewhere") == {"other"}
    more = [ran("wide", [f"late{number}"], [], 4, run=1, state="RUNNING") for number in range(300)]
    for body in more:
        store.write([entry_of(body)])
    assert len(list(reader.all_facts(1, ShapePair))) < 40 * 40 + 2 * 400
    assert len(sources(reader, "out3")) == 340


@pytest.mark.parametrize("is_read_ahead", [False, True])
def test_a_job_that_feeds_a_dataset_is_told_alike_from_every_end(filled: Fill, is_read_ahead: bool) -> None:
    """What a facet says of another job is asked about in one level with datasets that it says nothing of."""
    feeds = with_entries(
        ran("x", ["b"], ["a", "c"], 1), ref("c", inputs=[{"namespace": "etl", "name": "y", "type": "JOB"}])
    )
    reader = filled([feeds, ran("y", ["a"], ["d"], 2), ran("z", ["c"], ["e"], 3)])
    if is_read_ahead:
        warm(reader, 1)
    told: dict[str, set[tuple[str, str]]] = {}
    for start in ("b", "a", "c", "d", "e", "job:etl:x", "job:etl:y", "job:etl:z"):
        asked = start if ":" in start else f"dataset:{DB}:{start}"
        found = lineage(reader, 1, asked, depth=20)
        for side in ("upstream", "downstream"):
            told[f"{start} {side}"] = {(short(e["from"]), short(e["to"])) for e in found[side]["edges"]}
    assert ("y", "c") in told["c upstream"]
    assert ("y", "c") in told["a downstream"]
    assert ("y", "c") in told["job:etl:y downstream"]
    assert told["c upstream"] == {("y", "c"), ("a", "y"), ("x", "a"), ("x", "c")}, "the facet states no source of a"
    assert told["job:etl:y downstream"] == {("y", "c"), ("y", "d"), ("c", "z"), ("z", "e")}
    assert ("y", "c") not in told["d upstream"]


def test_columns_of_a_statement_that_was_changed(filled: Fill) -> None:
    """The sources of the table stay what they were; those of its column do not."""

    def by(near: str, second: int, *, state: str = "COMPLETE") -> bytes:
        body = json.loads(ran("build", ["a"], ["t"], second, state=state))
        inputs = [{"namespace": DB, "name": "a", "field": near}]
        body["outputs"][0]["facets"] = {"columnLineage": {"fields": {"total": {"inputFields": inputs}}}}
        return json.dumps(body).encode()

    reader = filled([by("net", 1), by("net", 2), by("gross", 3), by("tax", 4, state="FAIL")])

    def seen(edges: list[dict], name: str) -> dict[str, tuple[str, str, bool]]:
        return {
            edge[name].rpartition("#")[2]: (edge["first_seen"][17:19], edge["last_seen"][17:19], edge["current"])
            for edge in edges
        }

    expected = {"net": ("01", "02", False), "gross": ("03", "03", True)}
    for _ in range(2):
        for start, side in ((f"dataset:{DB}:t#total", "upstream"), (f"dataset:{DB}:t", "upstream")):
            assert seen(lineage(reader, 1, start, granularity="COLUMN")[side]["edges"], "from") == expected
        down = [lineage(reader, 1, f"dataset:{DB}:a#{near}")["downstream"]["edges"] for near in ("net", "gross")]
        assert seen([edge for edges in down for edge in edges], "from") == expected
        (pair,) = lineage(reader, 1, f"dataset:{DB}:t", columns=True)["column_lineage"]
        assert seen(pair["fields"]["total"], "field") == expected
        (path,) = paths(reader, 1, f"dataset:{DB}:a#net", f"dataset:{DB}:t#total")["paths"]
        assert seen(path["edges"], "from") == {"net": ("01", "02", False)}
        now = lineage(reader, 1, f"dataset:{DB}:t#total", current=True)["upstream"]["edges"]
        assert seen(now, "from") == {"gross": ("03", "03", True)}
        assert warm(reader, 1)


def test_a_job_of_too_many_shapes_is_shown_by_its_newest_runs(filled: Fill, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(newest_shapes, "MOST_SHOWN", 70)
    tables = [f"out{number}" for number in range(90)]
    reader = filled(
        [event("many", [(DB, "in")], [(DB, name)], number % 60, run=number) for number, name in enumerate(tables)]
    )
    found = lineage(reader, 1, "job:etl:many", direction="downstream")["downstream"]
    assert found["left_out"] == {"job:etl:many": 20}
    newest = {short(edge["to"]) for edge in found["edges"]}
    assert len(newest) == 70
    assert {f"out{number}" for number in range(30, 60)} <= newest, "those that ran last"
    shown = show(reader, 1, "job:etl:many")
    assert (shown["versions_total"], shown["versions_left_out"], len(shown["outputs"])) == (90, 20, 70)
    assert {short(name) for name in shown["outputs"]} == newest
