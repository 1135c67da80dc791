"""Events of a run, page by page."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from headwater.deadline import take
from headwater.lineage.answer.cursor import read_cursor, write_cursor
from headwater.lineage.answer.records import Page
from headwater.lineage.answer.text_types import Instant, JsonObject
from headwater.lineage.answer.values import moment
from headwater.lineage.entities.entity import find_run
from headwater.lineage.errors import NodeNotFound
from headwater.openlineage.event import EventWarning
from headwater.openlineage.surrogates import without_lone_surrogates
from headwater.openlineage.times import format_time
from headwater.store.compression import decompress
from headwater.store.read.lookup import Lookup
from headwater.store.read.reader import Reader

__all__ = ["RunEvent", "run_events"]

_ORDER = "event_time"
_PAGE = (
    "SELECT id, event_time, received_at, event_type, event, warnings FROM lineage_events "
    "WHERE tenant_id = ? AND run = ? AND (event_time > ? OR (event_time = ? AND id > ?)) "
    "ORDER BY event_time, id LIMIT ?"
)
_COUNT = "SELECT COUNT(*) FROM lineage_events WHERE tenant_id = ? AND run = ?"
_FIRST = -(1 << 62)


class RunEvent(Struct, frozen=True, kw_only=True):
    """One event of the log."""

    event_time: Instant
    received_at: Instant | None
    type: str | None
    """START, RUNNING, COMPLETE, FAIL, ABORT or OTHER, as it was sent."""
    warnings: list[EventWarning]
    """Parts of the event that were set aside when it was decoded."""
    body: JsonObject


def run_events(reader: Reader, tenant: int, text: str, cursor: str | None, limit: int) -> Page[RunEvent]:
    """In the order of their times; fewer than asked for where they are too large together."""
    run = find_run(text)
    lookup = Lookup(reader.engine)
    ((total,),) = lookup.all(_COUNT, tenant, run)
    if not total:
        raise NodeNotFound(
            f"There are no events of a run {text[:200]!r}.", hint="A run that only others mention has none."
        )
    after = read_cursor(cursor, _ORDER, int)
    time = _FIRST if after is None else int(after[0] or 0)
    last = -1 if after is None else int.from_bytes(after[1][:8])
    rows = lookup.all(_PAGE, tenant, run, time, time, last, limit + 1)
    shown: list[RunEvent] = []
    for row in rows[:limit]:
        body = decompress(row[4])
        if not take(len(body)) and shown:
            break
        shown.append(_shown(row, body))
    has_more = len(rows) > len(shown)
    following = write_cursor(_ORDER, rows[len(shown) - 1][1], rows[len(shown) - 1][0].to_bytes(8)) if has_more else None
    return Page(shown, total, following)


def _shown(row: tuple[Any, ...], body: bytes) -> RunEvent:
    """The body is handed on as it is, without being read: it may nest further than can be read."""
    raw: Any = msgspec.Raw(without_lone_surrogates(body))
    return RunEvent(
        event_time=format_time(row[1]),
        received_at=moment(row[2]),
        type=row[3],
        warnings=msgspec.json.decode(row[5], type=list[EventWarning]) if row[5] else [],
        body=raw,
    )
