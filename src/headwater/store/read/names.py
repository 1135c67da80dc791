"""The names of many nodes at once."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from headwater.graph.facts import NodeKind
from headwater.store.read.lookup import Lookup

__all__ = ["Name", "names_of", "text_of"]

_NAMES = "SELECT node, kind, namespace, [name], seen, first_seen FROM node WHERE tenant = ? AND node {ids}"
_PLACES = "SELECT namespace, text FROM namespace WHERE tenant = ? AND namespace {ids}"
_KINDS = {int(kind): kind for kind in NodeKind}
_WORDS = {kind: kind.name.lower() for kind in NodeKind}


class Name(Struct, frozen=True, gc=False):
    """A node by its names."""

    id: bytes
    kind: NodeKind
    namespace: str
    name: str
    seen: int
    first_seen: int | None

    @property
    def node_id(self) -> str:
        return f"{self.kind.name.lower()}:{self.namespace}:{self.name}"

    @property
    def key(self) -> str:
        """Short and permanent, like the name; every question that takes the name takes the key."""
        return f"{_WORDS[self.kind]}@{self.id.hex()}"


def names_of(tenant: int, lookup: Lookup, nodes: Collection[bytes]) -> dict[bytes, Name]:
    """The names of these nodes; namespaces are few, and looked up once."""
    rows = lookup.rows(_NAMES, tenant, nodes)
    places = dict(lookup.rows(_PLACES, tenant, {row[2] for row in rows if row[2] is not None}))
    return {
        node: Name(node, _KINDS[kind], places[location], name, seen or 0, first_seen)
        for node, kind, location, name, seen, first_seen in rows
        if location in places
    }


def text_of(name: Name) -> str:
    """The node id, as `Name.node_id` has it but faster: an answer has thousands."""
    return f"{_WORDS[name.kind]}:{name.namespace}:{name.name}"
