"""Lists of runs and operations, and which of them read or wrote a dataset. The tenant is the first argument."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from headwater.graph.facts import Activity, Node, Run, RunShape, RunStatus, Shape, ShapeDataset
from headwater.store.read.lists.catalog import window
from headwater.store.read.lists.keyset import After, KeysetPage, contains, fetch_merged, fetch_page
from headwater.store.read.lists.orders import run_value
from headwater.store.tables import fact_tables

__all__ = ["RunCatalog", "RunFilter", "run_conditions", "run_window"]

_node, _run, _shape = fact_tables[Node], fact_tables[Run], fact_tables[Shape]
_part, _link = fact_tables[ShapeDataset], fact_tables[RunShape]

_FIRST: sa.ColumnElement[Any] = sa.func.coalesce(_run.c.first_seen, _run.c.created_at)


class RunFilter(Struct, frozen=True, kw_only=True):
    """Filter of runs or operations; None does not filter."""

    activity: Activity | None = None
    """Runs or operations only; one that is both counts as either."""
    jobs: frozenset[bytes] | None = None
    namespaces: frozenset[bytes] | None = None
    parents: frozenset[bytes] | None = None
    statuses: tuple[RunStatus, ...] = ()
    user: str | None = None
    name: str | None = None
    datasets: frozenset[bytes] | None = None
    """Used by the run itself, or by anything inside it."""
    roles: tuple[int, ...] = ()
    sql: bytes | None = None
    seen_from: int | None = None
    """By when it was first seen; a run that only others mention, by the time in its id."""
    seen_before: int | None = None


class RunCatalog:
    """Runs and operations of one tenant at a time."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def runs(self, tenant: int, wanted: RunFilter, *, descending: bool, after: After | None, limit: int) -> KeysetPage:
        """The id, and when it was first seen; of a run that only others mention, the time in its id."""
        if wanted.datasets is not None:  # a few runs, found by their datasets: no index helps to sort them
            return self._by(tenant, wanted, _FIRST, descending=descending, after=after, limit=limit)
        conditions = run_conditions(tenant, wanted)
        low, high = wanted.seen_from, wanted.seen_before
        parts: list[tuple[sa.Select[Any], sa.ColumnElement[Any]]] = []
        for sort, kept in ((_run.c.first_seen, ()), (_run.c.created_at, (_run.c.first_seen.is_(None),))):
            query = sa.select(_run.c.run, sort).where(*conditions, *kept, sort.is_not(None), *window(sort, low, high))
            parts.append((query, sort))
        rest = None
        if low is None and high is None:
            timeless = (_run.c.first_seen.is_(None), _run.c.created_at.is_(None))
            rest = sa.select(_run.c.run, _run.c.created_at).where(*conditions, *timeless)
        with self._engine.connect() as connection:
            return fetch_merged(connection, parts, rest, _run.c.run, descending=descending, after=after, limit=limit)

    def runs_by(
        self, tenant: int, wanted: RunFilter, by: str, *, descending: bool, after: After | None, limit: int
    ) -> KeysetPage:
        """The id, and the value that they are sorted by: status, duration, started_at, ended_at or last_seen."""
        return self._by(tenant, wanted, run_value(by), descending=descending, after=after, limit=limit)

    def _by(
        self,
        tenant: int,
        wanted: RunFilter,
        sort: sa.ColumnElement[Any],
        *,
        descending: bool,
        after: After | None,
        limit: int,
    ) -> KeysetPage:
        query = sa.select(_run.c.run, sort).where(*run_conditions(tenant, wanted), *run_window(wanted))
        with self._engine.connect() as connection:
            return fetch_page(connection, query, sort, _run.c.run, descending=descending, after=after, limit=limit)

    def roles(
        self, tenant: int, datasets: Collection[bytes], runs: Collection[bytes], roles: Collection[int] = ()
    ) -> dict[bytes, set[int]]:
        """How each of these runs, or something inside it, used any of these datasets."""
        with_dataset = _with_dataset(tenant, datasets, roles)
        query = sa.select(with_dataset.c.run, with_dataset.c.role).where(with_dataset.c.run.in_(runs))
        found: dict[bytes, set[int]] = defaultdict(set)
        with self._engine.connect() as connection:
            for run, role in connection.execute(query):
                found[run].add(role)
        return found


def run_window(wanted: RunFilter) -> list[sa.ColumnElement[bool]]:
    """When a run was first seen; of one that only others mention, the time in its id."""
    return window(_FIRST, wanted.seen_from, wanted.seen_before)


def run_conditions(tenant: int, wanted: RunFilter) -> list[sa.ColumnElement[bool]]:
    found: list[sa.ColumnElement[bool]] = [_run.c.tenant == tenant]
    if wanted.activity is not None:
        has_flag = _run.c.activity.bitwise_and(int(wanted.activity)) != 0
        # A run that was only ever mentioned is a run: whose parent, or root, it is, says so.
        found.append(sa.or_(has_flag, _run.c.activity.is_(None)) if wanted.activity is Activity.RUN else has_flag)
    for column, values in ((_run.c.job, wanted.jobs), (_run.c.parent_run, wanted.parents)):
        if values is not None:
            found.append(column.in_(values))
    if wanted.namespaces is not None:
        placed = sa.select(_node.c.node).where(_node.c.tenant == tenant, _node.c.namespace.in_(wanted.namespaces))
        found.append(_run.c.job.in_(placed))
    if wanted.statuses:
        known = _run.c.status.in_([int(status) for status in wanted.statuses])
        unknown = RunStatus.UNKNOWN in wanted.statuses
        found.append(sa.or_(known, _run.c.status.is_(None)) if unknown else known)
    if wanted.user is not None:
        found.append(_run.c.user == wanted.user)
    if wanted.name is not None:
        columns: tuple[sa.ColumnElement[Any], ...] = (_run.c.name, _run.c.external_id, _run.c.sent_id)
        found.append(sa.or_(*(contains(column, wanted.name) for column in columns)))
    if wanted.datasets is not None:
        found.append(_run.c.run.in_(sa.select(_with_dataset(tenant, wanted.datasets, wanted.roles).c.run)))
    if wanted.sql is not None:
        stated = sa.select(_shape.c.shape).where(_shape.c.tenant == tenant, _shape.c.sql == wanted.sql)
        found.append(_run.c.run.in_(sa.select(_link.c.run).where(_link.c.tenant == tenant, _link.c.shape.in_(stated))))
    return found


def _with_dataset(tenant: int, datasets: Collection[bytes], roles: Collection[int]) -> sa.CTE:
    """Runs and operations that used these datasets, and all that they are parts of, each with the role."""
    linked = _part.join(_link, sa.and_(_link.c.tenant == tenant, _link.c.shape == _part.c.shape))
    direct = sa.select(_link.c.run, _part.c.role).select_from(linked)
    direct = direct.where(_part.c.tenant == tenant, _part.c.dataset.in_(datasets))
    if roles:
        direct = direct.where(_part.c.role.in_(roles))
    found = direct.cte("touching", recursive=True)
    joined = found.join(_run, sa.and_(_run.c.tenant == tenant, _run.c.run == found.c.run))
    above = sa.select(_run.c.parent_run, found.c.role).select_from(joined).where(_run.c.parent_run.is_not(None))
    return found.union(above)  # without repetitions, so that a ring of parents ends
