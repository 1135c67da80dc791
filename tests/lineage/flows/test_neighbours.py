"""What a `lineage` facet states goes before inputs times outputs, and a newer static event replaces an older one."""

from __future__ import annotations

import json

from headwater.lineage.walk.lineage import lineage
from headwater.store.read.reader import Reader
from tests.lineage.test_aliases import event

DB = "postgres://db:5432"


def ref(name: str, **parts) -> dict:
    return {"namespace": DB, "name": name, "type": "DATASET", **parts}


def with_entries(body: bytes, *entries: dict) -> bytes:
    changed = json.loads(body)
    changed["job"]["facets"] = {"lineage": {"entries": list(entries)}}
    return json.dumps(changed).encode()


def static(job: str, outputs: list[str], second: int) -> bytes:
    changed = json.loads(event(job, [(DB, "in")], [(DB, name) for name in outputs], second))
    del changed["run"], changed["eventType"]
    return json.dumps(changed).encode()


def view(name: str, sources: list[str], second: int) -> bytes:
    facet = {"lineage": {"inputs": [ref(source) for source in sources]}}
    body = {"eventTime": f"2026-02-01T00:00:{second:02d}Z", "dataset": {"namespace": DB, "name": name, "facets": facet}}
    return json.dumps(body).encode()


def names(reader: Reader, name: str, side: str) -> set[str]:
    found = lineage(reader, 1, name, direction=side, depth=10)[side]["nodes"]
    return {node["id"].rpartition(":")[2] for node in found if node["depth"]}


def test_each_output_has_its_own_inputs(filled) -> None:
    both = event("bulk", [(DB, "a"), (DB, "b")], [(DB, "c"), (DB, "d")])
    reader = filled([with_entries(both, ref("c", inputs=[ref("a")]), ref("d", inputs=[ref("b")]))])
    assert names(reader, f"dataset:{DB}:c", "upstream") == {"bulk", "a"}
    assert names(reader, f"dataset:{DB}:d", "upstream") == {"bulk", "b"}
    assert names(reader, f"dataset:{DB}:a", "downstream") == {"bulk", "c"}
    assert names(reader, "job:etl:bulk", "upstream") == {"a", "b"}


def test_an_output_without_upstream(filled) -> None:
    both = event("generate", [(DB, "a")], [(DB, "calendar"), (DB, "copy")])
    reader = filled([with_entries(both, ref("calendar", inputs=[]), ref("copy", inputs=[ref("a")]))])
    assert names(reader, f"dataset:{DB}:calendar", "upstream") == {"generate"}
    assert names(reader, f"dataset:{DB}:a", "downstream") == {"generate", "copy"}


def test_without_the_facet_every_input_feeds_every_output_also_across_events(filled) -> None:
    start, end = event("j", [(DB, "a"), (DB, "b")], [], 1), event("j", [], [(DB, "c")], 2, run=1)
    reader = filled([start, end])
    assert names(reader, f"dataset:{DB}:c", "upstream") == {"j", "a", "b"}
    assert names(reader, f"dataset:{DB}:a", "downstream") == {"j", "c"}


def test_a_dataset_event_needs_no_job(filled) -> None:
    reader = filled([view("v", ["t1", "t2"], 1), event("use", [(DB, "v")], [(DB, "out")], 2)])
    assert names(reader, f"dataset:{DB}:v", "upstream") == {"t1", "t2"}
    assert names(reader, f"dataset:{DB}:t1", "downstream") == {"v", "use", "out"}


def test_a_job_feeds_a_job(filled) -> None:
    body = json.loads(event("second", [], []))
    first = {"namespace": "etl", "name": "first", "type": "JOB"}
    entry = {"namespace": "etl", "name": "second", "type": "JOB", "inputs": [first]}
    reader = filled([with_entries(json.dumps(body).encode(), entry), event("second", [], [(DB, "out")], 2)])
    assert names(reader, "job:etl:first", "downstream") == {"second", "out"}
    assert "first" in names(reader, "job:etl:second", "upstream")


def test_the_newest_job_event_holds(filled) -> None:
    for order in ((1, 2), (2, 1)):
        versions = {1: static("j", ["old", "kept"], 1), 2: static("j", ["kept", "new"], 2)}
        reader = filled([versions[number] for number in order])
        assert names(reader, "job:etl:j", "downstream") == {"kept", "new"}
        assert names(reader, f"dataset:{DB}:old", "upstream") == set()


def test_the_newest_dataset_event_holds(filled) -> None:
    reader = filled([view("v", ["t1", "t2"], 1), view("v", ["t2", "t3"], 2)])
    assert names(reader, f"dataset:{DB}:v", "upstream") == {"t2", "t3"}
    assert names(reader, f"dataset:{DB}:t1", "downstream") == set()


def test_runs_and_a_job_event_add_up(filled) -> None:
    reader = filled([static("j", ["declared"], 1), event("j", [], [(DB, "seen")], 2)])
    assert names(reader, "job:etl:j", "downstream") == {"declared", "seen"}


def test_cycles_end(filled) -> None:
    reader = filled([event("x", [(DB, "a")], [(DB, "b")], 1), event("y", [(DB, "b")], [(DB, "a")], 2)])
    assert names(reader, f"dataset:{DB}:a", "downstream") == {"x", "b", "y"}
