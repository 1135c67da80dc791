"""Loads a tenant's whole graph at once, for simple jobs.

A simple job is one of which every input feeds every output in every run, as of nearly all. The rest, such as flows of
`lineage` facets or dataset events, is left out and looked up on demand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

import msgspec
from msgspec import Struct

from headwater.graph.current.flows import MOST_SHAPES, JobShapes, is_simple, named_in, writes_in_several
from headwater.graph.current.shape_body import ShapeBody, ShapePart
from headwater.graph.current.sides import is_written
from headwater.graph.facts import Role
from headwater.openlineage.event import EventKind
from headwater.store.read.lookup import Lookup
from headwater.store.read.shapes.contents import ShapeCache
from headwater.store.read.shapes.current_shapes import INFERRED

__all__ = ["DatasetUse", "Ends", "LoadedGraph", "load_graph"]

_PAGE = 20_000
_OF_JOBS = (
    "SELECT s.job, s.shape, s.kind, s.origin, d.dataset, d.[role], d.types, d.explicit FROM shape s "
    "JOIN shape_dataset d ON d.tenant = s.tenant AND d.shape = s.shape "
    "WHERE s.tenant = ? AND s.job >= ? AND (s.job > ? OR s.shape > ?) "
    f"ORDER BY s.tenant, s.job, s.shape LIMIT {_PAGE}"
)
_OF_JOB = (
    "SELECT s.job, s.shape, s.kind, s.origin, d.dataset, d.[role], d.types, d.explicit FROM shape s "
    "JOIN shape_dataset d ON d.tenant = s.tenant AND d.shape = s.shape "
    "WHERE s.tenant = ? AND s.job = ? AND s.shape = ?"
)
_OF_DATASETS = (
    "SELECT d.shape, d.dataset FROM shape s JOIN shape_dataset d ON d.tenant = s.tenant AND d.shape = s.shape "
    f"WHERE s.tenant = ? AND s.job IS NULL AND d.shape > ? ORDER BY d.shape LIMIT {_PAGE}"
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
"""Inputs of runs that also wrote under the name of another job, and that job."""
_BY_HAND = "SELECT source, target, hidden FROM hand_edge WHERE tenant = ?"
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
DatasetUse = tuple[bytes, bytes]
"""One id of a dataset, and a shape that names it."""
Shown = Callable[[list[bytes]], dict[bytes, bytes]]
"""Gives the ids under which nodes are shown that have another."""


class LoadedGraph(Struct, frozen=True):
    """By the ids under which jobs and datasets are shown."""

    sources: Ends
    """By job, its inputs."""
    targets: Ends
    types: dict[bytes, tuple[int, ...]]
    """By job with types of output, the types for each target."""
    several: dict[bytes, tuple[()]]
    """Jobs of which several shapes write the same output."""
    readers: Ends
    """By dataset, its readers, certain and possible."""
    writers: Ends
    reading: dict[bytes, tuple[DatasetUse, ...]]
    """By dataset, where shapes with column edges read it; empty if there are too many to remember."""
    writing: dict[bytes, tuple[DatasetUse, ...]]


def load_graph(tenant: int, lookup: Lookup, shown: Shown, shapes: ShapeCache, most: int) -> LoadedGraph | None:
    """Read the graph; None if it has more parts than that. Columns too, as long as there is room for them."""
    odd = {bytes(row[0]) for row in lookup.all(_OTHER_FLOWS, tenant)}
    read_for_others = list({bytes(node) for row in lookup.all(_OF_TWO_JOBS, tenant) for node in row})
    names_of_those = shown(read_for_others)
    odd.update(names_of_those.get(node, node) for node in read_for_others)
    gathered = _Gathered(tenant, lookup, odd)
    by_hand = lookup.all(_BY_HAND, tenant)
    names = shown(list({bytes(end) for row in by_hand for end in row[:2]}))
    ends = [(names.get(source, source), names.get(target, target), hidden) for source, target, hidden in by_hand]
    gathered.declare(end for edge in ends for end in edge[:2])
    gathered.hide((source, target) for source, target, hidden in ends if hidden)
    count = len(by_hand)
    for page in _pages(_OF_DATASETS, tenant, lookup):
        count += len(page)
        names = shown([dataset for _, dataset in page])
        gathered.declare(names.get(dataset, dataset) for _, dataset in page)
    for page in _pages_of_jobs(tenant, lookup):
        count += len(page)
        if count > most:
            return None
        gathered.add(page, shown(list({row[4] for row in page} | {row[0] for row in page})))
    gathered.finish()
    nodes = set(gathered.nodes)
    reading, writing = _columns(tenant, lookup, shown, shapes, gathered.nodes, gathered.declared)
    nodes -= gathered.of_others
    reads, writes = gathered.reads, gathered.writes
    readers, writers = _turned(reads, nodes), _turned(writes, nodes)
    return LoadedGraph(reads, writes, gathered.types, gathered.several, readers, writers, reading, writing)


class _Gathered:
    """Flows of the simple jobs. Each job is read whole and decided before the next, so little is kept in memory."""

    def __init__(self, tenant: int, lookup: Lookup, odd: set[bytes]) -> None:
        self._tenant, self._lookup = tenant, lookup
        self._odd = odd
        """Jobs with more than inputs and outputs of runs, and nodes with more than flows of jobs."""
        self.declared: set[bytes] = set()
        """Datasets that job or dataset events speak of, of which only the newest counts."""
        self.nodes: dict[bytes, bytes] = {}
        """All that runs name, each by itself: one object for each, since most are named many times."""
        self.of_others: set[bytes] = set()
        """Neighbours of jobs that are not simple, and of nodes with other flows."""
        self.reads: Ends = {}
        self.writes: Ends = {}
        self.types: dict[bytes, tuple[int, ...]] = {}
        self.several: dict[bytes, tuple[()]] = {}
        self._hidden: dict[bytes, set[bytes]] = {}
        """By node, flows into it that are hidden by hand."""
        self._open: dict[bytes, _JobRows] = {}
        """Jobs that may not have been read to their ends."""

    def declare(self, datasets: Iterable[bytes]) -> None:
        """Add datasets of dataset events."""
        for dataset in datasets:
            self.declared.add(dataset)
            self._odd.add(dataset)

    def hide(self, edges: Iterable[tuple[bytes, bytes]]) -> None:
        """Add what is hidden by hand."""
        for source, target in edges:
            self._hidden.setdefault(target, set()).add(source)

    def add(self, page: list[tuple[Any, ...]], names: Mapping[bytes, bytes]) -> None:
        """Take some parts of shapes, in the order of jobs and shapes, and decide the jobs that end with them."""
        last = b""
        for (job, shape), rows in groupby(page, itemgetter(0, 1)):
            owner = names.get(job, job)
            if owner != job:
                self._odd.add(owner)  # its parts do not come one after the other
            last = owner
            self._add_shape(self._open.setdefault(owner, _JobRows()), owner, shape, rows, names)
        self._decide([job for job in self._open if job != last])

    def finish(self) -> None:
        """Decide the open jobs, and remove what later rows revoked."""
        self._decide(list(self._open))
        for job in self._odd & self.reads.keys():
            self.of_others.update(self.reads.pop(job), self.writes.pop(job))
            self.types.pop(job, None)
            self.several.pop(job, None)
        self.of_others |= self._odd

    def _add_shape(
        self, job: _JobRows, owner: bytes, shape: bytes, rows: Iterable[tuple[Any, ...]], names: Mapping[bytes, bytes]
    ) -> None:
        inputs: list[ShapePart] = []
        outputs: list[ShapePart] = []
        is_stated = False
        for _, _, kind, origin, dataset, role, types, explicit in rows:
            node = names.get(dataset, dataset)
            if kind != _RUN:
                self.declared.add(node)
            if role not in _DONE:
                self._odd |= {node, owner}
                continue
            if kind != _RUN or explicit or role == _REFERENCE:
                self._odd.add(owner)
            if origin == INFERRED:
                job.inferred.append((role == _OUTPUT, node))
                continue
            is_stated = True
            node = self.nodes.setdefault(node, node)
            (outputs if role == _OUTPUT else inputs).append(ShapePart(node, None, types or 0, explicit=False))
        if is_stated:
            body = ShapeBody(shape, _RUN, owner, None, None, None, None, tuple(inputs), tuple(outputs), (), (), (), ())
            job.bodies.append(body)

    def _decide(self, jobs: list[bytes]) -> None:
        found = {job: self._open.pop(job) for job in jobs}
        several = {
            body.shape
            for job, read in found.items()
            if 1 < len(read.bodies) <= MOST_SHAPES and job not in self._odd
            for body in read.bodies
            if body.outputs
        }
        readers = _pairs(self._tenant, self._lookup, several)
        for job, read in found.items():
            if job in self._odd or not self._keep(job, read, readers):
                self.of_others.update(node for body in read.bodies for node in named_in([body]))
                self.of_others.update(node for _, node in read.inferred)

    def _keep(self, job: bytes, read: _JobRows, readers: Mapping[bytes, set[bytes]]) -> bool:
        """Keep inputs, outputs and types of a job if it is simple."""
        bodies = read.bodies
        if not bodies:
            return False
        if len(bodies) == 1:
            if not all(is_written(part.types) for part in bodies[0].outputs):
                return False
        elif len(bodies) > MOST_SHAPES:
            return False
        else:
            record = JobShapes(job, {body.shape: body for body in bodies}, readers)
            record.index()
            if not is_simple(record, {}):
                return False
            if writes_in_several(record, {}):
                self.several[job] = ()
        done: dict[bytes, int] = {}
        for body in bodies:
            for part in body.outputs:
                done[part.dataset] = done.get(part.dataset, 0) | part.types
        reads = {part.dataset: None for body in bodies for part in body.inputs}
        if any(node not in (done if is_written_there else reads) for is_written_there, node in read.inferred):
            self.several.pop(job, None)
            return False
        if any(not reads.keys().isdisjoint(self._hidden[node]) for node in done if node in self._hidden):
            self.several.pop(job, None)
            return False
        self.reads[job], self.writes[job] = tuple(reads), tuple(done)
        if any(done.values()):
            self.types[job] = tuple(done.values())
        return True


class _JobRows(Struct):
    """Rows of one job."""

    bodies: list[ShapeBody] = msgspec.field(default_factory=list)
    inferred: list[tuple[bool, bytes]] = msgspec.field(default_factory=list)
    """Inputs by its SQL, or (True) outputs."""


def _pairs(tenant: int, lookup: Lookup, writers: set[bytes]) -> dict[bytes, set[bytes]]:
    """For each of these shapes, input shapes of the same runs."""
    found: dict[bytes, set[bytes]] = {}
    ordered = sorted(writers)
    for start in range(0, len(ordered), _PAGE):
        for writer, reader in lookup.rows(_READERS, tenant, ordered[start : start + _PAGE]):
            found.setdefault(writer, set()).add(reader)
    return found


def _columns(
    tenant: int, lookup: Lookup, shown: Shown, shapes: ShapeCache, known: Mapping[bytes, bytes], declared: set[bytes]
) -> tuple[dict[bytes, tuple[DatasetUse, ...]], dict[bytes, tuple[DatasetUse, ...]]]:
    """Where these datasets are read and written by shapes with column edges, which are remembered on the way."""
    reading: dict[bytes, list[DatasetUse]] = {}
    writing: dict[bytes, list[DatasetUse]] = {}
    texts: dict[bytes, bytes] = {}  # one object for each, since most edges are alike
    for page in _pages(_EDGES, tenant, lookup):
        if shapes.is_nearly_full:
            return {}, {}
        names = shown(list({end for row in page for end in row[2:4]}))
        for shape, rows in groupby(page, itemgetter(0)):
            stored = [
                (kind, known.get(source, source), known.get(target, target), texts.setdefault(columns, columns))
                for _, kind, source, target, columns in rows
                if columns
            ]
            if not stored or stored[0][0] != _RUN:
                continue
            edges = shapes.take_columns(tenant, shape, stored[0][0], [edge[1:] for edge in stored])
            for memory, ends in ((reading, edges.sources), (writing, edges.targets)):
                for member in ends:
                    memory.setdefault(names.get(member, member), []).append((member, shape))
    nodes = known.keys() - declared
    return tuple({node: tuple(memory.get(node, ())) for node in nodes} for memory in (reading, writing))  # type: ignore[return-value]


def _pages_of_jobs(tenant: int, lookup: Lookup) -> Iterator[list[tuple[Any, ...]]]:
    """All parts of the shapes of jobs, in the order of jobs and shapes, each shape within one page."""
    job = shape = b""
    more = True
    while more:
        page = lookup.all(_OF_JOBS, tenant, job, job, shape)
        more = len(page) == _PAGE
        if more:
            last = page[-1][1]
            whole = [row for row in page if row[1] != last]
            page = whole or lookup.all(_OF_JOB, tenant, page[-1][0], last)
        if page:
            job, shape = page[-1][:2]
            yield page


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
