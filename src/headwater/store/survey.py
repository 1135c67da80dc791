"""A tenant's whole graph read at once, as far as it is simple: which jobs read and write which datasets.

Simple are jobs of which every input feeds every output, as nearly all do. What is more, such as flows that a `lineage`
facet states, or what dataset events say, is left out, and looked up when somebody asks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

from msgspec import Struct

from headwater.graph.facts import Role
from headwater.openlineage.event import EventKind
from headwater.store.lookup import Lookup
from headwater.store.shapes import ShapeMemory

__all__ = ["Ends", "Place", "Survey", "survey_of"]

_PAGE = 20_000
_PARTS = (
    "SELECT d.shape, s.job, s.kind, d.dataset, d.[role], d.types, d.explicit FROM shape_dataset d "
    "JOIN shape s ON s.tenant = d.tenant AND s.shape = d.shape "
    f"WHERE d.tenant = ? AND d.shape > ? ORDER BY d.shape LIMIT {_PAGE}"
)
_EDGES = (
    "SELECT e.shape, s.kind, e.source, e.target, e.[columns] FROM shape_edge e "
    "JOIN shape s ON s.tenant = e.tenant AND s.shape = e.shape "
    f"WHERE e.tenant = ? AND e.shape > ? ORDER BY e.shape LIMIT {_PAGE}"
)
_OTHER_FLOWS = (
    "SELECT DISTINCT s.job FROM shape_edge e JOIN shape s ON s.tenant = e.tenant AND s.shape = e.shape "
    "WHERE e.tenant = ? AND s.job IS NOT NULL AND (NOT EXISTS (SELECT 1 FROM shape_dataset d WHERE "
    f"d.tenant = e.tenant AND d.shape = e.shape AND d.dataset = e.source AND d.[role] = {int(Role.INPUT)}) "
    "OR NOT EXISTS (SELECT 1 FROM shape_dataset d WHERE "
    f"d.tenant = e.tenant AND d.shape = e.shape AND d.dataset = e.target AND d.[role] = {int(Role.OUTPUT)}))"
)
_OUTPUT, _REFERENCE, _RUN = int(Role.OUTPUT), int(Role.REFERENCE), EventKind.RUN.value
_DONE = (int(Role.INPUT), _OUTPUT, _REFERENCE)

Ends = dict[bytes, tuple[bytes, ...]]
Place = tuple[bytes, bytes]
"""One id of a dataset, and a shape that names it."""
Shown = Callable[[list[bytes]], dict[bytes, bytes]]
"""Gives the ids under which nodes are shown that have another."""


class Survey(Struct, frozen=True):
    """By the ids under which jobs and datasets are shown."""

    sources: Ends
    """By job, what it reads."""
    targets: Ends
    types: dict[bytes, tuple[int, ...]]
    """By job that says so, what it does to each of its targets."""
    readers: Ends
    """By dataset, who reads it, or may."""
    writers: Ends
    reading: dict[bytes, tuple[Place, ...]]
    """By dataset, where shapes with column edges read it; empty if there are too many to remember."""
    writing: dict[bytes, tuple[Place, ...]]


def survey_of(tenant: int, lookup: Lookup, shown: Shown, shapes: ShapeMemory, most: int) -> Survey | None:
    """Read the graph; None if it has more parts than that. Columns too, as long as there is room for them."""
    gathered = _Gathered({bytes(row[0]) for row in lookup.all(_OTHER_FLOWS, tenant)})
    count = 0
    for page in _pages(_PARTS, tenant, lookup):
        count += len(page)
        if count > most:
            return None
        names = shown(list({row[3] for row in page} | {row[1] for row in page if row[1] is not None}))
        for _, rows in groupby(page, itemgetter(0)):
            gathered.add(rows, names)
    reading, writing = _columns(tenant, lookup, shown, shapes, gathered.nodes() - gathered.declared)
    reads, writes, odd = gathered.reads, gathered.writes, gathered.odd
    nodes = gathered.nodes() - odd
    readers, writers = _turned(reads, nodes), _turned(writes, nodes)
    for job in odd:
        reads.pop(job, None)
        writes.pop(job, None)
    for job in reads.keys() ^ writes.keys():
        (writes if job in reads else reads)[job] = ()
    types = {job: tuple(map(done.get, writes[job])) for job, done in gathered.types.items() if job in writes}
    return Survey(reads, writes, types, readers, writers, reading, writing)  # type: ignore[arg-type]


class _Gathered:
    """What the parts say, shape by shape."""

    def __init__(self, odd: set[bytes]) -> None:
        self.reads: Ends = {}
        """By job. A tuple takes a third of the memory of anything that can grow, and most jobs have but one shape."""
        self.writes: Ends = {}
        self.types: dict[bytes, dict[bytes, int]] = {}
        self.odd = odd
        """Jobs that are not simple, and nodes of which more is said than what jobs read and write."""
        self.declared: set[bytes] = set()
        """Datasets that job or dataset events speak of, of which only the newest counts."""
        self._same: dict[bytes, bytes] = {}

    def nodes(self) -> set[bytes]:
        return {node for ends in (self.reads, self.writes) for listed in ends.values() for node in listed}

    def add(self, rows: Iterable[tuple[Any, ...]], names: Mapping[bytes, bytes]) -> None:
        """All parts of one shape."""
        ends: dict[bool, list[bytes]] = {True: [], False: []}
        doer, same = b"", self._same
        for _, job, kind, dataset, role, types, explicit in rows:
            node = names.get(dataset, dataset)
            node = same.setdefault(node, node)  # one object for each id
            if kind != _RUN:
                self.declared.add(node)
            if job is None or role not in _DONE:
                self.odd |= {node} if job is None else {node, names.get(job, job)}
                continue
            doer = names.get(job, job)
            doer = same.setdefault(doer, doer)
            if kind != _RUN or explicit or role == _REFERENCE:
                self.odd.add(doer)
            ends[role == _OUTPUT].append(node)
            if types and role == _OUTPUT:
                done = self.types.setdefault(doer, defaultdict(int))
                done[node] |= types
        for memory, found in ((self.writes, ends[True]), (self.reads, ends[False])):
            if found:
                known = memory.get(doer, ())
                memory[doer] = tuple(dict.fromkeys((*known, *found)))


def _columns(
    tenant: int, lookup: Lookup, shown: Shown, shapes: ShapeMemory, nodes: set[bytes]
) -> tuple[dict[bytes, tuple[Place, ...]], dict[bytes, tuple[Place, ...]]]:
    """Where these datasets are read and written by shapes with column edges, which are remembered on the way."""
    reading: dict[bytes, list[Place]] = {}
    writing: dict[bytes, list[Place]] = {}
    for page in _pages(_EDGES, tenant, lookup):
        if shapes.is_nearly_full:
            return {}, {}
        names = shown(list({end for row in page for end in row[2:4]}))
        for shape, rows in groupby(page, itemgetter(0)):
            stored = [(kind, source, target, columns) for _, kind, source, target, columns in rows if columns]
            if not stored or stored[0][0] != _RUN:
                continue
            edges = shapes.take_columns(tenant, shape, stored[0][0], [edge[1:] for edge in stored])
            for memory, ends in ((reading, edges.sources), (writing, edges.targets)):
                for member in ends:
                    memory.setdefault(names.get(member, member), []).append((member, shape))
    return tuple({node: tuple(memory.get(node, ())) for node in nodes} for memory in (reading, writing))  # type: ignore[return-value]


def _pages(sql: str, tenant: int, lookup: Lookup) -> Iterator[list[tuple[Any, ...]]]:
    """All rows of all shapes, each shape within one page."""
    last, more = b"", True
    while more:
        page = lookup.all(sql, tenant, last)
        more = len(page) == _PAGE
        if more and page[0][0] != page[-1][0]:
            page = [row for row in page if row[0] != page[-1][0]]
        elif more:
            page = lookup.all(sql.replace("shape > ?", "shape = ?").partition(" LIMIT")[0], tenant, page[0][0])
        if page:
            last = page[-1][0]
            yield page


def _turned(ends: Ends, nodes: set[bytes]) -> Ends:
    found: dict[bytes, list[bytes]] = {node: [] for node in nodes}
    for job, listed in ends.items():
        for node in listed:
            if node in found:
                found[node].append(job)
    return {node: tuple(jobs) for node, jobs in found.items()}
