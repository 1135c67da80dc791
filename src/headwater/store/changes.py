"""What changed in a graph: noted by whoever writes it, read by whoever remembers some of it.

A commit that brings nothing but runs of what is known already notes nothing. One that brings shapes names them; one
that may change which names are one thing, or that cannot tell, says so by naming none. So a reader in any process knows
with one look what it must forget, and the rest of what it remembers still holds.
"""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa
from msgspec import Struct

from headwater.graph.fact import Fact
from headwater.graph.facts import Address, Declaration, Rename, Shape, Symlink
from headwater.graph.fold import Graph
from headwater.store.engine import WRITING
from headwater.store.failures import retried
from headwater.store.lookup import Lookup
from headwater.store.tables import graph_changes
from headwater.store.upsert import Row

__all__ = [
    "EVERY_TENANT",
    "LOOK_BACK",
    "Change",
    "changes_after",
    "changes_of",
    "note_change",
    "note_change_of_all",
    "prune_changes",
]

EVERY_TENANT = 0
_KEPT = 10_000
"""Notes that stay. Who has not looked for longer than that forgets all."""
LOOK_BACK = 1_000
"""With several writers a note can become visible after one with a greater number; so many are looked at again."""
_MOST = 1_000
"""Shapes in one note."""
_ID = 16
_NAMING: tuple[type[Fact], ...] = (Symlink, Rename, Address)
_AFTER = "SELECT id, tenant, shapes FROM graph_change WHERE id > ? ORDER BY id"
_ENDS = "SELECT (SELECT MIN(id) FROM graph_change), (SELECT MAX(id) FROM graph_change)"


class Change(Struct, frozen=True):
    """A note."""

    number: int
    tenant: int
    """`EVERY_TENANT` if it cannot be told whose graph changed."""
    shapes: tuple[bytes, ...] | None
    """New ones, and those that were declared again; None if anything may have changed."""


def changes_of(graph: Graph) -> list[Row]:
    """The notes to write beside these facts."""
    shapes: dict[int, set[bytes] | None] = {}
    for tenant, shape, *_ in graph.get(Shape, ()):
        _add(shapes, tenant, shape)
    for fact in graph.get(Declaration, {}).values():
        if isinstance(fact, Declaration) and fact.shape is not None:
            _add(shapes, fact.tenant, fact.shape)
    for kind in _NAMING:
        for key in graph.get(kind, ()):
            shapes[key[0]] = None
    return [(tenant, _pack(named)) for tenant, named in sorted(shapes.items())]


def note_change(connection: sa.Connection, tenant: int, shapes: Iterable[bytes] | None) -> None:
    """Note a change within the transaction that makes it."""
    values = {"tenant": tenant, "shapes": None if shapes is None else _pack(set(shapes))}
    connection.execute(graph_changes.insert(), values)


def note_change_of_all(engine: sa.Engine) -> None:
    """Note that anything may have changed, after a load in many transactions."""

    def work() -> None:
        with engine.connect().execution_options(**WRITING) as connection, connection.begin():
            note_change(connection, EVERY_TENANT, None)

    retried(work)


def changes_after(lookup: Lookup, number: int | None, *, one_writer: bool) -> tuple[int, list[Change] | None]:
    """The newest note's number, and the notes beyond one of them; None: too many, or it is the first time.

    Unless there is one writer at a time, some before it come again.
    """
    first, last = lookup.all(_ENDS)[0]
    if number is None or (last or 0) - number > _KEPT // 2 or (first or 0) > number + 1:
        return last or 0, None
    if last is None or (last <= number and one_writer):
        return last or 0, []
    after = number if one_writer else number - LOOK_BACK
    return last, [Change(row[0], row[1], _unpack(row[2])) for row in lookup.all(_AFTER, after)]


def prune_changes(engine: sa.Engine) -> None:
    """Remove old notes."""

    def work() -> None:
        with engine.connect().execution_options(**WRITING) as connection, connection.begin():
            last = connection.execute(sa.select(sa.func.max(graph_changes.c.id))).scalar() or 0
            connection.execute(graph_changes.delete().where(graph_changes.c.id <= last - _KEPT))

    retried(work)


def _add(shapes: dict[int, set[bytes] | None], tenant: int, shape: bytes) -> None:
    named = shapes.setdefault(tenant, set())
    if named is not None:
        named.add(shape)


def _pack(shapes: set[bytes] | None) -> bytes | None:
    return None if shapes is None or len(shapes) > _MOST else b"".join(sorted(shapes))


def _unpack(packed: bytes | None) -> tuple[bytes, ...] | None:
    return None if packed is None else tuple(packed[at : at + _ID] for at in range(0, len(packed), _ID))
