"""Nodes by their whole names, whatever location they are at. The tenant is the first argument of everything."""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa

from headwater.graph.facts import Node, NodeKind
from headwater.store.read.lookup import Lookup
from headwater.store.read.names import Name, names_of
from headwater.store.tables import NAME_KEY, NAME_KEY_SIZE, fact_tables

__all__ = ["nodes_called"]

_node = fact_tables[Node]
_AT_ONCE = 500
_MOST_OF_ONE = 1_000
"""Nodes of one name that are looked at."""


def nodes_called(tenant: int, engine: sa.Engine, kind: NodeKind, names: Collection[str]) -> dict[str, list[Name]]:
    """By name, the nodes that are called exactly so."""
    keys = sorted({key for name in names for key in _keys(name[:NAME_KEY_SIZE])})
    ids: set[bytes] = set()
    with engine.connect() as connection:
        for start in range(0, len(keys), _AT_ONCE):
            some = keys[start : start + _AT_ONCE]
            query = (
                sa.select(_node.c.node)
                .where(_node.c.tenant == tenant, _node.c.kind == int(kind), _node.c[NAME_KEY].in_(some))
                .limit(_MOST_OF_ONE * len(some))
            )
            ids.update(row[0] for row in connection.execute(query))
    wanted = set(names)
    found: dict[str, list[Name]] = {}
    for name in names_of(tenant, Lookup(engine), ids).values():
        if name.name in wanted:
            found.setdefault(name.name, []).append(name)
    return found


def _keys(beginning: str) -> set[str]:
    """Databases differ in which letters have a lower case."""
    ascii_only = "".join(letter.lower() if letter.isascii() else letter for letter in beginning)
    return {beginning.lower(), ascii_only}
