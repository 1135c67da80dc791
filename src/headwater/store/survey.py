"""A tenant's whole graph read at once, as far as it is simple: which jobs read and write which datasets.

Simple are jobs of which every input feeds every output in every run, as nearly all do. What is more, such as flows that
a `lineage` facet states, or what dataset events say, is left out, and looked up when somebody asks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

from msgspec import Struct

from headwater.graph.current.body import Part, ShapeBody
from headwater.graph.current.flows import MOST_SHAPES, JobRecord, is_simple
from headwater.graph.current.sides import is_written
from headwater.graph.facts import Role
from headwater.openlineage.event import EventKind
from headwater.store.held import INFERRED
from headwater.store.lookup import Lookup
from headwater.store.shapes import ShapeMemory

__all__ = ["Ends", "Place", "Survey", "survey_of"]

_PAGE = 20_000
_PARTS = (
    "SELECT d.shape, s.job, s.kind, s.origin, d.dataset, d.[role], d.types, d.explicit FROM shape_dataset d "
    "JOIN shape s ON s.tenant = d.tenant AND s.shape = d.shape "
    f"WHERE d.tenant = ? AND d.shape > ? ORDER BY d.shape LIMIT {_PAGE}"
)
_EDGES = (
    "SELECT e.shape, s.kind, e.source, e.target, e.[columns] FROM shape_edge e "
    "JOIN shape s ON s.tenant = e.tenant AND s.shape = e.shape "
    f"WHERE e.tenant = ? AND e.shape > ? ORDER BY e.shape LIMIT {_PAGE}"
)
_READERS = "SELECT writer, reader FROM shape_pair WHERE tenant = ? AND writer {ids}"
_OF_TWO_JOBS = (
    "SELECT DISTINCT d.dataset, w.job FROM shape_pair p JOIN shape r ON r.tenant = p.tenant AND r.shape = p.reader "
    "JOIN shape w ON w.tenant = p.tenant AND w.shape = p.writer AND w.job <> r.job "
    "JOIN shape_dataset d ON d.tenant = p.tenant AND d.shape = p.reader WHERE p.tenant = ?"
)
"""What runs read that also wrote under the name of another job, and that job."""
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
    read_for_others = list({bytes(node) for row in lookup.all(_OF_TWO_JOBS, tenant) for node in row})
    names_of_those = shown(read_for_others)
    gathered.odd.update(names_of_those.get(node, node) for node in read_for_others)
    count = 0
    for page in _pages(_PARTS, tenant, lookup):
        count += len(page)
        if count > most:
            return None
        names = shown(list({row[4] for row in page} | {row[1] for row in page if row[1] is not None}))
        for shape, rows in groupby(page, itemgetter(0)):
            gathered.add(shape, rows, names)
    reads, writes, types = gathered.simple_jobs(_pairs(tenant, lookup, gathered.several()))
    reading, writing = _columns(tenant, lookup, shown, shapes, gathered.nodes() - gathered.declared)
    nodes = gathered.nodes() - gathered.nodes_of_others(reads.keys())
    return Survey(reads, writes, types, _turned(reads, nodes), _turned(writes, nodes), reading, writing)


class _Gathered:
    """What the parts say, shape by shape."""

    def __init__(self, odd: set[bytes]) -> None:
        self.odd = odd
        """Jobs of which more is said than inputs and outputs of runs, and nodes of which more is said than by jobs."""
        self.declared: set[bytes] = set()
        """Datasets that job or dataset events speak of, of which only the newest counts."""
        self._shapes: dict[bytes, list[ShapeBody]] = {}
        """By job."""
        self._inferred: dict[bytes, list[tuple[bool, bytes]]] = {}
        """By job, what its SQL reads, or (True) writes."""
        self._same: dict[tuple[bytes, int], Part] = {}
        """One object for each dataset: most are named many times."""

    def nodes(self) -> set[bytes]:
        return {
            part.dataset
            for bodies in self._shapes.values()
            for body in bodies
            for part in (*body.inputs, *body.outputs)
        }

    def nodes_of_others(self, simple: Collection[bytes]) -> set[bytes]:
        """Nodes that jobs name which are not simple, and those of which more is said."""
        others = (bodies for job, bodies in self._shapes.items() if job not in simple)
        inferred = (named for job, named in self._inferred.items() if job not in simple)
        return (
            self.odd
            | {part.dataset for bodies in others for body in bodies for part in (*body.inputs, *body.outputs)}
            | {node for named in inferred for _, node in named}
        )

    def several(self) -> set[bytes]:
        """Shapes that write something, of jobs with several shapes."""
        return {
            body.shape
            for job, bodies in self._shapes.items()
            if len(bodies) > 1 and job not in self.odd
            for body in bodies
            if body.outputs
        }

    def add(self, shape: bytes, rows: Iterable[tuple[Any, ...]], names: Mapping[bytes, bytes]) -> None:
        """All parts of one shape."""
        inputs: list[Part] = []
        outputs: list[Part] = []
        doer, same = b"", self._same
        for _, job, kind, origin, dataset, role, types, explicit in rows:
            node = names.get(dataset, dataset)
            if kind != _RUN:
                self.declared.add(node)
            if job is None or role not in _DONE:
                self.odd |= {node} if job is None else {node, names.get(job, job)}
                continue
            owner = names.get(job, job)
            if kind != _RUN or explicit or role == _REFERENCE:
                self.odd.add(owner)
            if origin == INFERRED:
                self._inferred.setdefault(owner, []).append((role == _OUTPUT, node))
                continue
            doer = owner
            part = same.get((node, types or 0))
            if part is None:
                part = same[node, types or 0] = Part(node, None, types or 0, explicit=False)
            (outputs if role == _OUTPUT else inputs).append(part)
        if doer:
            body = ShapeBody(shape, _RUN, doer, None, None, None, None, tuple(inputs), tuple(outputs), (), (), (), ())
            self._shapes.setdefault(doer, []).append(body)

    def simple_jobs(self, readers: Mapping[bytes, set[bytes]]) -> tuple[Ends, Ends, dict[bytes, tuple[int, ...]]]:
        """What the simple jobs read and write, and what they do to that."""
        reads: Ends = {}
        writes: Ends = {}
        types: dict[bytes, tuple[int, ...]] = {}
        for job, bodies in self._shapes.items():
            if job in self.odd or not _is_simple(job, bodies, readers):
                continue
            done: dict[bytes, int] = {}
            for body in bodies:
                for part in body.outputs:
                    done[part.dataset] = done.get(part.dataset, 0) | part.types
            reads[job] = tuple({part.dataset: None for body in bodies for part in body.inputs})
            if any(
                node not in (done if is_written_there else reads[job])
                for is_written_there, node in self._inferred.get(job, ())
            ):
                del reads[job]
                continue
            writes[job] = tuple(done)
            if any(done.values()):
                types[job] = tuple(done.values())
        return reads, writes, types


def _is_simple(job: bytes, bodies: list[ShapeBody], readers: Mapping[bytes, set[bytes]]) -> bool:
    if len(bodies) == 1:
        return all(is_written(part.types) for part in bodies[0].outputs)
    if len(bodies) > MOST_SHAPES:
        return False
    record = JobRecord(job, {body.shape: body for body in bodies}, readers)
    record.index()
    return is_simple(record, {})


def _pairs(tenant: int, lookup: Lookup, writers: set[bytes]) -> dict[bytes, set[bytes]]:
    """By each of these shapes, those that name inputs and were said by the same run."""
    found: dict[bytes, set[bytes]] = {}
    ordered = sorted(writers)
    for start in range(0, len(ordered), _PAGE):
        for writer, reader in lookup.rows(_READERS, tenant, ordered[start : start + _PAGE]):
            found.setdefault(writer, set()).add(reader)
    return found


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
