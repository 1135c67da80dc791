from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from headwater.demo.shop import shop_events
from headwater.demo.shop.step import step
from headwater.demo.shop.tables import LAKE, table
from headwater.graph.facts import Run, RunStatus
from headwater.lineage.entities.entity import show
from headwater.lineage.walk.lineage import lineage
from headwater.openlineage.decode import decode_event

NOW = datetime(2026, 3, 8, 13, 20, tzinfo=UTC)


@pytest.mark.parametrize("now", [NOW, NOW.replace(hour=0, minute=0), NOW.replace(month=1, day=2)])
def test_two_weeks_without_warnings_the_same_every_time(now: datetime) -> None:
    bodies = shop_events(now)
    assert bodies == shop_events(now)
    events = [decode_event(body) for body in bodies]
    assert not [warning for event in events for warning in event.warnings]
    times = [event.time for event in events]
    assert times == sorted(times)
    assert times[-1] <= now.timestamp() * 1_000_000 < times[-1] + 4 * 3_600_000_000
    assert len({time // 86_400_000_000 for time in times}) in {14, 15}


def test_later_on_the_same_day_there_is_only_more() -> None:
    before, later = shop_events(NOW), shop_events(NOW + timedelta(hours=5))
    assert later[: len(before)] == before
    assert len(later) > len(before)


def test_the_world_has_what_a_visitor_should_see(filled: Callable) -> None:
    bodies = shop_events(NOW)
    reader = filled(bodies)
    names = {dataset["name"] for body in bodies for dataset in _datasets(json.loads(body))}
    assert len(names) >= 60
    schemes = {dataset["namespace"].partition(":")[0] for body in bodies for dataset in _datasets(json.loads(body))}
    assert schemes == {"postgres", "kafka", "s3", "superset"}
    reports = str(lineage(reader, 1, "reports/best_customers", direction="upstream", depth=20))
    assert "shop.public.order_items" in reports
    assert "shop.public.customers" in reports
    assert "amount" in str(show(reader, 1, "reports/daily_revenue"))
    runs = list(reader.all_facts(1, Run))
    assert {run.status for run in runs} == {
        RunStatus.STARTED,
        RunStatus.SUCCEEDED,
        RunStatus.KILLED,
        RunStatus.FAILED,
    }
    reasons = {run.end_reason for run in runs if run.status == RunStatus.FAILED}
    assert any("unit_price" in str(reason) for reason in reasons), "the renamed column broke a job"


def test_addresses_reach_one_end_in_the_open_and_another_masked(filled: Callable) -> None:
    reader = filled(shop_events(NOW))
    bare = lineage(reader, 1, "crm.public.contacts#email", direction="downstream", depth=20, granularity="COLUMN")
    assert "newsletter_audience" in str(bare)
    masked = lineage(reader, 1, "shop.public.customers#email", direction="downstream", depth=20, granularity="COLUMN")
    assert "customer_360" in str(masked)
    assert "newsletter_audience" not in str(masked)


def test_a_step_is_read() -> None:
    orders = table(LAKE, "clean/orders", "order_id amount email", "Orders.", "team")
    known = {orders.name: orders}
    made = step(
        known,
        "sum_up",
        f"{LAKE} reports/day",
        "order_id = o.order_id\ntotal_amount = sum(o.amount)\nemail_hash = md5(o.email)",
        "clean/orders o WHERE o.amount > 0 GROUP BY o.order_id",
        "Sums.",
        "team",
    )
    assert [(edge.column, edge.source_column, edge.subtype, edge.masked) for edge in made.edges] == [
        ("order_id", "order_id", "IDENTITY", False),
        ("total_amount", "amount", "AGGREGATION", False),
        ("email_hash", "email", "TRANSFORMATION", True),
    ]
    assert [(it.source_column, it.subtype) for it in made.influences] == [
        ("amount", "FILTER"),
        ("order_id", "GROUP_BY"),
    ]
    assert made.sql == (
        "SELECT o.order_id,\n       sum(o.amount) AS total_amount,\n       md5(o.email) AS email_hash\n"
        "FROM clean.orders o\nWHERE o.amount > 0\nGROUP BY o.order_id"
    )
    assert known["reports/day"] is made.output


def _datasets(event: dict) -> list[dict]:
    return [*event.get("inputs", ()), *event.get("outputs", ()), *([event["dataset"]] if "dataset" in event else [])]
