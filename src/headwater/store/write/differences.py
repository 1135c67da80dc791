"""Differences between a table and the table staged for it: equal rows are neither locked nor written."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from headwater.store.tables import stored_columns

__all__ = ["has_differences", "only_staged", "remove_others"]


def remove_others(connection: sa.Connection, live: sa.Table, staged: sa.Table, tenant: int) -> int:
    """Remove a tenant's rows that have no equal among the staged ones; gives their number."""
    removed = connection.execute(sa.delete(live).where(live.c.tenant == tenant, ~_alike(live, staged).correlate(live)))
    return max(removed.rowcount, 0)


def only_staged(live: sa.Table, staged: sa.Table, tenant: int) -> sa.Select[tuple[object, ...]]:
    """A tenant's staged rows that have no equal in the live table."""
    columns = (staged.c[name] for name in _names(live))
    return sa.select(*columns).where(staged.c.tenant == tenant, ~_alike(live, staged).correlate(staged))


def has_differences(connection: sa.Connection, live: sa.Table, staged: sa.Table, tenant: int) -> bool:
    gone = sa.select(sa.literal(1)).where(live.c.tenant == tenant, ~_alike(live, staged).correlate(live))
    queries = (gone.select_from(live), only_staged(live, staged, tenant))
    return any(connection.execute(query.limit(1)).first() is not None for query in queries)


def _alike(live: sa.Table, staged: sa.Table) -> sa.Exists:
    """Whether the other table has the same row. Keys have no nulls, so that an index finds it."""
    keys = {column.name for column in live.primary_key}
    return sa.exists().where(
        *(
            live.c[name] == staged.c[name] if name in keys else live.c[name].is_not_distinct_from(staged.c[name])
            for name in _names(live)
        )
    )


def _names(live: sa.Table) -> Sequence[str]:
    return [column.name for column in stored_columns(live)]
