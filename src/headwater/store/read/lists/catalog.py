"""Lists of datasets, jobs, statements and users. The tenant is the first argument of everything."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from headwater.graph.facts import (
    Namespace,
    Node,
    NodeKind,
    Run,
    Shape,
    ShapeDataset,
    SqlText,
)
from headwater.graph.search.documents import SearchPosting
from headwater.store.read.lists.keyset import After, KeysetPage, among, contains, fetch_page, key_contains
from headwater.store.read.lists.orders import node_values
from headwater.store.read.runs.statement_use import Days, use_of_statements
from headwater.store.tables import NAME_KEY, NAME_KEY_SIZE, fact_tables

__all__ = ["Catalog", "Chosen", "NodeFilter", "SqlFilter", "User", "node_conditions", "window"]

_node, _run, _shape = fact_tables[Node], fact_tables[Run], fact_tables[Shape]
_part, _sql = fact_tables[ShapeDataset], fact_tables[SqlText]
_posting, _namespace = fact_tables[SearchPosting], fact_tables[Namespace]


class Chosen(Struct, frozen=True):
    """Nodes with a search token, minus some and plus some: the search index may be behind."""

    token: str
    without: frozenset[bytes]
    more: frozenset[bytes]


class NodeFilter(Struct, frozen=True, kw_only=True):
    """Filter of datasets or jobs; None does not filter."""

    namespaces: frozenset[bytes] | None = None
    location_type: str | None = None
    name: str | None = None
    chosen: tuple[Chosen, ...] = ()
    """By tags and owners, all of which must fit."""
    without: frozenset[bytes] = frozenset()
    """Hidden nodes to leave out."""
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


class SqlFilter(Struct, frozen=True, kw_only=True):
    text: str | None = None
    dialect: str | None = None
    jobs: frozenset[bytes] | None = None
    days: Days | None = None
    """Only statements with a run that began on one of these days, by the pipeline's sums."""


class User(Struct, frozen=True):
    name: str
    runs: int
    first_seen: int | None
    last_seen: int | None


class Catalog:
    """Lists of things, in pages."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def nodes(
        self,
        tenant: int,
        kind: NodeKind,
        wanted: NodeFilter,
        *,
        by: str,
        descending: bool,
        after: After | None,
        limit: int,
    ) -> KeysetPage:
        """Datasets or jobs: the id, and the value that they are sorted by."""
        sort: sa.ColumnElement[Any] = _node.c[NAME_KEY] if by == "name" else _node.c.first_seen
        source: sa.FromClause = _node
        if by not in ("name", "first_seen"):
            values = node_values(tenant, kind, by).subquery()
            sort, source = values.c.value, _node.outerjoin(values, values.c.node == _node.c.node)
        # For text somewhere in a name every name is read. By the key that is quick; an index by kind gets in the way.
        of_kind = _node.c.kind == int(kind) if wanted.name is None else _node.c.kind + 0 == int(kind)
        conditions = [
            _node.c.tenant == tenant,
            of_kind,
            *node_conditions(tenant, kind, wanted, self._engine.dialect.name),
        ]
        query = sa.select(_node.c.node, sort).select_from(source).where(*conditions)
        with self._engine.connect() as connection:
            return fetch_page(connection, query, sort, _node.c.node, descending=descending, after=after, limit=limit)

    def statements(
        self,
        tenant: int,
        wanted: SqlFilter,
        *,
        descending: bool,
        after: After | None,
        limit: int,
        by: str | None = None,
    ) -> KeysetPage:
        """Statements, by their ids or by one of the columns of `use_of_statements`."""
        conditions = [_sql.c.tenant == tenant]
        if wanted.text is not None:
            conditions.append(contains(_sql.c.text, wanted.text))
        if wanted.dialect is not None:
            conditions.append(_sql.c.dialect == wanted.dialect)
        if wanted.jobs is not None:
            stated = sa.select(_shape.c.sql).where(_shape.c.tenant == tenant, _shape.c.job.in_(wanted.jobs))
            conditions.append(_sql.c.sql.in_(stated.where(_shape.c.sql.is_not(None))))
        sort, chosen = None, sa.select(_sql.c.sql)
        if by is not None or wanted.days is not None:
            use = use_of_statements(tenant, wanted.days).subquery()
            chosen = chosen.join_from(_sql, use, use.c.sql == _sql.c.sql, isouter=wanted.days is None)
            if by is not None:
                sort = use.c[by]
                chosen = chosen.add_columns(sort)
        query = chosen.where(*conditions)
        with self._engine.connect() as connection:
            return fetch_page(connection, query, sort, _sql.c.sql, descending=descending, after=after, limit=limit)

    def users(self, tenant: int, names: Iterable[str] | None = None) -> list[User]:
        """Users who started a run, all or those with these names, by name."""
        conditions = [_run.c.tenant == tenant, _run.c.user.is_not(None)]
        if names is not None:
            conditions.append(_run.c.user.in_(list(names)))
        totals = (sa.func.count(), sa.func.min(_run.c.first_seen), sa.func.max(_run.c.last_seen))
        query = sa.select(_run.c.user, *totals).where(*conditions).group_by(_run.c.user).order_by(_run.c.user)
        with self._engine.connect() as connection:
            return [User(*row) for row in connection.execute(query)]

    def nodes_by_namespace(self, tenant: int, namespaces: Iterable[bytes]) -> dict[tuple[bytes, int], int]:
        """How many datasets and jobs these namespaces have, by namespace and kind."""
        condition = (_node.c.tenant == tenant, _node.c.namespace.in_(list(namespaces)))
        columns = (_node.c.namespace, _node.c.kind)
        query = sa.select(*columns, sa.func.count()).where(*condition).group_by(*columns)
        with self._engine.connect() as connection:
            return {(row[0], row[1]): row[2] for row in connection.execute(query)}


def node_conditions(tenant: int, kind: NodeKind, wanted: NodeFilter, dialect: str) -> list[sa.ColumnElement[bool]]:
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
    for some in wanted.chosen:
        posted = sa.select(_posting.c.document).where(_posting.c.tenant == tenant, _posting.c.token == some.token)
        known: sa.ColumnElement[bool] = _node.c.node.in_(posted)
        if some.without:
            known = sa.and_(known, ~among(dialect, _node.c.node, some.without))
        found.append(sa.or_(known, among(dialect, _node.c.node, some.more)) if some.more else known)
    if wanted.without:
        found.append(~among(dialect, _node.c.node, wanted.without))
    if wanted.seen is not None:
        found.append(_node.c.seen.bitwise_and(wanted.seen) != 0)
    found += window(_node.c.first_seen, wanted.first_seen_from, wanted.first_seen_before)
    if wanted.job_type is not None:
        typed = sa.select(_shape.c.job).where(_shape.c.tenant == tenant, _shape.c.job_type == wanted.job_type)
        described = _node.c.node.in_(typed.where(_shape.c.job.is_not(None)))
        # A session has no shape of its own; its runs say what it is.
        own = (_run.c.tenant == tenant, _run.c.job == _node.c.node, _run.c.job_type == wanted.job_type)
        stated = (_shape.c.tenant == tenant, _shape.c.job == _node.c.node)
        matching = [described, sa.and_(sa.exists().where(*own), ~sa.exists().where(*stated))]
        if wanted.job_type == "UNKNOWN":  # nobody says it
            of_run = (_run.c.tenant == tenant, _run.c.job == _node.c.node, _run.c.job_type.is_not(None))
            of_shape = (*stated, _shape.c.job_type.is_not(None))
            matching.append(sa.and_(~sa.exists().where(*of_run), ~sa.exists().where(*of_shape)))
        found.append(sa.or_(*matching))
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


def window(column: sa.ColumnElement[Any], low: int | None, high: int | None) -> list[sa.ColumnElement[bool]]:
    found: list[sa.ColumnElement[bool]] = []
    if low is not None:
        found.append(column >= low)
    if high is not None:
        found.append(column < high)
    return found
