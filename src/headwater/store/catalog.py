"""Lists of datasets, jobs, runs, statements and users. The tenant is the first argument of everything."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from headwater.graph.facts import (
    Activity,
    Namespace,
    Node,
    NodeKind,
    Run,
    RunShape,
    RunStatus,
    Shape,
    ShapeDataset,
    SqlText,
)
from headwater.graph.search import SearchPosting, tag_token
from headwater.store.keyset import After, Page, contains, fetch_page, key_contains
from headwater.store.tables import NAME_KEY, NAME_KEY_SIZE, fact_tables

__all__ = ["Catalog", "NodeFilter", "RunFilter", "SqlFilter", "User"]

_node, _run, _shape = fact_tables[Node], fact_tables[Run], fact_tables[Shape]
_part, _link, _sql = fact_tables[ShapeDataset], fact_tables[RunShape], fact_tables[SqlText]
_posting, _namespace = fact_tables[SearchPosting], fact_tables[Namespace]


class NodeFilter(Struct, frozen=True, kw_only=True):
    """Which datasets or jobs are meant; what is None narrows nothing."""

    namespaces: frozenset[bytes] | None = None
    location_type: str | None = None
    name: str | None = None
    tags: tuple[str, ...] = ()
    seen: int | None = None
    first_seen_from: int | None = None
    first_seen_before: int | None = None
    job_type: str | None = None
    parents: frozenset[bytes] | None = None
    """Jobs: whose children."""
    others: frozenset[bytes] | None = None
    """Datasets: that these jobs use. Jobs: that use these datasets."""
    roles: tuple[int, ...] = ()
    """How they use them; any way if there are none."""


class RunFilter(Struct, frozen=True, kw_only=True):
    """Which runs or operations are meant."""

    activity: Activity
    jobs: frozenset[bytes] | None = None
    namespaces: frozenset[bytes] | None = None
    parents: frozenset[bytes] | None = None
    statuses: tuple[RunStatus, ...] = ()
    user: str | None = None
    name: str | None = None
    datasets: frozenset[bytes] | None = None
    roles: tuple[int, ...] = ()
    sql: bytes | None = None
    first_seen_from: int | None = None
    first_seen_before: int | None = None


class SqlFilter(Struct, frozen=True, kw_only=True):
    text: str | None = None
    dialect: str | None = None
    jobs: frozenset[bytes] | None = None


class User(Struct, frozen=True):
    name: str
    runs: int
    first_seen: int | None
    last_seen: int | None


class Catalog:
    """What there is, in pages."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def nodes(
        self,
        tenant: int,
        kind: NodeKind,
        wanted: NodeFilter,
        *,
        by_name: bool,
        descending: bool,
        after: After | None,
        limit: int,
    ) -> Page:
        """Datasets or jobs: the id, and the value that they are sorted by."""
        sort = _node.c[NAME_KEY] if by_name else _node.c.first_seen
        # For text somewhere in a name every name is read. By the key that is quick; an index by kind gets in the way.
        of_kind = _node.c.kind == int(kind) if wanted.name is None else _node.c.kind + 0 == int(kind)
        conditions = [_node.c.tenant == tenant, of_kind, *_node_conditions(tenant, kind, wanted)]
        query = sa.select(_node.c.node, sort).where(*conditions)
        with self._engine.connect() as connection:
            return fetch_page(connection, query, sort, _node.c.node, descending=descending, after=after, limit=limit)

    def runs(self, tenant: int, wanted: RunFilter, *, descending: bool, after: After | None, limit: int) -> Page:
        """Runs or operations: the id, and when they were first seen."""
        query = sa.select(_run.c.run, _run.c.first_seen).where(*_run_conditions(tenant, wanted))
        with self._engine.connect() as connection:
            return fetch_page(
                connection, query, _run.c.first_seen, _run.c.run, descending=descending, after=after, limit=limit
            )

    def statements(self, tenant: int, wanted: SqlFilter, *, descending: bool, after: After | None, limit: int) -> Page:
        """Statements, by their ids."""
        conditions = [_sql.c.tenant == tenant]
        if wanted.text is not None:
            conditions.append(contains(_sql.c.text, wanted.text))
        if wanted.dialect is not None:
            conditions.append(_sql.c.dialect == wanted.dialect)
        if wanted.jobs is not None:
            stated = sa.select(_shape.c.sql).where(_shape.c.tenant == tenant, _shape.c.job.in_(wanted.jobs))
            conditions.append(_sql.c.sql.in_(stated.where(_shape.c.sql.is_not(None))))
        query = sa.select(_sql.c.sql).where(*conditions)
        with self._engine.connect() as connection:
            return fetch_page(connection, query, None, _sql.c.sql, descending=descending, after=after, limit=limit)

    def users(self, tenant: int, names: Iterable[str] | None = None) -> list[User]:
        """Everybody who started a run, or those of these names, by name."""
        conditions = [_run.c.tenant == tenant, _run.c.user.is_not(None)]
        if names is not None:
            conditions.append(_run.c.user.in_(list(names)))
        figures = (sa.func.count(), sa.func.min(_run.c.first_seen), sa.func.max(_run.c.last_seen))
        query = sa.select(_run.c.user, *figures).where(*conditions).group_by(_run.c.user).order_by(_run.c.user)
        with self._engine.connect() as connection:
            return [User(*row) for row in connection.execute(query)]

    def tags(self, tenant: int) -> list[tuple[str, int, int]]:
        """Every tag that an event ever gave, with the kind of document and how many of them have it."""
        low, high = tag_token(""), chr(ord(tag_token("")) + 1)
        conditions = (_posting.c.tenant == tenant, _posting.c.token >= low, _posting.c.token < high)
        columns = (_posting.c.token, _posting.c.kind)
        query = sa.select(*columns, sa.func.count()).where(*conditions).group_by(*columns).order_by(*columns)
        with self._engine.connect() as connection:
            return [(row[0][len(low) :], row[1], row[2]) for row in connection.execute(query)]

    def nodes_by_namespace(self, tenant: int, namespaces: Iterable[bytes]) -> dict[tuple[bytes, int], int]:
        """How many datasets and jobs these namespaces have, by namespace and kind."""
        condition = (_node.c.tenant == tenant, _node.c.namespace.in_(list(namespaces)))
        columns = (_node.c.namespace, _node.c.kind)
        query = sa.select(*columns, sa.func.count()).where(*condition).group_by(*columns)
        with self._engine.connect() as connection:
            return {(row[0], row[1]): row[2] for row in connection.execute(query)}


def _node_conditions(tenant: int, kind: NodeKind, wanted: NodeFilter) -> list[sa.ColumnElement[bool]]:
    found: list[sa.ColumnElement[bool]] = []
    if wanted.namespaces is not None:
        found.append(_node.c.namespace.in_(wanted.namespaces))
    if wanted.location_type is not None:
        typed = sa.select(_namespace.c.namespace).where(
            _namespace.c.tenant == tenant, _namespace.c.type == wanted.location_type
        )
        found.append(_node.c.namespace.in_(typed))
    if wanted.name is not None:
        found.append(key_contains(_node.c[NAME_KEY], NAME_KEY_SIZE, _node.c.name, wanted.name))
    for tag in wanted.tags:
        tagged = sa.select(_posting.c.document).where(_posting.c.tenant == tenant, _posting.c.token == tag_token(tag))
        found.append(_node.c.node.in_(tagged))
    if wanted.seen is not None:
        found.append(_node.c.seen.bitwise_and(wanted.seen) != 0)
    found += _window(_node.c.first_seen, wanted.first_seen_from, wanted.first_seen_before)
    if wanted.job_type is not None:
        typed = sa.select(_shape.c.job).where(_shape.c.tenant == tenant, _shape.c.job_type == wanted.job_type)
        described = _node.c.node.in_(typed.where(_shape.c.job.is_not(None)))
        # A session has no shape of its own; its runs say what it is.
        own = (_run.c.tenant == tenant, _run.c.job == _node.c.node, _run.c.job_type == wanted.job_type)
        stated = (_shape.c.tenant == tenant, _shape.c.job == _node.c.node)
        found.append(sa.or_(described, sa.and_(sa.exists().where(*own), ~sa.exists().where(*stated))))
    if wanted.parents is not None:
        children = sa.select(_shape.c.job).where(_shape.c.tenant == tenant, _shape.c.parent_job.in_(wanted.parents))
        found.append(_node.c.node.in_(children.where(_shape.c.job.is_not(None))))
    if wanted.others is not None:
        ours, theirs = (_part.c.dataset, _shape.c.job) if kind is NodeKind.DATASET else (_shape.c.job, _part.c.dataset)
        joined = _part.join(_shape, sa.and_(_shape.c.tenant == tenant, _shape.c.shape == _part.c.shape))
        used = sa.select(ours).select_from(joined).where(_part.c.tenant == tenant, theirs.in_(wanted.others))
        if wanted.roles:
            used = used.where(_part.c.role.in_(wanted.roles))
        found.append(_node.c.node.in_(used.where(ours.is_not(None))))
    return found


def _run_conditions(tenant: int, wanted: RunFilter) -> list[sa.ColumnElement[bool]]:
    flag = int(wanted.activity)
    found: list[sa.ColumnElement[bool]] = [
        _run.c.tenant == tenant,
        # A run that was only ever mentioned is a run: whose parent, or root, it is, says so.
        sa.or_(_run.c.activity.bitwise_and(flag) != 0, _run.c.activity.is_(None))
        if wanted.activity is Activity.RUN
        else _run.c.activity.bitwise_and(flag) != 0,
        *_window(_run.c.first_seen, wanted.first_seen_from, wanted.first_seen_before),
    ]
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
        shapes = sa.select(_part.c.shape).where(_part.c.tenant == tenant, _part.c.dataset.in_(wanted.datasets))
        shapes = shapes.where(_part.c.role.in_(wanted.roles)) if wanted.roles else shapes
        found.append(_run.c.run.in_(_runs_of(tenant, shapes)))
    if wanted.sql is not None:
        stated = sa.select(_shape.c.shape).where(_shape.c.tenant == tenant, _shape.c.sql == wanted.sql)
        found.append(_run.c.run.in_(_runs_of(tenant, stated)))
    return found


def _runs_of(tenant: int, shapes: sa.Select[Any]) -> sa.Select[Any]:
    return sa.select(_link.c.run).where(_link.c.tenant == tenant, _link.c.shape.in_(shapes))


def _window(column: sa.ColumnElement[Any], low: int | None, high: int | None) -> list[sa.ColumnElement[bool]]:
    found: list[sa.ColumnElement[bool]] = []
    if low is not None:
        found.append(column >= low)
    if high is not None:
        found.append(column < high)
    return found
