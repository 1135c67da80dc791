"""Which names mean one dataset: symlinks, renames, and the same name at another address of the same location."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from headwater.graph.facts import Address, LocationDecision, NodeKind, OutputType
from headwater.graph.locations import locations_of
from headwater.openlineage.naming import dataset_name, job_id
from headwater.store.cache.tenant_graph import AliasCache, CacheView
from headwater.store.read.dataset_changes import changes_of, renames_of
from headwater.store.read.lookup import Lookup
from headwater.store.read.reader import Reader

__all__ = ["Aliases", "cache_view_of"]

_ANY_SYMLINK = "SELECT 1 FROM symlink WHERE tenant = ? LIMIT 1"
_ANY_RENAME = "SELECT 1 FROM [rename] WHERE tenant = ? LIMIT 1"
_SYMLINKS = "SELECT source, target, [type], first_seen FROM symlink WHERE tenant = ? AND source {ids}"
_SHARED = "SELECT address FROM address WHERE tenant = ? GROUP BY address HAVING COUNT(*) > 1"
_PLACES = "SELECT address, namespace FROM address WHERE tenant = ? AND address {ids}"
_NAMESPACES = "SELECT namespace, text FROM namespace WHERE tenant = ? AND namespace {ids}"
_FAR = 1 << 62
_ALONE: frozenset[bytes] = frozenset()
"""The group of a node that is just itself: one for all of them."""


class Aliases:
    """Resolves names, now or at a time. It caches them, for one question or longer."""

    def __init__(
        self,
        reader: Reader,
        tenant: int,
        lookup: Lookup | None = None,
        as_of: int | None = None,
        *,
        symlinks_as_of: int | None = None,
        renames: bool = True,
        memory: AliasCache | None = None,
    ) -> None:
        self._reader, self._tenant, self._as_of, self._with_renames = reader, tenant, as_of, renames
        self._symlinks_as_of = as_of if symlinks_as_of is None else symlinks_as_of
        self._lookup = lookup or Lookup(reader.engine)
        self._memory = memory = memory or AliasCache()
        self._group, self._canonical = memory.group, memory.canonical

    def group(self, node: bytes) -> frozenset[bytes]:
        """All ids of the dataset that this id is one of."""
        return self._group.get(node) or frozenset((node,))

    def canonical(self, node: bytes) -> bytes:
        """The id by which a dataset is shown: its table's name rather than where it lies."""
        return self._canonical.get(node, node)

    @property
    def any(self) -> bool:
        """Whether any two names of this tenant mean one thing; if not, there is nothing to learn."""
        memory = self._memory
        if memory.kinds is None:
            symlinks = bool(self._lookup.all(_ANY_SYMLINK, self._tenant))
            renames = self._with_renames and bool(self._lookup.all(_ANY_RENAME, self._tenant))
            memory.places = self._shared_places()
            memory.kinds = symlinks, renames
        return memory.has_any

    @property
    def shared_namespaces(self) -> frozenset[str]:
        """Namespaces that are one place with another."""
        return frozenset(self._memory.places or ()) if self.any else frozenset()

    @property
    def any_renames(self) -> bool:
        return self.any and self._memory.kinds is not None and self._memory.kinds[1]

    def learn(self, nodes: Iterable[bytes]) -> None:
        """Look up the aliases of these nodes, however many links away."""
        if not self.any:
            return
        unknown = {node for node in nodes if node not in self._group}
        links: dict[bytes, set[bytes]] = defaultdict(set)
        tables: set[bytes] = set()
        old_names: set[bytes] = set()
        frontier, visited = unknown, set(unknown)
        while frontier:
            found: set[bytes] = set()
            for source, target, is_table in self._symlinked(frontier):
                links[source].add(target)
                links[target].add(source)
                if is_table:
                    tables.add(target)
                found.add(target)
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
        if node not in links:
            self._group[node] = _ALONE
            return
        members, queue = {node}, [node]
        while queue:
            for other in links[queue.pop()] - members:
                members.add(other)
                queue.append(other)
        current = members - old_names or members
        shown = min(current & tables or current)
        group = frozenset(members)
        for member in members:  # others may look at the group, and then trust what it is shown as
            self._canonical[member] = shown
            self._group[member] = group

    def _symlinked(self, nodes: set[bytes]) -> list[tuple[bytes, bytes, bool]]:
        if not (self._memory.kinds and self._memory.kinds[0]):
            return []
        return [
            (source, target, kind == "METASTORE")
            for source, target, kind, first_seen in self._lookup.rows(_SYMLINKS, self._tenant, nodes)
            if self._symlinks_as_of is None or (first_seen or 0) <= self._symlinks_as_of
        ]

    def _renamed(self, nodes: set[bytes]) -> list[tuple[bytes, bytes]]:
        """Pairs of old and new name, unless the old name was given to a new dataset since."""
        if not (self._memory.kinds and self._memory.kinds[1]):
            return []
        until = _FAR if self._as_of is None else self._as_of
        found = renames_of(self._tenant, self._lookup, nodes, until)
        created: dict[bytes, int] = {}
        for dataset, at, types in changes_of(self._tenant, self._lookup, {source for source, _ in found}, until):
            if types & OutputType.CREATE:
                created[dataset] = max(at, created.get(dataset, at))
        return [pair for pair, renamed_at in found.items() if created.get(pair[0], renamed_at) <= renamed_at]

    def _moved(self, nodes: set[bytes]) -> list[tuple[bytes, bytes]]:
        """Pairs of ids that are one name in two namespaces of the same location."""
        if not self._memory.places:
            return []
        names = self._reader.names(self._tenant, nodes).values()
        wanted: dict[bytes, bytes] = {}
        for name in names:
            for namespace in self._memory.places.get(name.namespace, ()):
                is_job = name.kind is NodeKind.JOB
                other = job_id(namespace, name.name) if is_job else dataset_name(namespace, name.name).id
                if other != name.id:
                    wanted[other] = name.id
        existing = self._reader.names(self._tenant, wanted)
        return [(wanted[other], other) for other in existing]

    def _shared_places(self) -> dict[str, list[str]]:
        """By namespace, the others that share an address with it, directly or through a third."""
        decisions = self._reader.facts(self._tenant, LocationDecision)
        shared = [row[0] for row in self._lookup.all(_SHARED, self._tenant)]
        rows = self._lookup.rows(_PLACES, self._tenant, shared)
        addresses = [Address(self._tenant, namespace, address) for address, namespace in rows]
        groups = locations_of(addresses, decisions)
        members = [member for group in groups for member in group]
        texts = {row[0]: row[1] or "" for row in self._lookup.rows(_NAMESPACES, self._tenant, members)}
        return {
            texts.get(location, ""): [texts.get(other, "") for other in group - {location}]
            for group in groups
            for location in group
        }


def cache_view_of(reader: Reader, tenant: int, lookup: Lookup) -> CacheView:
    """Cache view of a tenant's graph, with entries that still hold."""
    return reader.graph_cache.cache_view(tenant, lookup, lambda: Aliases(reader, tenant, lookup).any)
