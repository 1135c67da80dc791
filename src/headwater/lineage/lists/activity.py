"""Activity of a tenant or one job by hour or day: runs by state, amounts, durations, events, refused events.

Counted on demand from the runs themselves, without the pipeline.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from headwater.graph.current.sums import LARGEST
from headwater.graph.facts import NodeKind
from headwater.lineage.answer.text_types import Instant
from headwater.lineage.errors import BadQuestion
from headwater.lineage.names.find import find_node
from headwater.lineage.picture.answer import RunState, state_of
from headwater.openlineage.times import format_time
from headwater.store.read.aliases import Aliases
from headwater.store.read.reader import Reader
from headwater.store.read.runs.activity_series import amounts_by_time, events_by_time, refused_by_time, runs_by_time

__all__ = ["ACTIVITY_FIELDS", "MOST_ITEMS", "ActivityItem", "ActivitySeries", "Width", "activity"]

Width = Literal["hour", "day"]
_HOUR = 3_600_000_000
_WIDTHS: dict[Width, int] = {"hour": _HOUR, "day": 24 * _HOUR}
MOST_ITEMS = 1_000
_STATES: tuple[RunState, ...] = ("SUCCEEDED", "FAILED", "KILLED", "STARTED", "UNKNOWN")
ACTIVITY_FIELDS = ("at", *_STATES, "rows", "bytes", "duration_ms", "events", "refused")


class ActivityItem(Struct, kw_only=True):
    at: Instant
    """Its beginning."""
    runs: dict[RunState, int]
    """Runs and operations that were first seen then, by their state now."""
    rows: int | None
    """Rows written by these runs; runs without a figure are not counted."""
    bytes: int | None
    duration_ms: int | None
    """In all, of those whose start and end are known."""
    events: int | None
    """By the time that they state; null where one job was asked about."""
    refused: int | None
    """By when they were received; null where one job was asked about."""


class ActivitySeries(Struct, kw_only=True):
    kind: Literal["activity"]
    of: str | None
    """The job; null for all of them."""
    by: Width
    since: Instant
    until: Instant
    items: list[ActivityItem]
    """Without those in which nothing happened; the earliest first."""
    truncated: bool
    """Whether there is more before `since`, which was moved to keep the number of items within the limit."""


def activity(
    reader: Reader,
    tenant: int,
    name: str | None,
    *,
    by: Width,
    since: int | None,
    until: int | None,
    now: int,
    limit: int,
) -> ActivitySeries:
    """The newest hours or days."""
    if not 1 <= limit <= MOST_ITEMS:
        raise BadQuestion(f"limit must be a whole number from 1 to {MOST_ITEMS}, not {limit}.", path="?limit")
    width, last = _WIDTHS[by], now if until is None else until
    earliest = last - last % width - (limit - 1) * width
    first = earliest if since is None else max(since - since % width, earliest)
    if since is not None and since > last:
        raise BadQuestion("since is after until.", path="?since", hint="Exchange the two.")
    jobs, of = None, None
    if name is not None:
        found = find_node(reader, tenant, name)
        if found.kind is not NodeKind.JOB:
            raise BadQuestion(
                f"{found.node_id} is no job; by the hour there are figures of jobs, and of all of them together.",
                path="?by",
                hint="Use by=day for a dataset, or leave the name out.",
            )
        aliases = Aliases(reader, tenant)
        aliases.learn([found.id])
        jobs, of = aliases.group(found.id), found.node_id
    items = _counted(reader, tenant, jobs, first, last, width)
    return ActivitySeries(
        kind="activity",
        of=of,
        by=by,
        since=format_time(first),
        until=format_time(last),
        items=[items[at] for at in sorted(items)],
        truncated=since is not None and since - since % width < first,
    )


def _counted(
    reader: Reader, tenant: int, jobs: frozenset[bytes] | None, first: int, last: int, width: int
) -> dict[int, ActivityItem]:
    engine, items = reader.engine, dict[int, ActivityItem]()

    def item(at: int) -> ActivityItem:
        if at not in items:
            unknown = None if jobs is not None else 0
            items[at] = ActivityItem(
                at=format_time(at), runs={}, rows=None, bytes=None, duration_ms=None, events=unknown, refused=unknown
            )
        return items[at]

    for at, status, count, took in runs_by_time(engine, tenant, jobs, first, last, width):
        one, state = item(at), state_of(status)
        one.runs[state] = one.runs.get(state, 0) + count
        if took is not None:
            one.duration_ms = min((one.duration_ms or 0) + int(took) // 1000, LARGEST)
    for at, rows, size in amounts_by_time(engine, tenant, jobs, first, last, width):
        one = item(at)
        one.rows, one.bytes = (None if value is None else min(int(value), LARGEST) for value in (rows, size))
    if jobs is None:
        for at, count in events_by_time(engine, tenant, first, last, width).items():
            item(at).events = count
        for at, count in refused_by_time(engine, tenant, first, last, width).items():
            item(at).refused = count
    return items
