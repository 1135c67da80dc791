"""Reads of the SQL store. The tenant is the first argument of every method."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import Any, TypeVar

import sqlalchemy as sa
from msgspec import Struct

from headwater.deadline import check, take
from headwater.graph.fact import Fact, columns_of
from headwater.graph.facts import Node, NodeKind
from headwater.graph.merge_rules import Rule
from headwater.store.cache.tenant_cache import TenantCache
from headwater.store.cache.tenant_graph import GraphCache
from headwater.store.compression import decompress
from headwater.store.read.lookup import Lookup
from headwater.store.read.names import Name, names_of
from headwater.store.read.shapes.contents import ShapeCache
from headwater.store.tables import STAMP_SUFFIX, derived_tables, events, fact_tables, tenants
from headwater.store.write.log import Tenant

__all__ = ["LoggedEvent", "Name", "Reader", "fitting"]

_F = TypeVar("_F", bound=Fact)


class LoggedEvent(Struct, frozen=True):
    id: int
    time: int
    body: bytes
    warnings: str | None
    received_at: int


class Reader:
    """Reads facts, names and events of one tenant at a time."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = self.engine = engine
        self.shapes = ShapeCache()
        self.graph_cache = GraphCache(self.shapes)
        self.views: TenantCache[Any, Any] = TenantCache(400_000)
        """Decoded shapes, cached; as permanent as the shapes."""
        self.called: TenantCache[bytes, Name] = TenantCache(200_000)
        """Names of nodes, cached, which never change;

        their first and last times may be older than those in the store.
        """

    def tenant(self, code: str) -> Tenant | None:
        with self._engine.connect() as connection:
            row = connection.execute(sa.select(tenants).where(tenants.c.code == code)).first()
        if row is None:
            return None
        return Tenant(row.id, row.code, row.name, row.state, facet_policy=row.facet_policy)

    def facts(self, tenant: int, kind: type[_F], /, **where: Any) -> list[_F]:
        """Facts of one table, by the values of some of its columns: a value, or a collection of them."""
        many = [name for name, value in where.items() if isinstance(value, (set, list, tuple, frozenset))]
        fixed = [name for name in where if name not in many]
        sql, values = _selection(kind, tuple(many), tuple(fixed)), [where[name] for name in fixed]
        lookup, read = Lookup(self._engine), _row_reader(kind)
        if not many:
            return [read(row) for row in lookup.all(sql, tenant, *values)]
        return [read(row) for row in lookup.rows(sql, tenant, set(where[many[0]]), *values)]

    def all_facts(self, tenant: int, kind: type[_F]) -> Iterator[_F]:
        """Every fact of one table in the order of its key, without holding them all."""
        with self._engine.connect() as connection:
            yield from _stream(connection, tenant, kind)

    @contextmanager
    def snapshot(self, tenant: int) -> Iterator[Callable[[Any], Iterator[Any]]]:
        """All facts and derived rows as they are at one moment, however long that takes; one table after the other."""
        is_server = self._engine.dialect.name != "sqlite"  # where a transaction sees one moment anyway
        options: dict[str, Any] = {"isolation_level": "REPEATABLE READ"} if is_server else {}
        with self._engine.connect().execution_options(**options) as connection, connection.begin():
            try:
                yield partial(_stream, connection, tenant)
            except BaseException:
                if is_server:  # what was not read yet would have to be read before it can be used again
                    connection.invalidate()
                raise

    def names(self, tenant: int, ids: Iterable[bytes]) -> dict[bytes, Name]:
        """The names of these nodes."""
        return names_of(tenant, Lookup(self._engine), set(ids))

    def search_names(self, tenant: int, text: str, limit: int = 20, *, kind: NodeKind | None = None) -> list[Name]:
        """Nodes, perhaps of one kind only, whose name contains this text, whatever its case; short names first."""
        node = fact_tables[Node]
        pattern = "%" + text.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%"
        # Which letters have a lower case differs from database to database, so text as it was typed counts too.
        typed, lower = (
            node.c.name.like(pattern, escape="!"),
            sa.func.lower(node.c.name).like(pattern.lower(), escape="!"),
        )
        length = sa.func.length if self._engine.dialect.name == "sqlite" else sa.func.char_length
        query = (
            sa.select(node.c.node)
            .where(
                node.c.tenant == tenant, sa.or_(typed, lower), sa.true() if kind is None else node.c.kind == int(kind)
            )
            .order_by(length(node.c.name), node.c.name)
            .limit(limit)
        )
        with self._engine.connect() as connection:
            ids = [row[0] for row in connection.execute(query)]
        names = self.names(tenant, ids)
        return [names[node_id] for node_id in ids if node_id in names]

    def events(
        self,
        tenant: int,
        *,
        after: int,
        before: int,
        limit: int,
        offset: int,
        descending: bool = True,
        kind: str | None = None,
        run: bytes | None = None,
    ) -> list[LoggedEvent]:
        """Events by their time, `after` included and `before` not, perhaps of one run; fewer if too large together."""
        order = (events.c.event_time.desc(), events.c.id.desc()) if descending else (events.c.event_time, events.c.id)
        query = (
            _event_columns.where(*_window(tenant, after, before, kind, run))
            .order_by(*order)
            .limit(limit)
            .offset(offset)
        )
        with self._engine.connect() as connection:
            return fitting(_event(row) for row in connection.execute(query))

    def count_events(
        self, tenant: int, *, after: int, before: int, kind: str | None = None, run: bytes | None = None
    ) -> int:
        query = sa.select(sa.func.count()).select_from(events).where(*_window(tenant, after, before, kind, run))
        with self._engine.connect() as connection:
            return int(connection.execute(query).scalar_one())

    def has_events(self, tenant: int) -> bool:
        """Whether anything was ever logged for a tenant."""
        query = sa.select(events.c.id).where(events.c.tenant_id == tenant).limit(1)
        with self._engine.connect() as connection:
            return connection.execute(query).first() is not None

    def event_by_stamp(self, tenant: int, time: int, fingerprint: bytes) -> LoggedEvent | None:
        """The event that a stamp points to."""
        condition = (events.c.tenant_id == tenant, events.c.event_time == time, events.c.fingerprint == fingerprint)
        with self._engine.connect() as connection:
            row = connection.execute(_event_columns.where(*condition)).first()
        return _event(row) if row else None

    def log(self, tenant: int, start: int = 0) -> Iterator[LoggedEvent]:
        """The whole log in the order of arrival, in pages, so that no transaction is long.

        With several writers an id can become visible after a greater one: a reader that continues after the last id
        it saw must look back as far as a transaction may take. Reading an event twice does no harm.
        """
        while True:
            query = (
                _event_columns.where(events.c.tenant_id == tenant, events.c.id > start)
                .order_by(events.c.id)
                .limit(1000)
            )
            with self._engine.connect() as connection:
                page = [_event(row) for row in connection.execute(query)]
            yield from page
            if len(page) < 1000:
                return
            start = page[-1].id

    def ping(self) -> None:
        """Raise when the database does not answer."""
        with self._engine.connect() as connection:
            connection.execute(sa.select(sa.literal(1)))


def fitting(found: Iterable[LoggedEvent]) -> list[LoggedEvent]:
    """The first of these events, as many as an answer has room for, and at least one."""
    kept: list[LoggedEvent] = []
    for event in found:
        if not take(len(event.body)) and kept:
            break
        kept.append(event)
    return kept


_event_columns = sa.select(events.c.id, events.c.event_time, events.c.event, events.c.warnings, events.c.received_at)


def _event(row: Any) -> LoggedEvent:
    return LoggedEvent(row[0], row[1], decompress(row[2]), row[3], row[4])


def _window(tenant: int, after: int, before: int, kind: str | None, run: bytes | None) -> list[sa.ColumnElement[bool]]:
    conditions = [events.c.tenant_id == tenant, events.c.event_time >= after, events.c.event_time < before]
    if run is not None:
        conditions.append(events.c.run == run)
    return [*conditions, events.c.event_kind == kind] if kind else conditions


@cache
def _selection(kind: type[Fact], many: tuple[str, ...], fixed: tuple[str, ...]) -> str:
    """The statement for facts of which one column has one of many values, and others have one each."""
    names = [
        name
        for column in columns_of(kind)
        for name in ((column.name, column.name + STAMP_SUFFIX) if column.rule is Rule.LATEST else (column.name,))
    ]
    conditions = ["tenant = ?", *[f"[{name}] {{ids}}" for name in many], *[f"[{name}] = ?" for name in fixed]]
    return f"SELECT {', '.join(f'[{name}]' for name in names)} FROM [{kind.table}] WHERE {' AND '.join(conditions)}"


def _stream(connection: sa.Connection, tenant: int, kind: Any) -> Iterator[Any]:
    table = fact_tables[kind] if issubclass(kind, Fact) else derived_tables[kind]
    query = sa.select(table).where(table.c.tenant == tenant).order_by(*table.primary_key)
    read = _row_reader(kind)
    with connection.execute(query, execution_options={"stream_results": True, "yield_per": 1000}) as rows:
        for row in rows:
            check()
            yield read(row)


@cache
def _row_reader(kind: Any) -> Any:
    """A function from a row to the fact it holds."""
    steps: list[tuple[int, int | None]] = []
    position = 0
    for column in columns_of(kind):
        if column.rule is Rule.LATEST:
            steps.append((position, position + 1))
            position += 2
        else:
            steps.append((position, None))
            position += 1

    if all(stamp_at is None for _, stamp_at in steps):
        return lambda row: kind(*row[:position])

    def read(row: Any) -> Any:
        values: list[Any] = [
            row[at] if stamp_at is None else ((row[stamp_at], row[at]) if row[stamp_at] is not None else None)
            for at, stamp_at in steps
        ]
        return kind(*values)

    return read
