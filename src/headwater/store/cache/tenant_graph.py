"""Per-tenant adjacency cache: readers and writers of each dataset, inputs and outputs of each job, aliases.

Before each question `store.cache.invalidation` gives the changes, and entries they affect are dropped. A change
without a note, such as one of an older version during an upgrade, is seen after an hour at the latest.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from threading import Lock
from typing import Any, NamedTuple

from headwater.graph.annotations.notes import PERSON
from headwater.graph.current.flows import named_in
from headwater.graph.current.into import Into
from headwater.store.cache.graph_loader import DatasetUse, LoadedGraph
from headwater.store.cache.invalidation import EVERY_TENANT, LOOK_BACK, GraphChange, changes_after
from headwater.store.read.lookup import Lookup
from headwater.store.read.shapes.contents import ShapeBody, ShapeCache

__all__ = ["ALONE", "MAX_REFERENCES", "AliasCache", "CacheView", "DatasetUse", "GraphCache", "TenantGraph"]

_SECONDS = 3600
MAX_REFERENCES = 10_000_000
"""References kept in all tenant graphs, about 50 bytes each."""
_MAX_ENTRIES = 100_000
"""Entries kept, about 1 KB each."""
ALONE: tuple[bytes, ...] = (b"",)
"""Stands for a job without flows from or to other jobs."""
_ID = 16


class AliasCache:
    """Aliases that questions needed so far."""

    def __init__(self) -> None:
        self.group: dict[bytes, frozenset[bytes]] = {}
        self.canonical: dict[bytes, bytes] = {}
        self.places: dict[str, list[str]] = {}
        self.kinds: tuple[bool, bool] | None = None
        """Whether there are symlinks, and renames."""

    @property
    def has_any(self) -> bool:
        return bool(self.places) or any(self.kinds or ())


class EdgeCache:
    """Parts of answers by node and a second key. It is emptied when full.

    >>> cache = EdgeCache(2)
    >>> cache.put({b"node": {"a": 1, "b": 2}})
    >>> cache.put({b"other": {"c": 3}})
    >>> cache.kept
    {b'other': {'c': 3}}
    """

    def __init__(self, most: int = _MAX_ENTRIES) -> None:
        self.kept: dict[bytes, dict[Any, Any]] = {}
        self._most, self._count = most, 0

    def put(self, found: Mapping[bytes, Mapping[Any, Any]]) -> None:
        self._count += sum(map(len, found.values()))
        if self._count > self._most:
            self.kept.clear()
            self._count = sum(map(len, found.values()))
        for node, things in found.items():
            self.kept.setdefault(node, {}).update(things)

    def drop(self, node: bytes) -> None:
        self._count -= len(self.kept.pop(node, ()))


class TenantGraph:
    """Adjacency of one tenant. All nodes by the ids under which they are shown."""

    def __init__(self) -> None:
        self.readers: dict[bytes, tuple[bytes, ...]] = {}
        """By dataset, jobs that read it; by job, `ALONE`."""
        self.writers: dict[bytes, tuple[bytes, ...]] = {}
        self.reading: dict[bytes, tuple[DatasetUse, ...]] = {}
        """By dataset, where the shapes that count name it as read."""
        self.writing: dict[bytes, tuple[DatasetUse, ...]] = {}
        self.sources: dict[bytes, tuple[bytes, ...]] = {}
        """By simple job (see `store.cache.graph_loader`), its inputs."""
        self.targets: dict[bytes, tuple[bytes, ...]] = {}
        self.types: dict[bytes, tuple[int, ...]] = {}
        """By simple job with types of output, the types for each target."""
        self.several: dict[bytes, tuple[()]] = {}
        """Simple jobs of which several shapes write the same output."""
        self.partly: dict[bytes, tuple[()]] = {}
        """Datasets that jobs name as written in shapes of which none counts any more."""
        self.into: dict[bytes, dict[bytes, Into]] = {}
        """By dataset and job, flows into the dataset that further runs cannot change."""
        self.out: dict[bytes, frozenset[bytes]] = {}
        """By job and dataset (their ids, one after the other), flows out of the dataset through the job."""
        self._of_job: dict[bytes, set[bytes]] = {}
        """By job, the keys of `into` and `out` that are about it."""
        self.edges = EdgeCache()
        """By any job, its edges as answers show them, each by the ids of both ends."""
        self._until_next_event: tuple[int, int, dict[bytes, dict[Any, Any]]] = (0, 0, {})
        """The newest event, the version, and edges with their times as of that, by job or dataset."""
        self.columns_down, self.columns_up = EdgeCache(), EdgeCache()
        """By dataset and column, where values go to, and come from."""
        self.aliases = AliasCache()
        self.version = 0
        self.born = time.monotonic()
        self.is_doubtful = False
        """Whether names that were two may be one by now."""
        self.is_loaded = False
        """Whether the whole graph is loaded, being loaded, or too large to load."""
        self._weight = 0
        self._missed: set[bytes] | None = None
        self._lock = Lock()

    @property
    def weight(self) -> int:
        return self._weight + 2 * len(self.aliases.group)

    def is_plain(self, dataset: bytes) -> bool:
        """Whether every shape that writes a dataset applies, by the cached jobs that do."""
        jobs = None if dataset in self.partly else self.writers.get(dataset)
        return jobs is not None and all(job in self.targets and job not in self.several for job in jobs)

    def is_renamed(self, has_aliases: Callable[[], bool]) -> bool:
        """Whether cached names no longer hold."""
        if not self.is_doubtful:
            return False
        self.is_doubtful = self.aliases.has_any or has_aliases()
        return self.is_doubtful

    def keep(self, version: int, memory: dict[bytes, Any], found: Mapping[bytes, Any], weight: int) -> None:
        """Keep results, unless the graph changed since the question began."""
        with self._lock:
            if version == self.version:
                memory.update(found)
                self._weight += weight

    def keep_into(self, version: int, found: Mapping[bytes, dict[bytes, Into]]) -> None:
        """Keep flows into datasets."""
        with self._lock:
            if version == self.version:
                self.into.update(found)
                for target, jobs in found.items():
                    self._weight += 2 + sum(4 + len(into.sources) + len(into.shapes) for into in jobs.values())
                    for job in jobs:
                        self._of_job.setdefault(job, set()).add(target)

    def keep_out(self, version: int, found: Mapping[bytes, frozenset[bytes]]) -> None:
        """Keep flows out of datasets through a job, by the ids of job and dataset."""
        with self._lock:
            if version == self.version:
                self.out.update(found)
                for key, targets in found.items():
                    self._weight += 6 + len(targets)
                    self._of_job.setdefault(key[:_ID], set()).add(key)

    def forget(self, bodies: Iterable[ShapeBody]) -> None:
        """Drop entries that these shapes may have changed."""
        listed = list(bodies)
        nodes = {node for body in listed for node in _named(body)}
        nodes |= {self.aliases.canonical.get(node, node) for node in nodes}
        by_hand = [edge for body in listed if body.origin == PERSON and body.job is None for edge in body.edges]
        nodes |= self._jobs_between(by_hand) if by_hand else set()
        with self._lock:
            self.version += 1
            memories = (self.readers, self.writers, self.reading, self.writing)
            for memory in (*memories, self.sources, self.targets, self.types, self.several, self.partly, self.into):
                for node in nodes:
                    memory.pop(node, None)
            for node in nodes:
                for key in self._of_job.pop(node, ()):
                    self.into.pop(key, None)
                    self.out.pop(key, None)
            for edge_cache in (self.edges, self.columns_down, self.columns_up):
                for node in nodes:
                    edge_cache.drop(node)
            if any(body.origin == PERSON and body.job is not None for body in listed):
                for of_columns in (self.columns_down, self.columns_up):  # columns of whatever the job reads or writes
                    for node in list(of_columns.kept):
                        of_columns.drop(node)
            if self._missed is not None:
                self._missed |= nodes

    def _jobs_between(self, edges: Collection[tuple[bytes, bytes]]) -> set[bytes]:
        """The jobs that write the targets of these edges: one that was hidden may lead through any of them."""
        shown = self.aliases.canonical
        targets = {shown.get(target, target) for _, target in edges}
        found = {job for target in targets for job in (*self.writers.get(target, ()), *self.into.get(target, ()))}
        unsure = {target for target in targets if target not in self.writers}
        if unsure:
            found.update(job for job, written in list(self.targets.items()) if not unsure.isdisjoint(written))
        return found

    def forget_totals(self, jobs: Iterable[bytes]) -> None:
        """Drop the totals of these jobs."""
        with self._lock:
            self.version += 1
            for job in jobs:
                self.edges.drop(self.aliases.canonical.get(job, job))

    def edge_cache(self, *, down: bool) -> EdgeCache:
        """Cache of column edges in one direction."""
        return self.columns_down if down else self.columns_up

    def keep_edges(self, version: int, edge_cache: EdgeCache, found: Mapping[bytes, Mapping[Any, Any]]) -> None:
        """Keep parts of answers, unless the graph changed since the question began."""
        with self._lock:
            if version == self.version:
                edge_cache.put(found)

    def until_next_event(self, newest: int) -> dict[bytes, dict[Any, Any]]:
        """Entries that hold only until the next event; `newest` is the number of the last one."""
        with self._lock:
            if self._until_next_event[:2] != (newest, self.version) or len(self._until_next_event[2]) > _MAX_ENTRIES:
                self._until_next_event = newest, self.version, {}
            return self._until_next_event[2]

    def begin_load(self) -> None:
        with self._lock:
            self._missed, self.is_loaded = set(), True

    def take(self, loaded_graph: LoadedGraph) -> None:
        """Keep a loaded graph, except nodes that changed while it was loaded."""
        with self._lock:
            for name in loaded_graph.__struct_fields__:
                found: dict[bytes, tuple[Any, ...]] = getattr(loaded_graph, name)
                for node in self._missed or ():
                    found.pop(node, None)
                getattr(self, name).update(found)
                self._weight += 2 * len(found) + sum(map(len, found.values()))
            self._missed = None


class CacheView(NamedTuple):
    """A tenant graph as one question may use it."""

    graph: TenantGraph
    version: int
    """The version that the question sees; -1 if it sees an older one, and so must not add to the graph."""


class GraphCache:
    """Tenant graphs of a process, for all questions."""

    def __init__(self, shapes: ShapeCache) -> None:
        self._shapes = shapes
        self._graphs: dict[int, TenantGraph] = {}
        self._number: int | None = None
        self._applied: set[int] = set()
        self._lock = Lock()

    def cache_view(self, tenant: int, lookup: Lookup, has_aliases: Callable[[], bool]) -> CacheView:
        """The current graph of a tenant. `has_aliases` tells whether two names may be one node now."""
        with self._lock:
            is_newest = self._catch_up(lookup)
            graph = self._graphs.pop(tenant, None)
            if graph is None or time.monotonic() - graph.born > _SECONDS or graph.is_renamed(has_aliases):
                graph = TenantGraph()
            self._graphs[tenant] = graph  # the last is the one that was asked for last
            self._make_room()
            return CacheView(graph, graph.version if is_newest else -1)

    def catch_up(self, lookup: Lookup) -> None:
        """Apply changes ahead of the next question."""
        with self._lock:
            self._catch_up(lookup)

    def _make_room(self) -> None:
        weights = {tenant: graph.weight for tenant, graph in self._graphs.items()}
        total = sum(weights.values())
        for tenant, weight in weights.items():
            if total <= MAX_REFERENCES:
                break
            del self._graphs[tenant]
            total -= weight

    def blank(self) -> list[int]:
        """Tenants that were asked about and whose graph is not loaded."""
        return [tenant for tenant, graph in list(self._graphs.items()) if not graph.is_loaded]

    def _catch_up(self, lookup: Lookup) -> bool:
        """Apply all visible changes; False if others have seen more."""
        one_writer = lookup.sees_one_moment
        last, changes = changes_after(lookup, self._number, seen=None if one_writer else self._applied)
        if changes is None:
            self._forget_all()
            self._number = last
            return True
        for change in changes:
            self._apply(change, lookup)
            if not one_writer:
                self._applied.add(change.number)
        behind = self._number is not None and last < self._number
        self._number = max(last, self._number or 0)
        if len(self._applied) > 2 * LOOK_BACK:
            self._applied = {number for number in self._applied if number > self._number - LOOK_BACK}
        return not behind

    def _apply(self, change: GraphChange, lookup: Lookup) -> None:
        if change.tenant == EVERY_TENANT:
            self._forget_all()
            return
        graph = self._graphs.get(change.tenant)
        if graph is not None and change.jobs:
            graph.forget_totals(change.jobs)
        if not change.names and change.shapes == ():
            return
        bodies = self._bodies(change, lookup) if graph is not None else None
        if graph is None or bodies is None or graph.aliases.places:
            # Where several places are one, a new name may mean a thing that is known already.
            self._graphs.pop(change.tenant, None)
            if change.shapes is None:
                self._shapes.forget(change.tenant)
        else:
            graph.is_doubtful |= change.names
            graph.forget(bodies)

    def _bodies(self, change: GraphChange, lookup: Lookup) -> Collection[ShapeBody] | None:
        if change.shapes is None:
            return None
        bodies = self._shapes.bodies(change.tenant, lookup, change.shapes)
        return bodies.values() if len(bodies) == len(change.shapes) else None

    def _forget_all(self) -> None:
        self._graphs.clear()
        self._shapes.forget_all()


def _named(body: ShapeBody) -> set[bytes]:
    return named_in([body]) | {node for node in (body.job, body.subject) if node is not None}
