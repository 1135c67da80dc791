"""A small shop: from its database through a lake to a few reports, a week of runs, with column lineage."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import msgspec
from msgspec import Struct

from headwater.demo.event import Edge, Job, Moment, Table, application_event, operation_event

__all__ = ["shop_events"]

DAYS = 7
_CLUSTER = "spark://shop"
_DATABASE = "postgres://db.shop.example.com:5432"
_LAKE = "s3://shop-lake"
_TYPES = {"id": "bigint", "orders": "bigint", "quantity": "int", "day": "date"} | dict.fromkeys(
    ("amount", "price", "revenue"), "decimal(12,2)"
)

_TABLES = {
    "orders": (_DATABASE, "shop.public.orders", "order_id customer_id day status channel"),
    "items": (_DATABASE, "shop.public.order_items", "order_id product_id quantity price"),
    "customers": (_DATABASE, "shop.public.customers", "customer_id name email country created_day"),
    "products": (_DATABASE, "shop.public.products", "product_id title category price"),
    "clean_orders": (_LAKE, "clean/orders", "order_id customer_id day channel"),
    "clean_customers": (_LAKE, "clean/customers", "customer_id country email_hash created_day"),
    "sales": (_LAKE, "core/sales", "order_id customer_id product_id category day channel quantity amount"),
    "revenue": (_LAKE, "reports/daily_revenue", "day category channel orders revenue"),
    "value": (_LAKE, "reports/customer_value", "customer_id country orders total_amount last_order_day"),
    "best": (_LAKE, "reports/best_customers", "customer_id country total_amount"),
}


class Step(Struct, frozen=True):
    """A job in short; edges are `column=input.column[:how]` ..."""

    application: str
    name: str
    inputs: tuple[str, ...]
    output: str
    edges: str
    sql: str


_STEPS = (
    Step(
        "load_shop",
        "clean_orders",
        ("orders",),
        "clean_orders",
        "order_id=orders.order_id customer_id=orders.customer_id day=orders.day channel=orders.channel:TRANSFORMATION",
        "INSERT OVERWRITE clean.orders SELECT order_id, customer_id, day, lower(channel) AS channel "
        "FROM shop.public.orders WHERE status <> 'cancelled'",
    ),
    Step(
        "load_shop",
        "clean_customers",
        ("customers",),
        "clean_customers",
        "customer_id=customers.customer_id country=customers.country email_hash=customers.email:TRANSFORMATION "
        "created_day=customers.created_day",
        "INSERT OVERWRITE clean.customers SELECT customer_id, country, sha2(email, 256) AS email_hash, created_day "
        "FROM shop.public.customers",
    ),
    Step(
        "build_reports",
        "build_sales",
        ("clean_orders", "items", "products"),
        "sales",
        "order_id=clean_orders.order_id customer_id=clean_orders.customer_id product_id=items.product_id "
        "category=products.category day=clean_orders.day channel=clean_orders.channel quantity=items.quantity "
        "amount=items.price:TRANSFORMATION",
        "INSERT OVERWRITE core.sales SELECT o.order_id, o.customer_id, i.product_id, p.category, o.day, o.channel, "
        "i.quantity, i.quantity * i.price AS amount FROM clean.orders o "
        "JOIN shop.public.order_items i USING (order_id) JOIN shop.public.products p USING (product_id)",
    ),
    Step(
        "build_reports",
        "daily_revenue",
        ("sales",),
        "revenue",
        "day=sales.day category=sales.category channel=sales.channel orders=sales.order_id:AGGREGATION "
        "revenue=sales.amount:AGGREGATION",
        "INSERT OVERWRITE reports.daily_revenue SELECT day, category, channel, count(DISTINCT order_id) AS orders, "
        "sum(amount) AS revenue FROM core.sales GROUP BY day, category, channel",
    ),
    Step(
        "build_reports",
        "customer_value",
        ("sales", "clean_customers"),
        "value",
        "customer_id=clean_customers.customer_id country=clean_customers.country orders=sales.order_id:AGGREGATION "
        "total_amount=sales.amount:AGGREGATION last_order_day=sales.day:AGGREGATION",
        "INSERT OVERWRITE reports.customer_value SELECT c.customer_id, c.country, "
        "count(DISTINCT s.order_id) AS orders, sum(s.amount) AS total_amount, max(s.day) AS last_order_day "
        "FROM clean.customers c JOIN core.sales s USING (customer_id) GROUP BY c.customer_id, c.country",
    ),
    Step(
        "build_reports",
        "best_customers",
        ("value",),
        "best",
        "customer_id=value.customer_id country=value.country total_amount=value.total_amount",
        "INSERT OVERWRITE reports.best_customers SELECT customer_id, country, total_amount "
        "FROM reports.customer_value ORDER BY total_amount DESC LIMIT 100",
    ),
)


def shop_events(last_day: date) -> Iterator[bytes]:
    """A week of runs up to a day, that day's included; one of them fails. The same day gives the same events."""
    tables = {key: _table(*described) for key, described in _TABLES.items()}
    jobs = [_job(number, tables, step) for number, step in enumerate(_STEPS)]
    for back in reversed(range(DAYS)):
        yield from _day(last_day - timedelta(days=back), jobs, failing=back == 2)


def _day(day: date, jobs: list[Job], *, failing: bool) -> Iterator[bytes]:
    moment = datetime.combine(day, time(5), UTC)
    for application in dict.fromkeys(job.application for job in jobs):
        parent = _run_id(day, application)
        failed = False
        yield _encode(application_event(_CLUSTER, application, Moment("START", _iso(moment), parent, "")))
        for job in [job for job in jobs if job.application == application]:
            run = _run_id(day, job.name)
            yield _encode(operation_event(job, Moment("START", _iso(moment), run, parent)))
            moment += timedelta(seconds=40 + 25 * job.number)
            failed = failing and job.name == "customer_value"
            yield _encode(operation_event(job, _end(job, _iso(moment), run, parent, day, failed=failed)))
            if failed:
                break
        ended = "FAIL" if failed else "COMPLETE"
        yield _encode(application_event(_CLUSTER, application, Moment(ended, _iso(moment), parent, "")))
        moment += timedelta(minutes=10)


def _end(job: Job, when: str, run: str, parent: str, day: date, *, failed: bool) -> Moment:
    if failed:
        return Moment("FAIL", when, run, parent, failure="No space left on device")
    rows = 4_000 + 300 * job.number + 37 * (day.toordinal() % 11)
    read = tuple((rows + 500 * place, 120 * rows) for place in range(len(job.inputs)))
    return Moment("COMPLETE", when, run, parent, read=read, written=((rows, 64 * rows, 2),))


def _table(namespace: str, name: str, columns: str) -> Table:
    return Table(namespace, name, tuple((column, _type(column)) for column in columns.split()))


def _type(column: str) -> str:
    return _TYPES.get(column.rpartition("_")[2], "string")


def _job(number: int, tables: dict[str, Table], step: Step) -> Job:
    edges = tuple(_edge(tables, edge) for edge in step.edges.split())
    inputs = tuple(tables[key] for key in step.inputs)
    return Job(_CLUSTER, step.application, step.name, number, inputs, (tables[step.output],), edges, step.sql)


def _edge(tables: dict[str, Table], described: str) -> Edge:
    column, _, source = described.partition("=")
    path, _, subtype = source.partition(":")
    key, _, source_column = path.partition(".")
    return Edge(column, tables[key], source_column, subtype or "IDENTITY")


def _run_id(day: date, name: str) -> str:
    return str(uuid5(NAMESPACE_URL, f"https://shop.example.com/{name}/{day.isoformat()}"))


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _encode(event: dict[str, Any]) -> bytes:
    return msgspec.json.encode(event)
