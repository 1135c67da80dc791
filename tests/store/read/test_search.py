"""Search on every database: found right after the commit, whoever wrote it, and ranked alike everywhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import sqlalchemy as sa

from headwater.deadline import Deadline, TooSlow, within
from headwater.graph.fold import fold
from headwater.graph.search.documents import DocumentKind, SearchPending, SearchPosting, SearchSource
from headwater.lineage.errors import BadQuestion
from headwater.lineage.lists.search import search
from headwater.openlineage.naming import namespace_id
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from headwater.store.tables import fact_tables
from tests.conftest import entry_of, read_events

DB = "postgres://db:5432"


def event(job: str, outputs: list[dict[str, Any]], second: int = 0, **facets: Any) -> bytes:
    body = {
        "eventTime": f"2026-02-01T00:00:{second:02d}Z",
        "eventType": "COMPLETE",
        "run": {"runId": f"0190c0de-0000-7000-8000-0000000000{second:02d}"},
        "job": {"namespace": "etl", "name": job, "facets": facets},
        "outputs": outputs,
    }
    return json.dumps(body).encode()


def dataset(name: str, columns: tuple[str, ...] = (), **facets: Any) -> dict[str, Any]:
    schema = {"schema": {"fields": [{"name": column, "type": "int"} for column in columns]}} if columns else {}
    return {"namespace": DB, "name": name, "facets": {**schema, **facets}}


ORDERS = dataset(
    "shop.public.orders",
    ("orderId", "customer_email"),
    documentation={"description": "Every purchase since the beginning"},
    tags={"tags": [{"key": "pii", "value": "high"}]},
    ownership={"owners": [{"name": "team:checkout"}]},
)
EVENTS = [
    event("load_orders", [ORDERS], 1, sql={"query": "INSERT INTO orders SELECT * FROM landing.basket"}),
    event("archive", [dataset("shop.public.orders_archive", ("order_id",))], 2),
    event("customers", [dataset("crm.customers", ("id", "email", "order_count"))], 3),
    event("chinese", [dataset("dwd.订单明细表")], 4),
]


def write(store: SqlStore, *bodies: bytes) -> None:
    store.write([entry_of(body) for body in bodies])


def found(store: SqlStore, text: str, **more: Any) -> list[str]:
    """By the words themselves: what only has a similar name has no score."""
    store.search.drain(1)
    answer = search(Reader(store.engine), 1, text, **more)
    assert answer.total == sum(answer.totals.values()) or more
    return [hit.id for hit in answer.items if hit.score]


def rows(store: SqlStore, kind: type) -> list[tuple[Any, ...]]:
    with store.engine.connect() as connection:
        return sorted(map(tuple, connection.execute(sa.select(fact_tables[kind]))))


def test_everything_is_found(store: SqlStore) -> None:
    write(store, *EVENTS)
    orders = f"dataset:{DB}:shop.public.orders"
    archive, customers = f"dataset:{DB}:shop.public.orders_archive", f"dataset:{DB}:crm.customers"
    statement = "sql:"
    everything = found(store, "orders")
    assert everything[0] == orders, "the whole name comes first"
    assert set(everything) >= {orders, archive, "job:etl:load_orders"}
    assert any(hit.startswith(statement) for hit in everything)
    assert found(store, "ORDERS publ") == [orders, archive], "all words, and the beginning of the last"
    assert found(store, "publ orders") == [], "only of the last"
    assert found(store, "purchase") == [orders]
    assert found(store, "checkout") == [orders]
    assert found(store, "pii") == [orders]
    assert found(store, "customerEmail") == [orders]
    assert set(found(store, "order id", kinds=[DocumentKind.DATASET])) == {orders, archive, customers}
    assert found(store, "basket")[0].startswith(statement)
    assert found(store, "postgres") == [f"location:{DB}"]
    assert found(store, "明细") == [f"dataset:{DB}:dwd.订单明细表"]
    assert found(store, "nothing") == []
    assert found(store, "o' OR 1=1 --\N{SNOWMAN}%_") == []
    assert found(store, "orders", namespaces=frozenset((namespace_id("etl"),))) == ["job:etl:load_orders"]


def test_the_words_are_marked(store: SqlStore) -> None:
    write(store, *EVENTS)
    store.search.drain(1)
    (hit,) = search(Reader(store.engine), 1, "email beginning").items
    assert hit.description == "Every purchase since the beginning"
    marked = {(item.field, item.text[start:end]) for item in hit.highlights for start, end in item.marks}
    assert marked == {("column", "email"), ("description", "beginning")}


def test_pages_and_totals(store: SqlStore) -> None:
    write(store, *(event(f"job_{number}", [dataset(f"many.table_{number}")], number) for number in range(23)))
    store.search.drain(1)
    reader, pages, cursor = Reader(store.engine), [], None
    while True:
        answer = search(reader, 1, "tabl", kinds=[DocumentKind.DATASET], cursor=cursor, limit=5)
        pages.append([hit.id for hit in answer.items])
        cursor = answer.next
        if cursor is None:
            break
    assert [len(page) for page in pages] == [5, 5, 5, 5, 3]
    assert len({hit for page in pages for hit in page}) == answer.total == answer.totals["dataset"] == 23
    for wrong in ("", " - ", " ".join(map(str, range(13)))):
        with pytest.raises(BadQuestion):
            search(reader, 1, wrong)


def test_what_is_known_costs_nothing(store: SqlStore) -> None:
    write(store, EVENTS[0])
    store.search.drain(1)
    before = rows(store, SearchPosting)
    again = json.loads(EVENTS[0])
    again["run"]["runId"], again["eventTime"] = "0190c0de-0000-7000-8000-000000000077", "2026-03-01T00:00:00Z"
    write(store, json.dumps(again).encode())
    assert rows(store, SearchPending) == []
    other = SqlStore(store.engine.url.render_as_string(hide_password=False))  # a process that knows nothing yet
    other.open()
    again["run"]["runId"] = "0190c0de-0000-7000-8000-000000000078"
    write(other, json.dumps(again).encode())
    assert other.search.drain(1) > 0
    assert rows(store, SearchPosting) == before
    other.close()


def test_words_of_one_tenant_keep_no_other_waiting(store: SqlStore) -> None:
    """And nobody waits longer for them than the question may take."""
    index = store.search
    store.write([entry_of(body) for body in read_events("written/generic.ndjson")])
    with index._draining[2]:
        assert index.drain(1, most=1) == 1
    with index._draining[1], within(Deadline(20)) as deadline:
        assert index.drain(1, seconds=0.1) == 0
        assert deadline.is_cut, "what is not found yet is left out, and that is said"
    with index._draining[1], within(Deadline(0.1)), pytest.raises(TooSlow):
        index.drain(1)
    with within(Deadline(20)) as deadline:
        assert index.drain(1, seconds=0) == 0
        assert deadline.is_cut
    with within(Deadline(20)) as deadline:
        assert index.drain(1, seconds=20) > 10
        assert not deadline.is_cut


def test_several_writers_and_searchers(database: Callable[[], str]) -> None:
    url = database()
    stores = [SqlStore(url) for _ in range(3)]
    for store in stores:
        store.open()
    bodies = read_events("written/spec.ndjson") + read_events("written/spark.ndjson") + EVENTS

    def work(place: int) -> list[str]:
        for body in bodies[place::2] + bodies:
            write(stores[place], body)
            stores[place].search.drain(1)
        return found(stores[place], "orders")

    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(work, range(3)))
    assert all(f"dataset:{DB}:shop.public.orders" in answer for answer in answers)
    together = rows(stores[0], SearchPosting), rows(stores[0], SearchSource)
    for store in stores:
        store.close()
    alone = SqlStore(database())
    alone.open()
    write(alone, *bodies)
    alone.search.drain(1)
    assert (rows(alone, SearchPosting), rows(alone, SearchSource)) == together
    alone.close()


def test_what_was_loaded_in_bulk_is_caught_up_with(database: Callable[[], str]) -> None:
    online, bulk = SqlStore(database()), SqlStore(database())
    online.open()
    bulk.open()
    write(online, *EVENTS)
    online.search.drain(1)
    bulk.merge(fold(fact for body in EVENTS for fact in entry_of(body).interpretation.facts()))
    assert found(bulk, "orders") == []
    assert bulk.search.catch_up(1) == len(rows(online, SearchSource))
    assert bulk.search.catch_up(1) == 0
    assert rows(bulk, SearchPosting) == rows(online, SearchPosting)
    assert found(bulk, "orders") == found(online, "orders")
    online.close()
    bulk.close()
