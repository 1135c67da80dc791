"""Nodes that are another name of something that a list shows under its own."""

from __future__ import annotations

from headwater.graph.facts import Node
from headwater.openlineage.naming import namespace_id
from headwater.store.read.aliases import Aliases
from headwater.store.read.lookup import Lookup
from headwater.store.read.reader import Reader

__all__ = ["other_names"]

_LINKED = (
    "SELECT source FROM symlink WHERE tenant = ?",
    "SELECT target FROM symlink WHERE tenant = ?",
    "SELECT source FROM [rename] WHERE tenant = ?",
    "SELECT target FROM [rename] WHERE tenant = ?",
)


def other_names(reader: Reader, tenant: int, lookup: Lookup, aliases: Aliases) -> frozenset[bytes]:
    """All ids by which their things are not shown: symlinks, names before a rename, and addresses of one place."""
    if not aliases.any:
        return frozenset()
    linked = {row[0] for query in _LINKED for row in lookup.all(query, tenant)}
    places = [namespace_id(text) for text in aliases.shared_namespaces]
    linked |= {node.node for node in reader.facts(tenant, Node, namespace=places)} if places else set()
    aliases.learn(linked)
    members = {member for node in linked for member in aliases.group(node)}
    return frozenset(member for member in members if aliases.canonical(member) != member)
