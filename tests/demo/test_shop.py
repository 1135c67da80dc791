from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from headwater.demo.shop import DAYS, shop_events
from headwater.graph.facts import Run, RunStatus
from headwater.lineage.entities.entity import show
from headwater.lineage.walk.lineage import lineage
from headwater.openlineage.decode import decode_event

DAY = date(2026, 3, 8)


def test_a_week_without_warnings_the_same_every_time() -> None:
    bodies = list(shop_events(DAY))
    assert bodies == list(shop_events(DAY))
    events = [decode_event(body) for body in bodies]
    assert not [warning for event in events for warning in event.warnings]
    days = {event.time // 86_400_000_000 for event in events}
    assert len(days) == DAYS
    # The day after shares all but one day with it, so that loading again doubles nothing.
    assert len(set(bodies) & set(shop_events(DAY + timedelta(days=1)))) > len(bodies) // 2


def test_reports_lead_back_to_the_database(filled: Callable) -> None:
    reader = filled(shop_events(DAY))
    found = lineage(reader, 1, "reports/best_customers", direction="upstream", depth=20)
    assert {"shop.public.customers", "shop.public.orders", "shop.public.order_items", "shop.public.products"} <= {
        name for name in str(found).replace("'", " ").replace(":", " ").split() if name.startswith("shop.public")
    }
    revenue = show(reader, 1, "reports/daily_revenue")
    assert "amount" in str(revenue)
    failed = [run for run in reader.all_facts(1, Run) if run.status == RunStatus.FAILED]
    assert len(failed) == 2, "one operation and its application"
