"""Counts of a list's items by value: a filter shows how many items each value would leave."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import sqlalchemy as sa

from headwater.graph.facts import Namespace, Node, NodeKind, Run, Shape
from headwater.store.read.lists.catalog import NodeFilter, node_conditions
from headwater.store.read.lists.keyset import among
from headwater.store.read.lists.orders import newest_runs
from headwater.store.read.lists.runs import RunFilter, run_conditions, run_window
from headwater.store.tables import fact_tables

__all__ = ["ListCounts"]

_node, _run = fact_tables[Node], fact_tables[Run]
_shape, _namespace = fact_tables[Shape].alias("counted_shape"), fact_tables[Namespace].alias("counted_namespace")
"""Under other names than in the conditions, which ask these tables too: each looks at its own rows."""


class ListCounts:
    """Counts for one tenant at a time, the largest first."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def nodes(self, tenant: int, kind: NodeKind, wanted: NodeFilter, by: str, limit: int) -> list[tuple[Any, int]]:
        """By namespace, kind of place, type of job, or status of the newest run."""
        conditions = [
            _node.c.tenant == tenant,
            _node.c.kind == int(kind),
            *node_conditions(tenant, kind, wanted, self._engine.dialect.name),
        ]
        from_clause = _node.outerjoin(
            _namespace, sa.and_(_namespace.c.tenant == tenant, _namespace.c.namespace == _node.c.namespace)
        )
        count = sa.func.count(_node.c.node.distinct())
        if by in ("namespace", "location_type"):
            value: sa.ColumnElement[Any] = _namespace.c.text if by == "namespace" else _namespace.c.type
            query = sa.select(value, count).select_from(from_clause)
        elif by == "type":
            stated = _node.outerjoin(_shape, sa.and_(_shape.c.tenant == tenant, _shape.c.job == _node.c.node))
            value = _shape.c.job_type
            query = sa.select(value, count).select_from(stated)
        else:
            newest = newest_runs(tenant).subquery()
            runs = _node.outerjoin(newest, sa.and_(newest.c.job == _node.c.node, newest.c.place == 1))
            value = newest.c.status
            query = sa.select(value, count).select_from(runs)
        return self._rows(query.where(*conditions).group_by(value).order_by(count.desc(), value).limit(limit))

    def among(self, tenant: int, kind: NodeKind, wanted: NodeFilter, nodes: Collection[bytes]) -> set[bytes]:
        """Those of these nodes that are in the list."""
        dialect = self._engine.dialect.name
        conditions = node_conditions(tenant, kind, wanted, dialect)
        own = (_node.c.tenant == tenant, _node.c.kind == int(kind), among(dialect, _node.c.node, nodes))
        with self._engine.connect() as connection:
            return {row[0] for row in connection.execute(sa.select(_node.c.node).where(*own, *conditions))}

    def runs(self, tenant: int, wanted: RunFilter, by: str, limit: int) -> list[tuple[Any, int]]:
        """Runs by status, or by user."""
        value = sa.func.coalesce(_run.c.status, 0) if by == "status" else _run.c.user
        count = sa.func.count()
        query = sa.select(value, count).where(*run_conditions(tenant, wanted), *run_window(wanted))
        return self._rows(query.group_by(value).order_by(count.desc(), value).limit(limit))

    def _rows(self, query: sa.Select[Any]) -> list[tuple[Any, int]]:
        with self._engine.connect() as connection:
            return [(row[0], row[1]) for row in connection.execute(query)]
