"""Which names mean one dataset: symlinks, and the same name at another address of the same location."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from headwater.graph.decisions import LocationDecision
from headwater.graph.facts import Address, Lifecycle, Namespace, NodeKind, Rename, Symlink
from headwater.graph.places import locations_of
from headwater.openlineage.identity import stamp_time
from headwater.openlineage.naming import dataset_name, job_id
from headwater.store.read import Reader

__all__ = ["Aliases"]


class Aliases:
    """Resolves names for one question. What it learns it keeps for as long as the question lasts."""

    def __init__(self, reader: Reader, tenant: int) -> None:
        self._reader, self._tenant = reader, tenant
        self._group: dict[bytes, frozenset[bytes]] = {}
        self._canonical: dict[bytes, bytes] = {}
        self._places: dict[str, list[str]] | None = None

    def group(self, node: bytes) -> frozenset[bytes]:
        """All ids of the dataset that this id is one of."""
        return self._group.get(node, frozenset((node,)))

    def canonical(self, node: bytes) -> bytes:
        """The id by which a dataset is shown: its table's name rather than where it lies."""
        return self._canonical.get(node, node)

    def learn(self, nodes: Iterable[bytes]) -> None:
        """Look up the aliases of these nodes, however many links away."""
        unknown = {node for node in nodes if node not in self._group}
        links: dict[bytes, set[bytes]] = defaultdict(set)
        tables: set[bytes] = set()
        old_names: set[bytes] = set()
        frontier, visited = unknown, set(unknown)
        while frontier:
            found: set[bytes] = set()
            for symlink in self._reader.facts(self._tenant, Symlink, source=frontier):
                links[symlink.source].add(symlink.target)
                links[symlink.target].add(symlink.source)
                if symlink.type == "METASTORE":
                    tables.add(symlink.target)
                found.add(symlink.target)
            for old, new in self._renamed(frontier):
                links[old].add(new)
                links[new].add(old)
                old_names.add(old)
                found |= {old, new}
            for one, other in self._moved(frontier):
                links[one].add(other)
                links[other].add(one)
                found.add(other)
            frontier = found - visited
            visited |= frontier
        for node in visited:
            if node not in self._group:
                self._settle(node, links, tables, old_names)

    def _settle(self, node: bytes, links: dict[bytes, set[bytes]], tables: set[bytes], old_names: set[bytes]) -> None:
        members, queue = {node}, [node]
        while queue:
            for other in links[queue.pop()] - members:
                members.add(other)
                queue.append(other)
        current = members - old_names or members
        shown = min(current & tables or current)
        group = frozenset(members)
        for member in members:
            self._group[member], self._canonical[member] = group, shown

    def _renamed(self, nodes: set[bytes]) -> list[tuple[bytes, bytes]]:
        """Pairs of old and new name, unless the old name was given to a new dataset since."""
        facts = self._reader.facts
        found = [*facts(self._tenant, Rename, source=nodes), *facts(self._tenant, Rename, target=nodes)]
        if not found:
            return []
        created = {
            item.dataset: item.created_at or 0
            for item in facts(self._tenant, Lifecycle, dataset={item.source for item in found})
        }
        return [
            (item.source, item.target)
            for item in found
            if item.last is not None and created.get(item.source, 0) <= stamp_time(item.last)
        ]

    def _moved(self, nodes: set[bytes]) -> list[tuple[bytes, bytes]]:
        """Pairs of ids that are one name in two namespaces of the same location."""
        places = self._shared_places()
        if not places:
            return []
        names = self._reader.names(self._tenant, nodes).values()
        wanted: dict[bytes, bytes] = {}
        for name in names:
            for namespace in places.get(name.namespace, ()):
                is_job = name.kind is NodeKind.JOB
                other = job_id(namespace, name.name) if is_job else dataset_name(namespace, name.name).id
                if other != name.id:
                    wanted[other] = name.id
        existing = self._reader.names(self._tenant, wanted)
        return [(wanted[other], other) for other in existing]

    def _shared_places(self) -> dict[str, list[str]]:
        """By namespace, the others that share an address with it, directly or through a third."""
        if self._places is None:
            facts = self._reader.facts
            texts = {fact.namespace: fact.text or "" for fact in facts(self._tenant, Namespace)}
            decisions = facts(self._tenant, LocationDecision)
            groups = locations_of(facts(self._tenant, Address), decisions)
            self._places = {
                texts.get(place, ""): [texts.get(other, "") for other in group - {place}]
                for group in groups
                for place in group
            }
        return self._places
