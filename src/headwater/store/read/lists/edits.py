"""Changes by hand, the newest first. The tenant is the first argument of everything."""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa

from headwater.graph.facts import Edit
from headwater.store.tables import fact_tables

__all__ = ["EditLog"]

_edit = fact_tables[Edit]
_STAMP_SIZE = 24


class EditLog:
    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def edits(
        self,
        tenant: int,
        about: Collection[bytes] | None,
        column: str | None,
        *,
        after: bytes | None,
        limit: int,
    ) -> list[Edit]:
        """Of these things, perhaps of one column only, or of all; `after` is stamp and id of the last one before."""
        conditions = _conditions(tenant, about, column)
        if after is not None:
            stamp, edit = after[:_STAMP_SIZE], after[_STAMP_SIZE:]
            conditions.append(_edit.c.stamp <= stamp)
            conditions.append(sa.or_(_edit.c.stamp < stamp, _edit.c.edit < edit))
        query = sa.select(_edit).where(*conditions).order_by(_edit.c.stamp.desc(), _edit.c.edit.desc()).limit(limit)
        with self._engine.connect() as connection:
            return [Edit(*row) for row in connection.execute(query)]

    def count(self, tenant: int, about: Collection[bytes] | None, column: str | None) -> int:
        """How many there are in all."""
        query = sa.select(sa.func.count()).select_from(_edit).where(*_conditions(tenant, about, column))
        with self._engine.connect() as connection:
            return int(connection.execute(query).scalar_one())


def _conditions(tenant: int, about: Collection[bytes] | None, column: str | None) -> list[sa.ColumnElement[bool]]:
    found: list[sa.ColumnElement[bool]] = [_edit.c.tenant == tenant]
    if about is not None:
        found.append(_edit.c.about.in_(sorted(about)))
    if column is not None:
        found.append(sa.or_(_edit.c.column == column, _edit.c.about_type == "EDGE"))
    return found
