"""Lineage at every granularity and from every start, impact and paths."""

from __future__ import annotations

import json

import pytest

from headwater.lineage.errors import BadQuestion, NodeNotFound
from headwater.lineage.impact.impact import impact
from headwater.lineage.walk.lineage import lineage
from headwater.lineage.walk.paths import paths
from headwater.openlineage.times import parse_time
from headwater.store.read.shapes.current_shapes import Window
from tests.lineage.test_aliases import HIVE, PATH, symlink

DB = "postgres://db:5432"
APPLICATION = "0190c0de-0000-7000-8000-0000000000aa"


def run_of(number: int) -> str:
    return f"0190c0de-0000-7000-8000-{number:012d}"


def column(source: str, field: str, subtype: str = "IDENTITY", masking: bool = False, kind: str = "DIRECT") -> dict:
    how = {"type": kind, "subtype": subtype, "masking": masking}
    return {"namespace": DB, "name": source, "field": field, "transformations": [how]}


def event(
    job: str,
    inputs: dict,
    outputs: dict,
    number: int,
    second: int | None = None,
    run_facets: dict | None = None,
    job_facets: dict | None = None,
    **more,
) -> bytes:
    """Inputs and outputs by name, each with its facets; `rows` and `tags` among them are short for longer ones."""

    def dataset(name: str, facets: dict, side: str) -> dict:
        facets = dict(facets)
        rows = facets.pop("rows", None)
        where = facets.pop("namespace", DB)
        found = {"namespace": where, "name": name, "facets": facets}
        if rows is not None:
            key, facet = ("inputFacets", "inputStatistics") if side == "in" else ("outputFacets", "outputStatistics")
            found[key] = {facet: {"rowCount": rows, "size": rows * 10, "fileCount": 1}}
        return found

    body = {
        "eventTime": f"2026-02-01T00:00:{number if second is None else second:02d}Z",
        "eventType": "COMPLETE",
        "run": {"runId": run_of(number), "facets": run_facets or {}},
        "job": {"namespace": "etl", "name": job, "facets": job_facets or {}},
        "inputs": [dataset(name, facets, "in") for name, facets in inputs.items()],
        "outputs": [dataset(name, facets, "out") for name, facets in outputs.items()],
        **more,
    }
    return json.dumps(body).encode()


def of_columns(**fields: list) -> dict:
    return {"columnLineage": {"fields": {name: {"inputFields": listed} for name, listed in fields.items()}}}


def tagged(key: str, field: str | None = None) -> dict:
    return {"tags": {"tags": [{"key": key, "value": "true", "source": "t", **({"field": field} if field else {})}]}}


def owned(name: str) -> dict:
    return {"ownership": {"owners": [{"name": name, "type": "MAINTAINER"}]}}


def ends(answer: dict, side: str) -> set[tuple[str, str]]:
    return {(edge["from"].rpartition(":")[2], edge["to"].rpartition(":")[2]) for edge in answer[side]["edges"]}


def edge_of(answer: dict, side: str, source: str, target: str) -> dict:
    (found,) = [edge for edge in answer[side]["edges"] if edge["from"].endswith(source) and edge["to"].endswith(target)]
    return found


@pytest.fixture
def shop(filled):
    """Customers -> load -> stage -> publish (masks e-mails) -> mart; load ran twice."""
    load = {"stage": {"rows": 10} | of_columns(email=[column("customers", "email")], id=[column("customers", "id")])}
    publish = of_columns(
        contact=[column("stage", "email", "TRANSFORMATION", masking=True)],
        id=[column("stage", "id")],
    )
    plain = of_columns(email=[column("stage", "email")])
    return filled(
        [
            event("load", {"customers": {"rows": 5} | tagged("pii", "email")}, load, 1),
            event("load", {"customers": {"rows": 7}}, load, 2),
            event("publish", {"stage": {}}, {"mart": publish | owned("ann")}, 3, job_facets=owned("bob")),
            event("export", {"stage": {}}, {"dump": plain}, 4),
        ]
    )


def test_a_new_event_is_seen_at_once_though_much_is_remembered(shop, filled) -> None:
    assert ends(lineage(shop, 1, "mart", depth=9), "downstream") == set()
    assert ends(lineage(shop, 1, "mart#id", depth=9), "downstream") == set()
    filled([event("report", {"mart": {}}, {"page": of_columns(id=[column("mart", "id")])}, 5)])
    assert ends(lineage(shop, 1, "mart", depth=9), "downstream") == {("mart", "report"), ("report", "page")}
    assert ends(lineage(shop, 1, "mart#id", depth=9), "downstream") == {("mart#id", "page#id")}
    filled([event("report", {"mart": {}, "stage": {}}, {"page": {}}, 6)])  # the job is known, and does more
    assert ("stage", "report") in ends(lineage(shop, 1, "page", depth=9), "upstream")


def test_jobs_with_sums_of_all_their_runs(shop) -> None:
    found = lineage(shop, 1, "stage", depth=1)
    read = edge_of(lineage(shop, 1, "job:etl:load"), "upstream", "customers", "load")
    assert (read["rows"], read["bytes"], read["files"], read["kind"]) == (12, 120, 2, "INPUT")
    written = edge_of(found, "upstream", "load", "stage")
    assert (written["rows"], written["kind"], written["last_seen"]) == (20, "OUTPUT", "2026-02-01T00:00:02.000Z")
    assert ends(found, "downstream") == {("stage", "publish"), ("stage", "export")}
    assert found["freshness"] is None
    assert not found["downstream"]["complete"]
    assert lineage(shop, 1, "stage")["downstream"]["complete"]


def test_runs_each_with_its_own_figures(shop) -> None:
    found = lineage(shop, 1, "customers", direction="downstream", granularity="RUN")
    assert edge_of(found, "downstream", "customers", run_of(1))["rows"] == 5
    assert edge_of(found, "downstream", "customers", run_of(2))["rows"] == 7
    nodes = {node["id"]: node for node in found["downstream"]["nodes"]}
    assert nodes[f"run:{run_of(2)}"]["job"] == "job:etl:load"
    assert nodes[f"run:{run_of(2)}"]["status"] == "SUCCEEDED"
    seconds = [parse_time(f"2026-02-01T00:00:0{second}Z") for second in (2, 3)]
    later = lineage(shop, 1, "customers", direction="downstream", granularity="RUN", window=Window(*seconds))
    assert ("customers", run_of(1)) not in ends(later, "downstream")
    assert ("customers", run_of(2)) in ends(later, "downstream")


def test_operations_add_up_to_their_run(filled) -> None:
    parent = {"parent": {"run": {"runId": APPLICATION}, "job": {"namespace": "etl", "name": "app"}}}
    spark = {"jobType": {"integration": "SPARK", "jobType": "SQL_JOB", "processingType": "BATCH"}}
    application = {"jobType": {"integration": "SPARK", "jobType": "APPLICATION", "processingType": "BATCH"}}
    body = json.loads(event("app", {}, {}, 9, job_facets=application))
    body["run"]["runId"] = APPLICATION
    state = {"lifecycleStateChange": {"lifecycleStateChange": "CREATE"}}
    over = {"lifecycleStateChange": {"lifecycleStateChange": "OVERWRITE"}}
    reader = filled(
        [
            event("app.one", {"a": {"rows": 1}}, {"b": {"rows": 2} | state}, 1, run_facets=parent, job_facets=spark),
            event("app.two", {"a": {"rows": 3}}, {"b": {"rows": 4} | over}, 2, run_facets=parent, job_facets=spark),
            json.dumps(body).encode(),
        ]
    )
    by_run = lineage(reader, 1, "dataset:postgres://db:5432:a", direction="downstream", granularity="RUN")
    assert ends(by_run, "downstream") == {("a", APPLICATION), (APPLICATION, "b")}
    assert edge_of(by_run, "downstream", ":a", APPLICATION)["rows"] == 4
    written = edge_of(by_run, "downstream", APPLICATION, ":b")
    assert (written["rows"], written["types"]) == (6, ["CREATE", "OVERWRITE"])
    fine = lineage(reader, 1, "dataset:postgres://db:5432:a", direction="downstream", granularity="OPERATION")
    assert edge_of(fine, "downstream", ":a", f"run:{run_of(1)}")["rows"] == 1
    started = lineage(reader, 1, f"run:{APPLICATION}")
    assert (APPLICATION, "b") in ends(started, "downstream")
    assert lineage(reader, 1, f"run:{run_of(1)}")["granularity"] == "OPERATION"


def test_datasets_without_jobs_and_without_figures(shop) -> None:
    found = lineage(shop, 1, "customers", granularity="DATASET", direction="downstream", depth=1)
    assert ends(found, "downstream") == {("customers", "stage")}
    assert edge_of(found, "downstream", "customers", "stage")["rows"] is None
    assert ends(lineage(shop, 1, "job:etl:load", granularity="DATASET"), "upstream") == {("customers", "load")}


def test_columns_say_what_is_masked(shop) -> None:
    found = lineage(shop, 1, "customers#email", direction="downstream")
    masked = {node["id"].rpartition(":")[2]: node["masked"] for node in found["downstream"]["nodes"]}
    assert masked == {"customers#email": False, "stage#email": False, "mart#contact": True, "dump#email": False}
    bare = lineage(shop, 1, "customers#email", direction="downstream", masked=False)
    assert "mart#contact" not in {node["id"].rpartition(":")[2] for node in bare["downstream"]["nodes"]}
    assert bare["downstream"]["hidden"] == 1
    back = lineage(shop, 1, "mart#contact", direction="upstream")
    assert ends(back, "upstream") == {("stage#email", "mart#contact"), ("customers#email", "stage#email")}
    assert lineage(shop, 1, "mart", granularity="COLUMN")["upstream"]["edges"]


def test_where_unmasked_personal_data_flows_is_one_call(shop) -> None:
    found = impact(shop, 1, tag="pii", masked=False)
    assert [entry["id"].rpartition(":")[2] for entry in found["affected"]] == ["stage#email", "dump#email"]
    with pytest.raises(NodeNotFound, match="carries the tag"):
        impact(shop, 1, tag="nope")


def test_filters_reach_every_row(filled) -> None:
    joined = of_columns(total=[column("a", "amount"), column("a", "day", "FILTER", kind="INDIRECT")])
    joined["columnLineage"]["dataset"] = [column("a", "key", "JOIN", kind="INDIRECT")]
    reader = filled([event("j", {"a": {}}, {"b": joined}, 1)])
    down = lineage(reader, 1, "dataset:postgres://db:5432:a#key", direction="downstream")["downstream"]
    assert [(node["kind"], node["masked"]) for node in down["nodes"]] == [("column", False), ("rows", None)]
    up = lineage(reader, 1, "dataset:postgres://db:5432:b#total", direction="upstream")
    assert {node["column"] for node in up["upstream"]["nodes"]} == {"total", "amount", "day", "key"}
    direct = lineage(reader, 1, "dataset:postgres://db:5432:b#total", direction="upstream", indirect=False)
    assert {node["column"] for node in direct["upstream"]["nodes"]} == {"total", "amount"}


def test_impact_is_flat_and_sortable(shop) -> None:
    found = impact(shop, 1, "customers")
    entries = {entry["name"]: entry for entry in found["affected"]}
    assert [entry["distance"] for entry in found["affected"]] == [1, 2, 3, 3, 4, 4]
    assert entries["mart"]["owners"] == ["ann"]
    assert entries["publish"]["owners"] == ["bob"]
    assert entries["mart"]["transformations"] == ["IDENTITY", "TRANSFORMATION"]
    assert entries["mart"]["masking_seen"]
    assert not entries["dump"]["masking_seen"]
    assert entries["stage"]["last_used"] == "2026-02-01T00:00:04.000Z"
    turned = impact(shop, 1, "customers", order="-distance")["affected"]
    assert [entry["distance"] for entry in turned] == [4, 4, 3, 3, 2, 1]
    assert not impact(shop, 1, "mart#contact")["affected"]


def test_what_a_job_without_column_lineage_reads_is_told(filled) -> None:
    known = of_columns(x=[column("a", "x")])
    reader = filled([event("j", {"a": {}}, {"b": known}, 1), event("dark", {"a": {}}, {"c": {}}, 2)])
    for _ in range(2):  # from the tables, and from the cache of the first question
        found = impact(reader, 1, "dataset:postgres://db:5432:a#x")
        assert found["without_columns"] == [{"dataset": "dataset:postgres://db:5432:a", "jobs": ["job:etl:dark"]}]


def test_a_job_that_names_columns_in_one_event_of_a_run_is_not_without_column_lineage(filled) -> None:
    known = of_columns(x=[column("a", "x")])
    reader = filled(
        [
            event("split", {"a": {}}, {"b": {}}, 1, 1, eventType="START"),
            event("split", {"a": {}}, {"b": known}, 1, 2),
            event("dark", {"a": {}}, {}, 2, 3, eventType="START"),
            event("dark", {}, {"c": {}}, 2, 4),
            event("half", {"a": {}}, {"d": of_columns(x=[column("a", "x")]), "e": {}}, 3, 5),
            event("reads", {"a": {}}, {}, 4, 6),
            event("other", {"b": {}}, {"c": {}}, 5, 7, eventType="FAIL"),
            event("other", {"b": {}}, {"c": of_columns(x=[column("b", "x")])}, 6, 8),
        ]
    )
    silent = impact(reader, 1, "dataset:postgres://db:5432:a#x")["without_columns"]
    assert silent == [{"dataset": "dataset:postgres://db:5432:a", "jobs": ["job:etl:dark", "job:etl:half"]}]


def test_all_shortest_ways_and_whether_there_are_more(filled) -> None:
    diamond = [
        event("one", {"a": {}}, {"b": {}}, 1),
        event("two", {"a": {}}, {"b": {}}, 2),
        event("long", {"a": {}}, {"m": {}}, 3),
        event("way", {"m": {}}, {"b": {}}, 4),
    ]
    reader = filled(diamond)
    source, target = f"dataset:{DB}:a", f"dataset:{DB}:b"
    found = paths(reader, 1, source, target)
    assert {path["nodes"][1] for path in found["paths"]} == {"job:etl:one", "job:etl:two"}
    assert (found["count"], found["more"], found["longer"], found["direction"]) == (2, False, True, "downstream")
    assert paths(reader, 1, source, target, limit=1)["more"]
    assert paths(reader, 1, target, source)["direction"] == "upstream"
    assert paths(reader, 1, f"dataset:{DB}:m", source)["direction"] == "upstream"
    alone = filled([event("lonely", {"z": {}}, {}, 5)])
    assert paths(alone, 1, f"dataset:{DB}:z", source)["paths"] == []


def test_a_million_ways_are_counted_not_listed(filled) -> None:
    layers = [
        event(
            f"step{layer:02d}",
            {f"t{layer:02d}": {}},
            {
                f"t{layer + 1:02d}": of_columns(
                    l=[column(f"t{layer:02d}", side) for side in "lr"],
                    r=[column(f"t{layer:02d}", side) for side in "lr"],
                )
            },
            layer,
        )
        for layer in range(20)
    ]
    reader = filled(layers)
    found = paths(reader, 1, "t00#l", "t20#r", limit=5)
    assert (len(found["paths"]), found["count"], found["more"]) == (5, 2**19, True)
    assert len(lineage(reader, 1, "t00#l", depth=20, direction="downstream")["downstream"]["nodes"]) == 41
    last = impact(reader, 1, "t00#l")["affected"][-1]
    assert (last["distance"], last["paths"]) == (20, 2**19)


def test_filters_hide_datasets_and_keep_what_they_connect(shop, filled) -> None:
    found = lineage(shop, 1, "customers", direction="downstream", locations=("s3",))["downstream"]
    assert {node["kind"] for node in found["nodes"] if node["depth"]} == {"job"}
    assert found["hidden"] == 3
    bridge = [edge for edge in found["edges"] if edge.get("hidden")]
    assert {(edge["from"], edge["to"]) for edge in bridge} == {
        ("job:etl:load", "job:etl:publish"),
        ("job:etl:load", "job:etl:export"),
    }
    by_tag = lineage(shop, 1, "mart", direction="upstream", granularity="COLUMN", tags=("pii",))["upstream"]
    assert {node["id"].rpartition(":")[2] for node in by_tag["nodes"] if node["depth"]} == {"customers#email"}
    assert not lineage(shop, 1, "stage", job_types=("DBT_MODEL",))["upstream"]["edges"]
    assert not lineage(shop, 1, "stage", origins=("gravitino",))["upstream"]["edges"]
    assert lineage(shop, 1, "stage", origins=("openlineage",))["upstream"]["edges"]


def test_symlinks_hidden_or_kept(filled) -> None:
    where = {"namespace": PATH[0], **symlink(*HIVE)}
    reader = filled(
        [
            event("write", {}, {PATH[1]: where}, 1),
            event("read", {HIVE[1]: {"namespace": HIVE[0]}}, {"report": {}}, 2),
        ]
    )
    table, path = f"dataset:{HIVE[0]}:{HIVE[1]}", f"dataset:{PATH[0]}:{PATH[1]}"
    hidden = lineage(reader, 1, path)
    assert hidden["start"] == table
    kept = lineage(reader, 1, path, keep_symlinks=True)
    ids = {node["id"] for node in kept["upstream"]["nodes"]}
    assert {table, path} <= ids
    assert {(edge["from"], edge["to"], edge["kind"]) for edge in kept["upstream"]["edges"]} == {
        ("job:etl:write", path, "OUTPUT"),
        (path, table, "SYMLINK"),
        (table, path, "SYMLINK"),
    }
    assert (table, "job:etl:read") in {(edge["from"], edge["to"]) for edge in kept["downstream"]["edges"]}


def test_column_lineage_beside_the_graph(shop) -> None:
    (one, *_) = [
        pair for pair in lineage(shop, 1, "stage", columns=True)["column_lineage"] if pair["to"].endswith("mart")
    ]
    (field,) = one["fields"]["contact"]
    assert (field["field"], field["types"], field["current"]) == ("email", ["TRANSFORMATION_MASKING"], True)


def test_statements_and_assets_are_starts(filled) -> None:
    board = {"datasetType": {"datasetType": "DASHBOARD"}}
    sql = {"sql": {"query": "insert into b select * from a"}}
    reader = filled([event("j", {"a": {}}, {"b": board}, 1, job_facets=sql)])
    found = lineage(reader, 1, "insert into b\n  select * from a")
    assert ends(found, "upstream") == {("a", "j")}
    assert lineage(reader, 1, f"dashboard:{DB}:b")["start"] == f"dataset:{DB}:b"
    with pytest.raises(BadQuestion, match="is no dashboard"):
        lineage(reader, 1, f"dashboard:{DB}:a")
    with pytest.raises(NodeNotFound, match="There is no chart"):
        lineage(reader, 1, f"chart:{DB}:zzz")


@pytest.mark.parametrize(
    ("name", "options", "kind", "said"),
    [
        ("customers#emial", {}, NodeNotFound, "has no column"),
        ("job:etl:load#x", {}, BadQuestion, "is a job"),
        ("job:etl:load", {"granularity": "COLUMN"}, BadQuestion, "has no columns"),
        ("customers", {"granularity": "TABLE"}, BadQuestion, "no granularity"),
        ("customers", {"direction": "sideways"}, BadQuestion, "no direction"),
        ("customers", {"depth": 0}, BadQuestion, "depth"),
        ("customers", {"node_limit": 0}, BadQuestion, "limit"),
        ("customers", {"window": Window(since=1, as_of=1)}, BadQuestion, "as_of"),
        ("customers", {"window": Window(since=2, until=1)}, BadQuestion, "ends before"),
        (f"run:{run_of(77)}", {}, NodeNotFound, "There is no run"),
        ("nothing at all", {}, NodeNotFound, "Nothing is called"),
    ],
)
def test_bad_questions(shop, name: str, options: dict, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        lineage(shop, 1, name, **options)


def test_what_is_left_out_is_counted_where(filled) -> None:
    reader = filled([event(f"j{number:02d}", {"hub": {}}, {f"out{number}": {}}, number) for number in range(12)])
    found = lineage(reader, 1, "hub", direction="downstream", node_limit=5)
    assert found["truncated"]
    assert found["downstream"]["left_out"][f"dataset:{DB}:hub"] == 8
    assert sum(found["downstream"]["left_out"].values()) == 12


def test_a_window_between_two_runs_of_a_shape(filled) -> None:
    """The first shape was said before and after the window, but not in it."""
    reader = filled(
        [
            event("flip", {"a": {}}, {"b": {}}, 1),
            event("flip", {"c": {}}, {"b": {}}, 2),
            event("flip", {"a": {}}, {"b": {}}, 3),
        ]
    )
    at = parse_time("2026-02-01T00:00:02Z")
    found = lineage(reader, 1, f"dataset:{DB}:b", window=Window(since=at, until=at))
    assert ends(found, "upstream") == {("flip", "b"), ("c", "flip")}
    assert ends(lineage(reader, 1, f"dataset:{DB}:b"), "upstream") == {("flip", "b"), ("c", "flip"), ("a", "flip")}


def test_runs_of_a_job_that_are_not_looked_at_are_counted(filled) -> None:
    reader = filled([event("j", {"a": {}}, {"t": {}}, second) for second in range(1, 9)])
    found = lineage(reader, 1, "job:etl:j", granularity="RUN", node_limit=3)
    for side in ("upstream", "downstream"):
        assert found[side]["left_out"]["job:etl:j"] == 5
        assert found["truncated"]
        assert not found[side]["complete"]
    assert "job:etl:j" not in lineage(reader, 1, "job:etl:j", granularity="RUN")["upstream"]["left_out"]
