"""Two weeks of the shop's platform: streams that never end, nightly jobs, and failures."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import msgspec

from headwater.demo.shop.facets import dataset_event
from headwater.demo.shop.night import night_events
from headwater.demo.shop.stream_events import stream_events
from headwater.demo.shop.world import world

__all__ = ["NIGHTS", "shop_events"]

NIGHTS = 14
RELEASE = NIGHTS - 2
"""The night before which the shop's database gets other columns."""
_READY = time(5)
"""When a night's work is done."""


def shop_events(until: datetime) -> list[bytes]:
    """Two weeks of events up to a moment, in their order; until the next night is over, the same again, and more."""
    last = until.date() if until.time() >= _READY else until.date() - timedelta(days=1)
    first = last - timedelta(days=NIGHTS - 1)
    events = sorted(_events(first, last), key=lambda event: event["eventTime"])
    end = _iso(until)
    return [msgspec.json.encode(event) for event in events if event["eventTime"] <= end]


def _events(first: date, last: date) -> Iterator[dict[str, Any]]:
    seed = last.isoformat()
    midnight = datetime.combine(first, time(), UTC)
    before, after = world(is_released=False), world(is_released=True)
    for name, table in before.tables.items():
        if name.startswith(("shop.public", "crm.", "web.clicks", "payments.authorised")):
            yield dataset_event(_iso(midnight), table)
    released_at = midnight + timedelta(days=RELEASE - 1, hours=18, minutes=42)
    yield dataset_event(_iso(released_at), after.tables["shop.public.order_items"])
    yield from stream_events(before, midnight, NIGHTS, seed)
    for night in range(NIGHTS):
        current = after if night >= RELEASE else before
        yield from night_events(current, midnight + timedelta(days=night, hours=2), night, seed, NIGHTS)


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
