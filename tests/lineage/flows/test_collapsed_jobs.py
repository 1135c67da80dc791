"""An application, a DAG and a dbt invocation, asked for their lineage: what their parts read and wrote, as one node."""

from __future__ import annotations

import json
from typing import Any

import pytest

from headwater.interpret.interpret import interpret
from headwater.lineage.entities.entity import show
from headwater.lineage.impact.impact import impact
from headwater.lineage.walk.lineage import lineage
from headwater.lineage.walk.paths import paths
from headwater.openlineage.decode import decode_event
from headwater.openlineage.times import parse_time
from headwater.store.read.reader import Reader
from headwater.store.read.runs import part_runs
from headwater.store.read.shapes.current_shapes import Window
from headwater.store.sql_store import DEFAULT_TENANT
from headwater.store.write.log import Entry, Tenant
from tests.application import InProcess

DB = "postgres://db:5432"
AIRFLOW, SPARK, DBT = "airflow", "spark", "dbt"


def uuid(number: int) -> str:
    return f"0190c0de-0000-7000-8000-{number:012d}"


def part(
    where: str,
    job: str,
    number: int,
    parent: tuple[str, int] | None,
    inputs: dict[str, int | None],
    outputs: dict[str, int | None],
    begins: int = 0,
    ends: int = 0,
    kind: tuple[str, str] = ("AIRFLOW", "TASK"),
    change: str | None = None,
) -> list[bytes]:
    """START and COMPLETE; datasets by name, with the rows that were read or written. Times are minutes."""

    def dataset(name: str, rows: int | None, side: str) -> dict[str, Any]:
        found: dict[str, Any] = {"namespace": DB, "name": name, "facets": {}}
        if rows is not None:
            found[f"{side}Facets"] = {f"{side}Statistics": {"rowCount": rows, "size": rows * 10, "fileCount": 1}}
        if change is not None and side == "output":
            found["facets"]["lifecycleStateChange"] = {"lifecycleStateChange": change}
        return found

    facets: dict[str, Any] = {}
    if parent is not None:
        facets["parent"] = {"run": {"runId": uuid(parent[1])}, "job": {"namespace": where, "name": parent[0]}}
    described = {"jobType": {"processingType": "BATCH", "integration": kind[0], "jobType": kind[1]}}
    return [
        json.dumps(
            {
                "eventTime": f"2026-03-01T{minute // 60:02d}:{minute % 60:02d}:00Z",
                "eventType": event_type,
                "run": {"runId": uuid(number), "facets": facets},
                "job": {"namespace": where, "name": job, "facets": described},
                "inputs": [dataset(name, rows, "input") for name, rows in inputs.items()],
                "outputs": [dataset(name, rows, "output") for name, rows in outputs.items()],
            }
        ).encode()
        for event_type, minute in (("START", begins), ("COMPLETE", ends or begins + 1))
    ]


def dag(first: int = 1, begins: int = 0) -> list[bytes]:
    """A DAG run: extract reads orders and writes stage; publish reads stage and rates, and writes mart."""
    return [
        *part(AIRFLOW, "daily", first, None, {}, {}, begins, begins + 9, ("AIRFLOW", "DAG")),
        *part(AIRFLOW, "daily.extract", first + 1, ("daily", first), {"orders": 5}, {"stage": 4}, begins + 1),
        *part(AIRFLOW, "daily.publish", first + 2, ("daily", first), {"stage": 4, "rates": 2}, {"mart": 3}, begins + 3),
    ]


def application() -> list[bytes]:
    """CREATE TABLE sums AS SELECT, which Spark reports as two operations, and then an insert of its own."""
    query = ("SPARK", "SQL_JOB")
    create = "app.execute_create_hive_table_as_select_command.default_sums"
    insert = "app.execute_insert_into_hive_table.warehouse_sums"
    own = ("app", 11)
    return [
        *part(SPARK, "app", 11, None, {}, {}, 0, 30, ("SPARK", "APPLICATION")),
        *part(SPARK, create, 12, own, {"mart": 7}, {"sums": 6}, 1, 5, query, "CREATE"),
        *part(SPARK, insert, 13, own, {"mart": 7}, {"sums": 6}, 2, 4, query),
        *part(SPARK, insert, 14, own, {"mart": 7}, {"sums": 2}, 8, 9, query),
    ]


def invocation() -> list[bytes]:
    """Three models: stg and tmp of raw, and fct of both; tmp is read by somebody else too."""
    model, own = ("DBT", "MODEL"), ("dbt-run-shop", 21)
    return [
        *part(DBT, "dbt-run-shop", 21, None, {}, {}, 0, 30, ("DBT", "JOB")),
        *part(DBT, "shop.stg", 22, own, {"raw": None}, {"stg": 1}, 1, kind=model),
        *part(DBT, "shop.tmp", 23, own, {"raw": None}, {"tmp": 1}, 2, kind=model),
        *part(DBT, "shop.fct", 24, own, {"stg": None, "tmp": None}, {"fct": 1}, 3, kind=model),
        *part("other", "export", 25, None, {"tmp": None}, {"dump": None}, 5),
    ]


def ends(answer: dict, side: str) -> set[tuple[str, str]]:
    return {(edge["from"].rpartition(":")[2], edge["to"].rpartition(":")[2]) for edge in answer[side]["edges"]}


def edge_of(answer: dict, side: str, source: str, target: str) -> dict:
    (found,) = [
        edge
        for edge in answer[side]["edges"]
        if edge["from"].rpartition(":")[2] == source and edge["to"].rpartition(":")[2] == target
    ]
    return found


def start_of(answer: dict, side: str = "upstream") -> dict:
    (found,) = [node for node in answer[side]["nodes"] if node["depth"] == 0]
    return found


STARTS = ["job:airflow:daily", f"run:{uuid(1)}"]


@pytest.mark.parametrize("start", STARTS)
def test_a_dag_reads_and_writes_what_its_tasks_do(filled, start: str) -> None:
    found = lineage(filled(dag()), 1, start)
    me = start.rpartition(":")[2]
    assert ends(found, "upstream") == {("orders", me), ("rates", me)}
    assert ends(found, "downstream") == {(me, "mart")}
    assert (start_of(found)["parts"], start_of(found)["inner"]) == (2, 1)
    assert edge_of(found, "upstream", "orders", me)["rows"] == 5
    written = edge_of(found, "downstream", me, "mart")
    assert (written["rows"], written["bytes"], written["files"], written["kind"]) == (3, 30, 1, "OUTPUT")


@pytest.mark.parametrize("start", STARTS)
def test_unfolded_the_tasks_and_what_lies_between_them_are_nodes(filled, start: str) -> None:
    found = lineage(filled(dag()), 1, start, unfold=True)
    one, two = ("daily.extract", "daily.publish") if start.startswith("job") else (uuid(2), uuid(3))
    both = {("orders", one), (one, "stage"), ("stage", two), ("rates", two), (two, "mart")}
    assert ends(found, "upstream") | ends(found, "downstream") == both
    assert "inner" not in found["upstream"]["nodes"][0]


def test_a_job_without_parts_answers_as_ever(filled) -> None:
    found = lineage(filled(dag()), 1, "job:airflow:daily.extract")
    assert ends(found, "downstream") == {
        ("daily.extract", "stage"),
        ("stage", "daily.publish"),
        ("daily.publish", "mart"),
    }
    assert "parts" not in start_of(found)


def test_runs_of_a_dag_add_up(filled) -> None:
    found = lineage(filled(dag() + dag(31, begins=60)), 1, "job:airflow:daily")
    assert edge_of(found, "upstream", "orders", "daily")["rows"] == 10
    assert start_of(found)["parts"] == 2


def test_beyond_the_dag_the_walk_goes_on_from_what_was_really_read_or_written(filled) -> None:
    reader = filled(
        [
            *dag(),
            *part("other", "report", 41, None, {"mart": None}, {"page": None}, 20),
            *part("other", "unrelated", 42, None, {"rates": None}, {"elsewhere": None}, 20),
            *part("other", "import", 43, None, {"shop": None}, {"orders": None}, 0),
        ]
    )
    found = lineage(reader, 1, "job:airflow:daily")
    assert ends(found, "downstream") == {("daily", "mart"), ("mart", "report"), ("report", "page")}
    assert ("import", "orders") in ends(found, "upstream")
    assert not any("elsewhere" in edge for edge in ends(found, "upstream") | ends(found, "downstream"))
    assert ends(lineage(reader, 1, "job:airflow:daily", depth=1), "downstream") == {("daily", "mart")}


@pytest.mark.parametrize(
    ("more", "side", "edge"),
    [
        ((("other", "peek", 51, None, {"stage": None}, {"seen": None}, 20)), "downstream", ("daily", "stage")),
        ((("other", "patch", 52, None, {"fix": None}, {"stage": None}, 20)), "upstream", ("stage", "daily")),
    ],
)
def test_a_dataset_that_somebody_else_uses_is_not_inside(filled, more: tuple, side: str, edge: tuple) -> None:
    found = lineage(filled([*dag(), *part(*more)]), 1, "job:airflow:daily")
    assert start_of(found)["inner"] == 0
    assert edge in ends(found, side)


@pytest.mark.parametrize("start", STARTS)
def test_a_way_back_into_the_dag_leads_to_its_one_node(filled, start: str) -> None:
    reader = filled(
        [
            *dag(),
            *part("other", "report", 41, None, {"mart": None}, {"page": None}, 20),
            *part(AIRFLOW, "daily.send", 4, ("daily", 1), {"page": 1}, {"mails": 1}, 25),
        ]
    )
    found, me = lineage(reader, 1, start), start.rpartition(":")[2]
    report = "report" if start.startswith("job") else uuid(41)
    assert ends(found, "downstream") == {
        (me, "mart"),
        ("mart", report),
        (report, "page"),
        ("page", me),
        (me, "mails"),
    }
    assert sum("parts" in node for node in found["downstream"]["nodes"]) == 1


@pytest.mark.parametrize("start", STARTS)
def test_impact_and_paths_of_a_dag_say_the_same(filled, start: str) -> None:
    report = part("other", "report", 41, None, {"mart": None}, {"page": None}, 20)
    reader = filled([*dag(), *report])
    affected = {entry["name"]: entry["distance"] for entry in impact(reader, 1, start)["affected"]}
    assert affected == {"mart": 1, "report": 2, "page": 3}
    down = paths(reader, 1, start, f"dataset:{DB}:page")
    assert (down["direction"], down["count"]) == ("downstream", 1)
    assert [name.rpartition(":")[2] for name in down["paths"][0]["nodes"]] == ["daily", "mart", "report", "page"]
    up = paths(reader, 1, f"dataset:{DB}:orders", start)
    assert [name.rpartition(":")[2] for name in up["paths"][0]["nodes"]] == ["orders", "daily"]
    assert paths(reader, 1, f"dataset:{DB}:orders", "job:airflow:daily.publish")["paths"]


@pytest.mark.parametrize("start", STARTS)
def test_parts_that_write_the_same_are_one_edge(filled, start: str) -> None:
    again = part(AIRFLOW, "daily.correct", 4, ("daily", 1), {"rates": 1}, {"mart": 2}, 6, change="OVERWRITE")
    found, me = lineage(filled([*dag(), *again]), 1, start), start.rpartition(":")[2]
    written = edge_of(found, "downstream", me, "mart")
    assert (written["rows"], written["types"]) == (5, ["OVERWRITE"])
    assert edge_of(found, "upstream", "rates", me)["rows"] == 3
    if start.startswith("job"):
        assert (written["first_seen"], written["last_seen"]) == (
            "2026-03-01T00:03:00.000Z",
            "2026-03-01T00:07:00.000Z",
        )
        assert written["current"]


def test_a_run_that_only_its_parts_mention_has_their_times(filled) -> None:
    found = lineage(filled(dag()[2:]), 1, f"run:{uuid(1)}")
    written = edge_of(found, "downstream", uuid(1), "mart")
    assert (written["first_seen"], written["last_seen"]) == ("2026-03-01T00:03:00.000Z", "2026-03-01T00:04:00.000Z")


def test_a_dataset_that_one_part_alone_reads_and_writes_is_no_inner_one(filled) -> None:
    own = part(AIRFLOW, "daily.compact", 4, ("daily", 1), {"state": 1}, {"state": 1}, 6)
    reader = filled([*dag(), *own])
    for start in STARTS:
        found, me = lineage(reader, 1, start), start.rpartition(":")[2]
        assert (me, "state") in ends(found, "downstream")
        assert ("state", me) in ends(found, "upstream")


def test_parts_of_parts(filled) -> None:
    """A task starts a Spark application, which runs an operation."""
    reader = filled(
        [
            *dag(),
            *part(AIRFLOW, "daily.submit", 4, ("daily", 1), {}, {}, 5, 9),
            *part(SPARK, "inside", 5, ("daily.submit", 4), {}, {}, 6, 8, ("SPARK", "APPLICATION")),
            *part(SPARK, "inside.collect", 6, ("inside", 5), {"mart": 3}, {"top": 2}, 6, 7, ("SPARK", "SQL_JOB")),
        ]
    )
    for start, me in (("job:airflow:daily", "daily"), (f"run:{uuid(1)}", uuid(1))):
        found = lineage(reader, 1, start)
        assert ends(found, "downstream") == {(me, "top")}, start
        assert (start_of(found)["parts"], start_of(found)["inner"]) == (5, 2)


@pytest.mark.parametrize(("start", "me"), [("job:spark:app", "app"), (f"run:{uuid(11)}", uuid(11))])
def test_a_table_created_as_select_is_one_act(filled, start: str, me: str) -> None:
    reader = filled(application())
    found = lineage(reader, 1, start)
    shown = show(reader, 1, f"run:{uuid(11)}")
    assert [(item["rows"], item["files"]) for item in shown["outputs"]] == [(6 + 2, 1 + 1)]
    assert [item["rows"] for item in shown["inputs"]] == [7 + 7]
    written = edge_of(found, "downstream", me, "sums")
    assert written["rows"] == 6 + 2, "created and filled in one act, then added to"
    assert written["types"] == ["CREATE"]
    assert edge_of(found, "upstream", "mart", me)["rows"] == 7 + 7


@pytest.mark.parametrize(
    ("name", "begins", "parent", "rows"),
    [
        ("app.execute_insert_into_hive_table.warehouse_sums", 2, 11, 6),
        ("app.execute_insert_into_hive_table.warehouse_sums", 6, 11, 12),  # afterwards
        ("app.collect_sums", 2, 11, 12),  # another name
    ],
)
def test_nothing_else_is_merged(filled, name: str, begins: int, parent: int, rows: int) -> None:
    query = ("SPARK", "SQL_JOB")
    create = "app.execute_create_hive_table_as_select_command.default_sums"
    reader = filled(
        [
            *part(SPARK, create, 12, ("app", 11), {}, {"sums": 6}, 1, 5, query, "CREATE"),
            *part(SPARK, name, 13, ("app", parent), {}, {"sums": 6}, begins, begins + 2, query),
        ]
    )
    for start in ("job:spark:app", f"run:{uuid(11)}"):
        found = lineage(reader, 1, start)
        assert [edge["rows"] for edge in found["downstream"]["edges"]] == [rows], start
        assert start_of(found)["parts"] == (1 if rows == 6 else 2)


@pytest.mark.parametrize(("start", "me"), [("job:dbt:dbt-run-shop", "dbt-run-shop"), (f"run:{uuid(21)}", uuid(21))])
def test_a_dbt_invocation_is_its_models(filled, start: str, me: str) -> None:
    found = lineage(filled(invocation()), 1, start, depth=1)
    assert ends(found, "downstream") == {(me, "tmp"), (me, "fct")}
    assert ends(found, "upstream") == {("raw", me), ("tmp", me)}
    assert (start_of(found)["parts"], start_of(found)["inner"]) == (3, 1)


def test_datasets_next_to_a_dag(filled) -> None:
    found = lineage(filled(dag()), 1, "job:airflow:daily", granularity="DATASET")
    assert ends(found, "downstream") == {("daily", "mart")}
    assert ends(found, "upstream") == {("orders", "daily"), ("rates", "daily")}
    assert all(
        edge["current"] and edge["first_seen"] for side in ("upstream", "downstream") for edge in found[side]["edges"]
    )


def test_in_a_window_and_as_of_a_moment(filled) -> None:
    mail = part(AIRFLOW, "daily.mail", 34, ("daily", 31), {"mart": 3}, {"mails": 1}, 65)
    late = part(AIRFLOW, "daily.note", 35, ("daily", 1), {"mart": 3}, {"notes": 1}, 66)
    reader = filled([*dag(), *dag(31, begins=60), *mail, *late])
    early = parse_time("2026-03-01T00:30:00Z")
    for window in (Window(until=early), Window(as_of=early)):
        found = lineage(reader, 1, "job:airflow:daily", window=window)
        assert ends(found, "downstream") == {("daily", "mart")}
        assert edge_of(found, "downstream", "daily", "mart")["rows"] == 3
        assert start_of(found)["parts"] == 2
    assert ends(lineage(reader, 1, "job:airflow:daily"), "downstream") == {("daily", "mails"), ("daily", "notes")}


def test_the_route_and_its_option(tmp_path) -> None:
    with InProcess(tmp_path) as server:
        for body in dag():
            assert server.send(body).status_code == 201
        folded = server.get("/api/v2/lineage", params={"name": "job:airflow:daily"}).json()
        assert (start_of(folded)["parts"], start_of(folded)["inner"]) == (2, 1)
        assert ends(folded, "downstream") == {("daily", "mart")}
        unfolded = server.get("/api/v2/lineage", params={"name": "job:airflow:daily", "unfold": "true"}).json()
        assert ("daily.extract", "stage") in ends(unfolded, "downstream")
        refused = server.get("/api/v2/lineage", params={"name": "job:airflow:daily", "unfold": "perhaps"})
        assert refused.status_code == 400


def test_parts_of_another_tenant_are_not_parts(store) -> None:
    other = Tenant(2, "other", "Other")
    events = [decode_event(body) for body in dag()]
    store.write([Entry(DEFAULT_TENANT, event, interpret(event, 1), 0) for event in events[:2]])
    store.write([Entry(other, event, interpret(event, 2), 0) for event in events])
    assert start_of(lineage(Reader(store.engine), 2, "job:airflow:daily"))["parts"] == 2
    assert "parts" not in start_of(lineage(Reader(store.engine), 1, "job:airflow:daily"))


def test_a_ring_of_parents_ends(filled) -> None:
    found = lineage(
        filled(
            [
                *part(AIRFLOW, "one", 61, ("two", 62), {"a": 1}, {"b": 1}),
                *part(AIRFLOW, "two", 62, ("one", 61), {"b": 1}, {"c": 1}),
            ]
        ),
        1,
        "job:airflow:one",
    )
    assert ends(found, "upstream") == {("a", "one")}
    assert ends(found, "downstream") == {("one", "c")}


def test_too_many_runs_are_told(filled, monkeypatch) -> None:
    monkeypatch.setattr(part_runs, "MOST_STARTS", 1)
    late = part(AIRFLOW, "daily.mail", 34, ("daily", 31), {"mart": 3}, {"mails": 1}, 65)
    found = lineage(filled([*dag(), *dag(31, begins=60), *late]), 1, "job:airflow:daily")
    assert start_of(found)["parts_cut"] is True
    assert start_of(found)["runs_left_out"] == 1
    assert not found["upstream"]["complete"]
    assert start_of(found)["parts"] == 3, "the newest run has all of them"
    monkeypatch.setattr(part_runs, "_MOST_RUNS", 1)
    assert start_of(lineage(filled([]), 1, f"run:{uuid(1)}"))["parts_cut"] is True


def test_the_page_of_a_job_lists_the_jobs_inside_it(filled) -> None:
    reader = filled(dag())
    shown = show(reader, 1, "job:airflow:daily")
    unfolded = lineage(reader, 1, "job:airflow:daily", unfold=True)
    inside = {node["id"] for side in ("upstream", "downstream") for node in unfolded[side]["nodes"]}
    assert set(shown["parts"]) == {node for node in inside if node.startswith("job:")} - {"job:airflow:daily"}
    assert (shown["parts_total"], shown["runs_left_out"]) == (len(shown["parts"]), 0)
    assert shown["parts_total"] == start_of(lineage(reader, 1, "job:airflow:daily"))["parts"]
