"""The event log in ranges of ids, so that many tasks can read it at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from msgspec import Struct

from headwater.store.compression import decompress
from headwater.store.tables import events

__all__ = ["LogRange", "Logged", "plan_ranges", "read_range"]

_PAGE = 1000
_RANGES_PER_TASK = 8
_LEAST, _MOST = 5_000, 20_000


class LogRange(Struct, frozen=True, gc=False):
    """Events with ids from `start` to before `end`, of some tenants, in a window of time."""

    start: int
    end: int
    tenants: tuple[int, ...]
    since: int | None = None
    until: int | None = None


class Logged(NamedTuple):
    id: int
    tenant: int
    body: bytes


def plan_ranges(
    engine: sa.Engine,
    tenants: Sequence[int],
    *,
    size: int | None = None,
    tasks: int = 1,
    since: int | None = None,
    until: int | None = None,
) -> list[LogRange]:
    """Ranges of ids that cover the log as it is now: of that size, or one that gives each task at once several."""
    query = sa.select(sa.func.min(events.c.id), sa.func.max(events.c.id))
    with engine.connect() as connection:
        first, last = connection.execute(query).one()
    if first is None:
        return []
    chosen = tuple(tenants)
    if size is None:
        size = min(max((last + 1 - first) // (tasks * _RANGES_PER_TASK), _LEAST), _MOST)
    return [
        LogRange(start, min(start + size, last + 1), chosen, since, until) for start in range(first, last + 1, size)
    ]


def read_range(engine: sa.Engine, part: LogRange) -> Iterator[Logged]:
    """The events of a range, in the order of their ids, in pages."""
    start = part.start
    while True:
        query = (
            sa.select(events.c.id, events.c.tenant_id, events.c.event)
            .where(events.c.id >= start, events.c.id < part.end, *_conditions(part))
            .order_by(events.c.id)
            .limit(_PAGE)
        )
        with engine.connect() as connection:
            page = connection.execute(query).all()
        for identity, tenant, body in page:
            yield Logged(identity, tenant, decompress(body))
        if len(page) < _PAGE:
            return
        start = page[-1][0] + 1


def _conditions(part: LogRange) -> list[sa.ColumnElement[bool]]:
    # `+ 0` keeps the planner on the ids: the range is what makes this cheap, not the tenant.
    conditions: list[sa.ColumnElement[bool]] = [(events.c.tenant_id + 0).in_(part.tenants)]
    if part.since is not None:
        conditions.append((events.c.event_time + 0) >= part.since)
    if part.until is not None:
        conditions.append((events.c.event_time + 0) < part.until)
    return conditions
