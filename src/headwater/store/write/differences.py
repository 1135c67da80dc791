"""Differences between a table and the table staged for it: equal rows are neither locked nor written."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from headwater.store.tables import stored_columns

__all__ = ["has_differences", "only_staged", "others", "remove_others"]


def remove_others(connection: sa.Connection, live: sa.Table, staged: sa.Table, tenant: int) -> int:
    """Remove a tenant's rows that have no equal among the staged ones; gives their number."""
    removed = connection.execute(sa.delete(live).where(live.c.tenant == tenant, ~_alike(live, staged).correlate(live)))
    return max(removed.rowcount, 0)


def only_staged(
    live: sa.Table, staged: sa.Table, tenant: int, columns: Sequence[str] | None = None
) -> sa.Select[tuple[object, ...]]:
    """A tenant's staged rows that have no equal in the live table: all columns, or these."""
    chosen = (staged.c[name] for name in columns or _names(live))
    return sa.select(*chosen).where(staged.c.tenant == tenant, ~_alike(live, staged).correlate(staged))


def others(
    live: sa.Table, staged: sa.Table, tenant: int, columns: Sequence[str] | None = None
) -> sa.Select[tuple[object, ...]]:
    """A tenant's live rows that have no equal among the staged ones: all columns, or these."""
    return only_staged(live=staged, staged=live, tenant=tenant, columns=columns)


def has_differences(connection: sa.Connection, live: sa.Table, staged: sa.Table, tenant: int) -> bool:
    queries = (others(live, staged, tenant), only_staged(live, staged, tenant))
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
