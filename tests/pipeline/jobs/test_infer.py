"""Column lineage out of the SQL of events, where the engine reported none."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

import pytest

from headwater.graph.facts import Evidence, Shape, ShapeDataset, ShapeEdge
from headwater.lineage.walk.lineage import lineage
from headwater.openlineage.naming import job_id
from headwater.pipeline.errors import PipelineError
from headwater.pipeline.infer.infer import infer_jobs
from headwater.pipeline.jobs.infer import infer_changes
from headwater.pipeline.jobs.tenants import chosen_tenants
from headwater.pipeline.rollup.changed_keys import changed_keys_of
from headwater.store.read.reader import Reader
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from headwater.store.write.inferred_shapes import InferredStore
from tests.conftest import entry_of

TENANT = DEFAULT_TENANT.id
PLACE = "postgres://db:5432"
RUN = "0197833d-511d-7034-be27-078fb128ca5"


def dataset(name: str, columns: Iterable[str] = (), place: str = PLACE, **facets) -> dict:
    if columns:
        facets["schema"] = {"fields": [{"name": column, "type": "int"} for column in columns]}
    return {"namespace": place, "name": name, "facets": facets}


def event(sql: str | None, inputs: list, outputs: list, *, job: str = "j", minute: int = 0, **job_facets) -> bytes:
    facets = {"sql": {"query": sql}, **job_facets} if sql else job_facets
    body = {
        "eventType": "COMPLETE",
        "eventTime": f"2026-01-01T00:{minute:02}:00Z",
        "producer": "p",
        "run": {"runId": f"{RUN}{minute % 10}"},
        "job": {"namespace": "n", "name": job, "facets": facets},
        "inputs": inputs,
        "outputs": outputs,
    }
    return json.dumps(body).encode()


@pytest.fixture
def infer(store: SqlStore) -> Callable[..., dict]:
    """Write events, infer, and give the inferred edges by names."""

    def work(*bodies: bytes) -> dict:
        entries = [entry_of(body) for body in bodies]
        store.write(entries)
        url = store.engine.url.render_as_string(hide_password=False)
        work.report = infer_changes(
            url, changed_keys_of(fact for entry in entries for fact in entry.interpretation.facts())
        )
        return inferred(Reader(store.engine))

    return work


def inferred(reader: Reader) -> dict:
    shapes = [shape for shape in reader.all_facts(TENANT, Shape) if shape.origin == "sql"]
    names = reader.names(TENANT, {item.dataset for item in reader.all_facts(TENANT, ShapeDataset)})
    found = {}
    for edge in reader.facts(TENANT, ShapeEdge, shape={shape.shape for shape in shapes}):
        for source, target, kind, subtype, *_ in json.loads(edge.columns):
            key = f"{names[edge.source].name}.{source}", f"{names[edge.target].name}.{target}"
            found.setdefault(key, set()).add((kind, subtype))
    return found


ORDERS, TOTALS = dataset("shop.sales.orders", ["id", "amount"]), dataset("shop.sales.totals", ["id", "total"])
INSERT = "insert into sales.totals select id, sum(amount) from sales.orders group by id"


def test_an_insert(infer) -> None:
    assert infer(event(INSERT, [ORDERS], [TOTALS])) == {
        ("shop.sales.orders.id", "shop.sales.totals.id"): {("DIRECT", "IDENTITY")},
        ("shop.sales.orders.amount", "shop.sales.totals.total"): {("DIRECT", "AGGREGATION")},
        ("shop.sales.orders.id", "shop.sales.totals."): {("INDIRECT", "GROUP_BY")},
    }
    assert (infer.report.statements, infer.report.inferred, infer.report.left_out) == (1, 1, {})


def test_schemas_come_from_any_event(infer) -> None:
    """`select *` needs the columns of a table, which another job's event had."""
    other = event(None, [ORDERS], [], job="other")
    star = event("insert into totals select * from orders", [dataset("shop.sales.orders")], [TOTALS], minute=1)
    assert set(infer(other, star)) == {
        ("shop.sales.orders.id", "shop.sales.totals.id"),
        ("shop.sales.orders.amount", "shop.sales.totals.total"),
    }


def test_who_wrote_a_table_knows_its_columns(infer) -> None:
    """Who reads perhaps names only the columns he chose, also if he read last: the rule is that of `show`."""
    written = event(None, [], [ORDERS], job="writer")
    chosen = event(None, [dataset("shop.sales.orders", ["amount"])], [], job="reader", minute=2)
    star = event("insert into totals select * from orders", [dataset("shop.sales.orders")], [TOTALS], minute=1)
    assert set(infer(written, chosen, star)) == {
        ("shop.sales.orders.id", "shop.sales.totals.id"),
        ("shop.sales.orders.amount", "shop.sales.totals.total"),
    }


def test_never_over_what_the_engine_reported(infer) -> None:
    source = {"namespace": PLACE, "name": "shop.sales.orders", "field": "amount"}
    reported = dataset("shop.sales.totals", columnLineage={"fields": {"total": {"inputFields": [source]}}})
    assert infer(event(INSERT, [ORDERS], [reported])) == {}
    assert infer.report.left_out == {"reported": 1}
    assert infer(event(INSERT, [ORDERS], [TOTALS], minute=1)) == {}  # another event of the same job


def test_what_is_reported_later_removes_what_was_inferred(infer) -> None:
    assert infer(event(INSERT, [ORDERS], [TOTALS]))
    source = {"namespace": PLACE, "name": "shop.sales.orders", "field": "amount"}
    reported = dataset("shop.sales.totals", columnLineage={"fields": {"total": {"inputFields": [source]}}})
    assert infer(event(INSERT, [ORDERS], [reported], minute=1)) == {}
    assert infer.report.removed == 1


def test_a_bare_query_is_that_of_the_only_output(infer) -> None:
    query = event("select id, amount as total from orders", [ORDERS], [TOTALS])
    assert set(infer(query)) == {
        ("shop.sales.orders.id", "shop.sales.totals.id"),
        ("shop.sales.orders.amount", "shop.sales.totals.total"),
    }
    other = event("select id, amount as unheard_of from orders", [ORDERS], [TOTALS], job="k")
    infer(other)
    assert infer.report.left_out == {"other-columns": 2}


def test_tables_that_are_not_certain_are_left_out(infer) -> None:
    same_name = [ORDERS, dataset("shop.sales.orders", ["id"], place="postgres://other:5432")]
    assert infer(event(INSERT, same_name, [TOTALS])) == {}
    assert infer.report.left_out == {"ambiguous-source": 3}
    assert infer(event(INSERT, [dataset("shop.hr.people")], [TOTALS], job="k")) == {}
    assert infer.report.left_out == {"unknown-source": 3}
    assert infer(event("insert into )( select", [ORDERS], [TOTALS], job="l")) == {}
    assert infer.report.left_out == {"unreadable": 1}


def test_a_path_with_a_table_name(infer) -> None:
    """Spark names the folder, the SQL its table; the edges are between the datasets of the event."""
    link = {"identifiers": [{"namespace": "hive://m:9083", "name": "sales.orders", "type": "TABLE"}]}
    folder = dataset("warehouse/o", ["id", "amount"], "s3://lake", symlinks=link)
    path = dataset("warehouse/sales.db/totals", ["id", "total"], "s3://lake")
    assert ("warehouse/o.amount", "warehouse/sales.db/totals.total") in infer(event(INSERT, [folder], [path]))


def test_seen_as_the_event_was_and_written_once(infer, store: SqlStore) -> None:
    reader = Reader(store.engine)
    infer(event(INSERT, [ORDERS], [TOTALS], minute=1), event(INSERT, [ORDERS], [TOTALS], minute=5))
    (original, found) = sorted(reader.all_facts(TENANT, Shape), key=lambda shape: shape.origin)
    assert (found.origin, found.job, found.sql, found.kind) == ("sql", original.job, original.sql, original.kind)
    seen = {item.shape: item for item in reader.all_facts(TENANT, Evidence)}
    assert (seen[found.shape].first_seen, seen[found.shape].last) == (
        seen[original.shape].first_seen,
        seen[original.shape].last,
    )
    url = InferredStore(store.engine.url.render_as_string(hide_password=False))
    assert infer_jobs(reader, url, TENANT, {job_id("n", "j")}).written == 0
    infer(event(INSERT, [ORDERS], [TOTALS], minute=9))
    assert (infer.report.written, infer.report.removed) == (1, 0)
    url.close()


def test_a_tenant_that_is_not_there(store: SqlStore) -> None:
    with pytest.raises(PipelineError, match="nobody"):
        chosen_tenants(store.engine, "nobody")
    assert chosen_tenants(store.engine, None) == chosen_tenants(store.engine, DEFAULT_TENANT.code) == [TENANT]


def test_of_another_tenant_nothing_is_touched(infer, store: SqlStore) -> None:
    infer(event(INSERT, [ORDERS], [TOTALS]))
    url = InferredStore(store.engine.url.render_as_string(hide_password=False))
    assert url.replace(TENANT + 1, [job_id("n", "j")], {}) == (0, 0)
    assert infer_jobs(Reader(store.engine), url, TENANT + 1, {job_id("n", "j")}).statements == 0
    assert len(inferred(Reader(store.engine))) == 3
    url.close()


def test_job_events_keep_their_flow(infer, store: SqlStore) -> None:
    """An inferred shape of a job event does not take the place of the event's own."""
    from headwater.lineage.walk.lineage import lineage

    extra = dataset("shop.sales.other")
    body = json.loads(event(INSERT, [ORDERS, extra], [TOTALS]))
    del body["run"], body["eventType"]
    assert infer(json.dumps(body).encode())
    found = lineage(Reader(store.engine), TENANT, f"dataset:{PLACE}:shop.sales.totals", direction="upstream")
    assert f"dataset:{PLACE}:shop.sales.other" in {node["id"] for node in found["upstream"]["nodes"]}


def test_at_a_moment_what_was_inferred_holds_with_the_run_it_was_inferred_from(infer, store: SqlStore) -> None:
    from headwater.lineage.walk.lineage import lineage
    from headwater.openlineage.times import parse_time
    from headwater.store.read.shapes.current_shapes import Window

    other = "insert into sales.totals select id, max(id) from sales.orders group by id"
    infer(event(INSERT, [ORDERS], [TOTALS], minute=1), event(other, [ORDERS], [TOTALS], minute=3))

    def sources(minute: int) -> set[str]:
        window = Window(as_of=parse_time(f"2026-01-01T00:{minute:02}:30Z"))
        start = f"dataset:{PLACE}:shop.sales.totals#total"
        found = lineage(Reader(store.engine), TENANT, start, direction="upstream", indirect=False, window=window)
        return {node["column"] for node in found["upstream"]["nodes"] if node["depth"]}

    assert (sources(0), sources(1), sources(2), sources(3)) == (set(), {"amount"}, {"amount"}, {"id"})


def test_what_the_engine_left_open_is_told_alike_with_and_without_inference(store: SqlStore, infer) -> None:
    """Nothing is inferred over what was reported; what was not said of it is read from the SQL when it is asked for."""
    hashed = "select md5(email) as h from shop.sales.customers"
    source = {"namespace": PLACE, "name": "shop.sales.customers", "field": "email"}
    reported = dataset("shop.sales.hashed", columnLineage={"fields": {"h": {"inputFields": [source]}}})
    body = event(hashed, [dataset("shop.sales.customers")], [reported])
    store.write([entry_of(body)])

    def edge() -> dict:
        found = lineage(Reader(store.engine), TENANT, f"dataset:{PLACE}:shop.sales.hashed#h", direction="upstream")
        return found["upstream"]["edges"][0]

    before = edge()
    assert infer(body) == {}
    assert edge() == before
    assert (before["masked"], before["transformations"][0]["expression"]) == (True, "MD5(email)")
