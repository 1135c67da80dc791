"""Edges made or hidden by hand, in the order of their ids. The tenant is the first argument of everything."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import sqlalchemy as sa

from headwater.graph.facts import HandEdge
from headwater.store.tables import fact_tables

__all__ = ["HandEdgeList"]

_edge = fact_tables[HandEdge]


class HandEdgeList:
    """Current and hidden edges; removed ones are in the history of changes."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def page(self, tenant: int, about: Collection[bytes] | None, *, after: bytes | None, limit: int) -> list[bytes]:
        """Ids of edges with one of these ends."""
        conditions = [*_conditions(tenant, about), _alive()]
        if after is not None:
            conditions.append(_edge.c.edge > after)
        query = sa.select(_edge.c.edge).where(*conditions).order_by(_edge.c.edge).limit(limit)
        return [row[0] for row in self._rows(query)]

    def count(self, tenant: int, about: Collection[bytes] | None) -> int:
        query = sa.select(sa.func.count()).select_from(_edge).where(*_conditions(tenant, about), _alive())
        return int(self._rows(query)[0][0])

    def newest(self, tenant: int, about: Collection[bytes] | None) -> tuple[bytes, int]:
        """The stamps of the last change of any of these, removals included, and how many edges ever were."""
        conditions = _conditions(tenant, about)
        found = b""
        for column in (_edge.c.stated_stamp, _edge.c.hidden_stamp):  # PostgreSQL has no greatest of bytes
            rows = self._rows(
                sa.select(column).where(*conditions, column.is_not(None)).order_by(column.desc()).limit(1)
            )
            found += bytes(rows[0][0]) + b"|" if rows else b"|"
        count = self._rows(sa.select(sa.func.count()).select_from(_edge).where(*conditions))[0][0]
        return found, int(count)

    def _rows(self, query: sa.Select[*tuple[Any, ...]]) -> list[Any]:
        with self._engine.connect() as connection:
            return list(connection.execute(query))


def _alive() -> sa.ColumnElement[bool]:
    return sa.or_(sa.func.coalesce(_edge.c.stated, "") != "", sa.func.coalesce(_edge.c.hidden, "") != "")


def _conditions(tenant: int, about: Collection[bytes] | None) -> list[sa.ColumnElement[bool]]:
    found: list[sa.ColumnElement[bool]] = [_edge.c.tenant == tenant]
    if about is not None:
        ids = sorted(about)
        found.append(sa.or_(_edge.c.source.in_(ids), _edge.c.target.in_(ids)))
    return found
