"""Names in a question to the ids that the store knows them by."""

from __future__ import annotations

from headwater.graph.facts import NodeKind, RunStatus
from headwater.lineage.entities.locations import namespaces_of
from headwater.lineage.errors import BadQuestion
from headwater.lineage.names.find import find_node
from headwater.lineage.names.keys import read_key
from headwater.openlineage.naming import clean, namespace_id
from headwater.store.read.aliases import Aliases
from headwater.store.read.reader import Reader

__all__ = ["node_ids", "place_ids", "statuses_of"]


def node_ids(reader: Reader, tenant: int, text: str | None, kind: NodeKind) -> frozenset[bytes] | None:
    """All ids of the dataset or job that has this name."""
    if text is None:
        return None
    name = find_node(reader, tenant, text, kind)
    aliases = Aliases(reader, tenant)
    aliases.learn([name.id])
    return aliases.group(name.id)


def place_ids(reader: Reader, tenant: int, namespace: str | None, location: str | None) -> frozenset[bytes] | None:
    """Ids of one namespace, or of all namespaces of its location; if both are given, of their intersection."""
    found: frozenset[bytes] | None = None
    if namespace is not None:
        key = read_key(namespace)
        found = frozenset((key.id if key is not None else namespace_id(clean(namespace).strip()),))
    if location is not None:
        group = namespaces_of(reader, tenant, location)
        found = group if found is None else found & group
    return found


def statuses_of(names: tuple[str, ...]) -> tuple[RunStatus, ...]:
    found = []
    for name in names:
        if name.upper() not in RunStatus.__members__:
            raise BadQuestion(
                f"{name!r} is no status.", path="?status", hint=f"Known are: {', '.join(RunStatus.__members__)}."
            )
        found.append(RunStatus[name.upper()])
    return tuple(found)
