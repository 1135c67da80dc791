"""Pages of nodes and namespaces, and how many there are. The tenant is the first argument of everything."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from headwater.graph.facts import Namespace, Node, NodeKind, Role, Seen, Symlink
from headwater.store.read.lists.newest_jobs import OWN, last_event_times, newest_jobs
from headwater.store.read.mentions import jobs_using, mentions
from headwater.store.read.reader import Name
from headwater.store.tables import events, fact_tables

__all__ = ["Listing", "NodeFilter"]

_AT_ONCE = 500
_node, _namespace = fact_tables[Node], fact_tables[Namespace]
_symlink, _other = fact_tables[Symlink], fact_tables[Node].alias("other")


class NodeFilter(Struct, frozen=True):
    """Which nodes are meant."""

    kind: NodeKind | None = None
    namespace: bytes | None = None
    text: str | None = None
    """A part of the name, whatever its case."""
    without: frozenset[bytes] = frozenset()
    """Nodes that are hidden."""


class Listing:
    """Lists and counts nodes of one tenant at a time."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def nodes(self, tenant: int, wanted: NodeFilter, *, limit: int, offset: int = 0) -> list[Name]:
        """Nodes ordered by name. Full records are read for the page only."""
        chosen = sa.select(_node.c.node, _node.c.name).where(*_conditions(tenant, wanted)).order_by(_node.c.name)
        chosen = chosen.order_by(_node.c.node).limit(limit).offset(offset)
        with self._engine.connect() as connection:
            ids = [row[0] for row in connection.execute(chosen)]
            names: dict[bytes, Name] = {}
            for start in range(0, len(ids), _AT_ONCE):
                query = _named().where(_node.c.tenant == tenant, _node.c.node.in_(ids[start : start + _AT_ONCE]))
                names |= {row[0]: _name(row) for row in connection.execute(query)}
        return [names[node] for node in ids if node in names]

    def count_nodes(self, tenant: int, wanted: NodeFilter) -> int:
        query = sa.select(sa.func.count()).select_from(_node).where(*_conditions(tenant, wanted))
        with self._engine.connect() as connection:
            return int(connection.execute(query).scalar_one())

    def namespaces(self, tenant: int, *, limit: int, offset: int) -> list[Namespace]:
        """By name."""
        query = sa.select(_namespace).where(_namespace.c.tenant == tenant).order_by(_namespace.c.text)
        with self._engine.connect() as connection:
            return [Namespace(*row) for row in connection.execute(query.limit(limit).offset(offset))]

    def nodes_since(self, tenant: int, wanted: NodeFilter, since: int) -> tuple[int, list[int]]:
        """How many nodes were there before a time, and when the others were first seen."""
        conditions = _conditions(tenant, wanted)
        before = sa.select(sa.func.count()).select_from(_node).where(*conditions, _node.c.first_seen < since)
        after = sa.select(_node.c.first_seen).where(*conditions, _node.c.first_seen >= since)
        with self._engine.connect() as connection:
            return int(connection.execute(before).scalar_one()), [row[0] for row in connection.execute(after)]

    def event_types(self, tenant: int, after: int, before: int) -> list[tuple[int, str]]:
        """Time and type of every event of a window."""
        query = sa.select(events.c.event_time, events.c.event_type).where(
            events.c.tenant_id == tenant,
            events.c.event_time >= after,
            events.c.event_time < before,
            events.c.event_type.is_not(None),
        )
        with self._engine.connect() as connection:
            return [(row[0], row[1]) for row in connection.execute(query)]

    def newest_jobs(self, tenant: int, wanted: NodeFilter, count: int) -> list[tuple[bytes, int]]:
        """The jobs with the newest events, with their times, up to a limit."""
        with self._engine.connect() as connection:
            return newest_jobs(connection, tenant, count, wanted.namespace, wanted.without)

    def last_event_times(self, tenant: int, nodes: Collection[bytes]) -> dict[bytes, bytes]:
        """Newest stamp of each of these datasets and jobs."""
        with self._engine.connect() as connection:
            return last_event_times(connection, tenant, nodes)

    def mentions(
        self, tenant: int, datasets: Collection[bytes], role: Role, most: int
    ) -> dict[bytes, list[tuple[bytes, bytes]]]:
        """Shapes in which these datasets have a role, with the newest stamp of each; limited per dataset."""
        with self._engine.connect() as connection:
            return mentions(connection, tenant, datasets, role, most)

    def jobs_using(self, tenant: int, datasets: Collection[bytes], most: int) -> list[tuple[bytes, bytes]]:
        """Datasets and the jobs that ever read or wrote them, up to a limit."""
        with self._engine.connect() as connection:
            return jobs_using(connection, tenant, datasets, most)


def _named() -> sa.Select[Any]:
    here = sa.and_(_namespace.c.tenant == _node.c.tenant, _namespace.c.namespace == _node.c.namespace)
    columns = (_node.c.node, _node.c.kind, _namespace.c.text, _node.c.name, _node.c.seen, _node.c.first_seen)
    return sa.select(*columns).select_from(_node.join(_namespace, here))


def _name(row: Any) -> Name:
    return Name(row[0], NodeKind(row[1]), row[2], row[3], row[4] or 0, row[5])


def _conditions(tenant: int, wanted: NodeFilter) -> list[sa.ColumnElement[bool]]:
    found: list[sa.ColumnElement[bool]] = [_node.c.tenant == tenant, _node.c.seen.bitwise_and(OWN) != 0]
    if wanted.kind is not NodeKind.JOB:
        found.append(_is_first_name(tenant))
    if wanted.namespace is not None:
        found.append(_node.c.namespace == wanted.namespace)
    if wanted.kind is not None:
        found.append(_node.c.kind == int(wanted.kind))
    if wanted.text is not None:
        pattern = "%" + wanted.text.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%"
        # Which letters have a lower case differs from database to database, so text as it was typed counts too.
        typed = _node.c.name.like(pattern, escape="!")
        found.append(sa.or_(typed, sa.func.lower(_node.c.name).like(pattern.lower(), escape="!")))
    if wanted.without:
        found.append(_node.c.node.not_in(sorted(wanted.without)))
    return found


def _is_first_name(tenant: int) -> sa.ColumnElement[bool]:
    """Whether the name did not first come up as another name of a dataset, as the target of a symlink."""
    named = sa.and_(_other.c.tenant == tenant, _other.c.node == _symlink.c.target)
    linked = (
        sa.select(sa.literal(1))
        .select_from(_symlink.join(_other, named))
        .where(
            _symlink.c.tenant == tenant,
            _symlink.c.source == _node.c.node,
            _symlink.c.first_seen == _node.c.first_seen,
            _other.c.seen.bitwise_and(int(Seen.SYMLINK)) == 0,
        )
    )
    return sa.or_(_node.c.seen.bitwise_and(int(Seen.SYMLINK)) == 0, sa.not_(sa.exists(linked)))
