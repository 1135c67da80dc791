"""Cache invalidation: writers note what they changed in a graph, caches read the notes.

A commit with nothing but runs of known shapes notes nothing. One with new shapes names them, and whether names may be
equal now that were not; one that cannot know names none. The pipeline names the jobs whose sums it changed. So a cache
in any process learns with one query what to drop, and the rest still holds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import sqlalchemy as sa
from msgspec import Struct

from headwater.graph.fact import Fact
from headwater.graph.facts import Address, Declaration, HandEdge, LocationDecision, Rename, Shape, Symlink
from headwater.graph.fold import Graph
from headwater.store.dialects.failures import retried
from headwater.store.engine import WRITING
from headwater.store.read.lookup import Lookup
from headwater.store.tables import graph_changes
from headwater.store.write.upsert import Row

__all__ = [
    "EVERY_TENANT",
    "LOOK_BACK",
    "GraphChange",
    "changes_after",
    "changes_of",
    "changes_of_shapes",
    "note_change",
    "note_change_of_all",
    "note_totals",
    "prune_changes",
]

EVERY_TENANT = 0
_KEPT = 10_000
"""Notes that are kept. A cache that has not looked for longer drops everything."""
LOOK_BACK = 1_000
"""With several writers a note can become visible after one with a greater number; this many are read again."""
_MOST = 1_000
"""Shapes or jobs in one note."""
_ID = 16
_NAMING: tuple[type[Fact], ...] = (Symlink, Rename, Address, LocationDecision)
_NUMBERS = "SELECT id FROM graph_change WHERE id > ? ORDER BY id"
_FROM = "SELECT id, tenant, names, shapes, jobs FROM graph_change WHERE id >= ? ORDER BY id"
_ENDS = "SELECT (SELECT MIN(id) FROM graph_change), (SELECT MAX(id) FROM graph_change)"


class GraphChange(Struct, frozen=True):
    """A note."""

    number: int
    tenant: int
    """`EVERY_TENANT` if the change cannot be assigned to one."""
    names: bool
    """Whether there is a new symlink, rename, address or decision, by which two names may be one thing."""
    shapes: tuple[bytes, ...] | None
    """New ones, those that were declared again, and edges changed by hand; None if anything may have changed."""
    jobs: tuple[bytes, ...] = ()
    """Those of which it changed how much they read and wrote."""


def changes_of(graph: Graph) -> list[Row]:
    """The notes to write beside these facts."""
    shapes: dict[int, set[bytes]] = {}
    for tenant, shape in graph.get(Shape, ()):
        shapes.setdefault(tenant, set()).add(shape)
    for fact in graph.get(Declaration, {}).values():
        if isinstance(fact, Declaration) and fact.shape is not None:
            shapes.setdefault(fact.tenant, set()).add(fact.shape)
    for tenant, edge in graph.get(HandEdge, ()):
        shapes.setdefault(tenant, set()).add(edge)
    naming = {key[0] for kind in _NAMING for key in graph.get(kind, ())}
    return [
        (tenant, int(tenant in naming), _pack(shapes.get(tenant, set())), None)
        for tenant in sorted(shapes.keys() | naming)
    ]


def changes_of_shapes(changed: Mapping[int, Collection[bytes]]) -> list[Row]:
    """The notes to write, by tenant, for shapes that now have another part in the graph."""
    return [(tenant, 0, _pack(set(shapes)), None) for tenant, shapes in sorted(changed.items()) if shapes]


def note_change(connection: sa.Connection, tenant: int, shapes: Iterable[bytes] | None) -> None:
    """Note a change within the transaction that makes it."""
    values = {"tenant": tenant, "names": 1, "shapes": None if shapes is None else _pack(set(shapes))}
    connection.execute(graph_changes.insert(), values)


def note_totals(connection: sa.Connection, tenant: int, jobs: Collection[bytes]) -> None:
    """Note within the transaction that changes them that sums of these jobs did, and remove old notes."""
    ordered = sorted(set(jobs))
    for start in range(0, len(ordered), _MOST):
        packed = b"".join(ordered[start : start + _MOST])
        connection.execute(graph_changes.insert(), {"tenant": tenant, "names": 0, "shapes": b"", "jobs": packed})
    _prune(connection)


def note_change_of_all(engine: sa.Engine) -> None:
    """Note that anything may have changed, after a load in many transactions."""

    def work() -> None:
        with engine.connect().execution_options(**WRITING) as connection, connection.begin():
            note_change(connection, EVERY_TENANT, None)

    retried(work)


def changes_after(
    lookup: Lookup, number: int | None, *, seen: Collection[int] | None = None
) -> tuple[int, list[GraphChange] | None]:
    """The newest note's number, and the notes beyond one of them; None: too many, or it is the first time.

    Unless there is one writer at a time, some before it may have come late: `seen` are those that are known.
    """
    first, last = lookup.all(_ENDS)[0]
    if number is None or (last or 0) - number > _KEPT // 2 or (first or 0) > number + 1:
        return last or 0, None
    if last is None or (last <= number and seen is None):
        return last or 0, []
    known = () if seen is None else seen
    late = [] if seen is None else lookup.all(_NUMBERS, number - LOOK_BACK)
    first = next((found for (found,) in late if found not in known), number + 1)
    rows = lookup.all(_FROM, first) if first <= last else []
    return last, [
        GraphChange(found, tenant, bool(names), _unpack(shapes), _unpack(jobs) or ())
        for found, tenant, names, shapes, jobs in rows
        if found not in known
    ]


def prune_changes(engine: sa.Engine) -> None:
    """Remove old notes."""

    def work() -> None:
        with engine.connect().execution_options(**WRITING) as connection, connection.begin():
            _prune(connection)

    retried(work)


def _prune(connection: sa.Connection) -> None:
    last = connection.execute(sa.select(sa.func.max(graph_changes.c.id))).scalar() or 0
    connection.execute(graph_changes.delete().where(graph_changes.c.id <= last - _KEPT))


def _pack(shapes: set[bytes]) -> bytes | None:
    return None if len(shapes) > _MOST else b"".join(sorted(shapes))


def _unpack(packed: bytes | None) -> tuple[bytes, ...] | None:
    return None if packed is None else tuple(packed[at : at + _ID] for at in range(0, len(packed), _ID))
