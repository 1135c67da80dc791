"""Things hidden or deleted by people: for good, or until an event names them."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec import Struct

from headwater.graph.annotations.notes import ALWAYS_HIDDEN, HIDDEN
from headwater.graph.facts import Edit, Node
from headwater.lineage.answer.records import Hidden
from headwater.lineage.answer.values import stamped
from headwater.lineage.entities.locations import location_ids
from headwater.openlineage.identity import stamp_time
from headwater.openlineage.naming import namespace_id
from headwater.store.read.aliases import Aliases
from headwater.store.read.lists.newest_jobs import last_event_times
from headwater.store.read.lookup import Lookup
from headwater.store.read.reader import Reader

__all__ = ["Hiding", "hidden_namespaces", "hidden_nodes", "hidden_of", "hidings"]

_MARKED = "SELECT about, [value], [value_stamp] FROM note WHERE tenant = ? AND note = ? AND [value] <> ''"


class Hiding(Struct, frozen=True):
    """That something is hidden."""

    stamp: bytes
    always: bool
    """Not only until an event names it again."""

    def holds(self, event_times: bytes) -> bool:
        """Whether the thing is still hidden, given its newest event."""
        return self.always or event_times < self.stamp


def hidings(reader: Reader, tenant: int, lookup: Lookup | None = None, as_of: int | None = None) -> dict[bytes, Hiding]:
    """By node or namespace, that somebody hid it."""
    rows = (lookup or Lookup(reader.engine)).all(_MARKED, tenant, HIDDEN)
    return {
        about: Hiding(stamp, value == ALWAYS_HIDDEN)
        for about, value, stamp in rows
        if stamp is not None and (as_of is None or stamp_time(stamp) <= as_of)
    }


def hidden_namespaces(reader: Reader, tenant: int) -> dict[bytes, Hiding]:
    """Namespaces that were deleted."""
    marked = hidings(reader, tenant)
    nodes = reader.names(tenant, list(marked)) if marked else {}
    return {about: hiding for about, hiding in marked.items() if about not in nodes}


def hidden_nodes(
    reader: Reader,
    tenant: int,
    lookup: Lookup | None = None,
    *,
    as_of: int | None = None,
    aliases: Aliases | None = None,
) -> frozenset[bytes]:
    """Datasets and jobs that are hidden, or whose namespace is; with `aliases` under all names of thing and place."""
    marked = hidings(reader, tenant, lookup, as_of)
    if not marked:
        return frozenset()
    named = reader.names(tenant, list(marked))
    nodes = {about: hiding for about, hiding in marked.items() if about in named}
    for location in set(marked) - set(nodes):
        places = {location} if aliases is None else location_ids(reader, tenant, location)[1]
        for node in reader.facts(tenant, Node, namespace=places):
            nodes[node.node] = _later(marked[location], nodes.get(node.node))
    with reader.engine.connect() as connection:
        waiting = [node for node, hiding in nodes.items() if not hiding.always]
        event_times = last_event_times(connection, tenant, waiting)
    found = {node for node, hiding in nodes.items() if hiding.holds(event_times.get(node, b""))}
    return frozenset(_all_names(found, aliases) if aliases is not None else found)


def hidden_of(reader: Reader, tenant: int, namespace: str, ids: Collection[bytes]) -> Hidden | None:
    """Whether a thing is hidden, under any of its names or with its namespace; the author and the reason."""
    marked = hidings(reader, tenant)
    if not marked:
        return None
    about = {*ids, *location_ids(reader, tenant, namespace_id(namespace))[1]} & marked.keys()
    with reader.engine.connect() as connection:
        event_times = max(last_event_times(connection, tenant, list(ids)).values(), default=b"")
    holding = [marked[item] for item in about if marked[item].holds(event_times)]
    if not holding:
        return None
    hiding = max(holding, key=lambda item: (item.always, item.stamp))
    edits = [edit for edit in reader.facts(tenant, Edit, about=about, note=HIDDEN) if edit.stamp == hiding.stamp]
    return Hidden(
        since=stamped(hiding.stamp),
        by=edits[0].by if edits else None,
        reason=edits[0].reason if edits else None,
        until_heard=not hiding.always,
    )


def _later(one: Hiding, other: Hiding | None) -> Hiding:
    if other is None:
        return one
    return one if (one.always, one.stamp) > (other.always, other.stamp) else other


def _all_names(nodes: Iterable[bytes], aliases: Aliases) -> set[bytes]:
    nodes = set(nodes)
    aliases.learn(nodes)
    return {member for node in nodes for member in aliases.group(node)}
