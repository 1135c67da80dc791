"""Flows through a job. The rule, in one place:

Data flows from A to B through a job if one run, by everything its events said together, read A and wrote B; or if a
`lineage` or `columnLineage` facet, a job event, or a statement of the job's SQL states it. An output of which a
`lineage` facet states the sources takes nothing else from inputs. A job event that names only inputs, or only
outputs, holds for all outputs, or inputs, of the job.

The rule is applied to one output of a job at a time (`sources_of`). `Counting` decides which runs count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from msgspec import Struct

from headwater.graph.current.shape_body import ShapeBody

__all__ = [
    "MOST_SHAPES",
    "Counting",
    "JobShapes",
    "is_contested",
    "is_simple",
    "named_in",
    "parts_of",
    "sources_of",
    "targets_named",
    "writes_in_several",
]

Counting = frozenset[tuple[bytes, bytes]]
"""Shape pairs (reader, writer) of runs that count; a shape that counts is paired with itself."""
MOST_SHAPES = 64
"""A job with more shapes is large: it is never read as a whole."""
_NOBODY: frozenset[bytes] = frozenset()


class Said(Struct, frozen=True):
    """Content of one shape by dataset, so that one of many outputs is looked up and not searched for."""

    reads: frozenset[bytes]
    writes: frozenset[bytes]
    sources: Mapping[bytes, Collection[bytes]]
    """By target, sources stated by a facet."""
    types: Mapping[bytes, int]
    """By output, the types of output."""

    def names(self, targets: Collection[bytes]) -> bool:
        """Whether it writes one of these, or states flows into one."""
        return any(target in self.writes or target in self.sources for target in targets)

    def stated(self, targets: Collection[bytes]) -> set[bytes]:
        """Stated flows into these."""
        return {source for target in targets for source in self.sources.get(target, ())}


class JobShapes(Struct):
    """Record of a job: whole, or the part about some of its outputs."""

    job: bytes
    runs: dict[bytes, ShapeBody]
    """Shapes of its runs."""
    readers: Mapping[bytes, Collection[bytes]]
    """By shape, other shapes of the same run that have inputs."""
    declared: tuple[ShapeBody, ...] = ()
    """The newest job event of each origin."""
    inferred: tuple[ShapeBody, ...] = ()
    """Inferred from the job's SQL."""
    reads: frozenset[bytes] = _NOBODY
    """All that the job reads; filled in where a job event names outputs alone."""
    foreign: frozenset[bytes] = _NOBODY
    """Shapes of another job in a run that both jobs share."""
    is_whole: bool = True
    writing: dict[bytes, list[ShapeBody]] = {}
    """By dataset, the shapes of runs that write it, or state a flow into it."""
    explicit: set[bytes] = set()
    """Outputs of which a `lineage` facet states all sources."""
    contents: dict[int, Said] = {}
    """By body, its parts that were requested."""

    def said(self, body: ShapeBody) -> Said:
        """The content of one of these shapes, by dataset."""
        found = self.contents.get(id(body))
        if found is None:
            sources: dict[bytes, list[bytes]] = {}
            for source, target in body.stated:
                sources.setdefault(target, []).append(source)
            types: dict[bytes, int] = {}
            for part in body.outputs:
                types[part.dataset] = types.get(part.dataset, 0) | part.types
            found = Said(frozenset(body.reads), frozenset(body.writes), sources, types)
            self.contents[id(body)] = found
        return found

    def index(self) -> None:
        """Work out `writing` and `explicit`."""
        self.writing, self.explicit = {}, set()
        for body in self.runs.values():
            if body.shape in self.foreign:
                continue
            for target in {*body.writes, *(target for _, target in body.stated)}:
                self.writing.setdefault(target, []).append(body)
        for body in (*self.runs.values(), *self.declared):
            if body.shape not in self.foreign:
                self.explicit.update(part.dataset for part in body.outputs if part.explicit)


def parts_of(record: JobShapes, targets: Collection[bytes], counting: Counting | None) -> Iterator[ShapeBody]:
    """The shapes about a job's output that count."""
    for target in targets:
        for body in record.writing.get(target, ()):
            if counting is None or (body.shape, body.shape) in counting:
                yield body
    wanted = set(targets)
    is_written = _is_written(record, wanted, counting)
    for body in record.declared:
        said = record.said(body)
        if said.names(wanted) or (is_written and not said.writes and not said.sources):
            yield body
    yield from _inferred(record, targets, counting)


def _is_written(record: JobShapes, wanted: Collection[bytes], counting: Counting | None) -> bool:
    """Whether the job writes a dataset, by a run that counts or by a job event."""
    for target in wanted:
        for body in record.writing.get(target, ()):
            if (counting is None or (body.shape, body.shape) in counting) and target in record.said(body).writes:
                return True
    return any(not record.said(body).writes.isdisjoint(wanted) for body in record.declared)


def sources_of(record: JobShapes, targets: Collection[bytes], counting: Counting | None = None) -> set[bytes]:
    """Flows into one output of a job; the output may have several ids. `counting` None is for all runs."""
    wanted = set(targets)
    found: set[bytes] = set()
    is_explicit = not wanted.isdisjoint(record.explicit)
    for body in {body.shape: body for target in wanted for body in record.writing.get(target, ())}.values():
        if counting is not None and (body.shape, body.shape) not in counting:
            continue
        said = record.said(body)
        found |= said.stated(wanted)
        if is_explicit or said.writes.isdisjoint(wanted):
            continue
        found |= said.reads
        for shape in record.readers.get(body.shape, ()):
            reader = record.runs.get(shape)
            if reader is not None and (counting is None or (shape, body.shape) in counting):
                found |= record.said(reader).reads
    for body in record.declared:
        found |= record.said(body).stated(wanted)
        if not is_explicit:
            found |= _declared_sources(record, body, wanted, counting)
    for body in _inferred(record, wanted, counting):
        found |= record.said(body).stated(wanted)
    return found


def _declared_sources(
    record: JobShapes, body: ShapeBody, wanted: Collection[bytes], counting: Counting | None
) -> frozenset[bytes]:
    """Flows into an output by a job event that names inputs, outputs or both."""
    said = record.said(body)
    if not said.writes:
        return said.reads if _is_written(record, wanted, counting) else _NOBODY
    if said.writes.isdisjoint(wanted):
        return _NOBODY
    return said.reads or record.reads


def _inferred(record: JobShapes, targets: Collection[bytes], counting: Counting | None) -> Iterator[ShapeBody]:
    """Inferred shapes count with their statement."""
    if not record.inferred:
        return
    statements = None
    if counting is not None:
        shapes = {shape for pair in counting for shape in pair}
        statements = {record.runs[shape].sql for shape in shapes if shape in record.runs}
    for body in record.inferred:
        sources = record.said(body).sources
        if (statements is None or body.sql in statements) and any(target in sources for target in targets):
            yield body


def targets_named(record: JobShapes, sources: Collection[bytes]) -> set[bytes]:
    """Outputs into which these datasets may flow; `sources_of` decides whether they do."""
    wanted = set(sources)
    reading = {body.shape for body in record.runs.values() if not wanted.isdisjoint(body.reads)}
    found: set[bytes] = set()
    for body in record.runs.values():
        if body.shape in reading or not reading.isdisjoint(record.readers.get(body.shape, ())):
            found.update(body.writes)
    for body in (*record.runs.values(), *record.declared, *record.inferred):
        found.update(target for source, target in body.stated if source in wanted)
    for body in record.declared:
        found.update(body.writes)
        if not wanted.isdisjoint(body.reads) and not set(body.writes):
            found.update(record.writing)
    return found


def is_contested(record: JobShapes, targets: Collection[bytes]) -> bool:
    """Whether runs that wrote an output may have had different sources, so that it matters which of them count.

    >>> from headwater.graph.current.shape_body import ShapePart
    >>> def body(shape: bytes, inputs: bytes, outputs: bytes) -> ShapeBody:
    ...     parts = [tuple(ShapePart(bytes([name]), None, 0, False) for name in names) for names in (inputs, outputs)]
    ...     return ShapeBody(shape, "", b"j", None, None, None, None, parts[0], parts[1], (), (), (), ())
    >>> record = JobShapes(b"j", {b"1": body(b"1", b"a", b"t"), b"2": body(b"2", b"b", b"t")}, {})
    >>> record.index()
    >>> is_contested(record, [b"t"]), sorted(sources_of(record, [b"t"]))
    (True, [b'a', b'b'])
    """
    wanted = set(targets)
    bodies = {body.shape: body for target in wanted for body in record.writing.get(target, ())}
    if not bodies:
        return False
    is_explicit = not wanted.isdisjoint(record.explicit)
    own: list[set[bytes]] = []
    total: set[bytes] = set()
    for body in bodies.values():
        said = record.said(body)
        alone = said.stated(wanted)
        if not is_explicit and not said.writes.isdisjoint(wanted):
            alone |= said.reads
            for shape in record.readers.get(body.shape, ()):
                if shape in record.runs:
                    total |= record.said(record.runs[shape]).reads
        own.append(alone)
        total |= alone
    return any(alone != total for alone in own)


def is_simple(record: JobShapes, shown: Mapping[bytes, bytes]) -> bool:
    """Whether every input feeds every output, in every run and under the names by which datasets are shown."""
    if record.declared or record.explicit or record.foreign or not record.is_whole:
        return False
    for body in record.runs.values():
        if body.jobs or body.references or any(record.job in edge for edge in body.edges):
            return False
        written = set(body.writes)
        if any(part.dataset not in written for part in body.outputs):
            return False
    if any(target not in record.writing for body in record.inferred for _, target in body.stated):
        return False
    reads = {shown.get(node, node) for body in record.runs.values() for node in body.reads}
    groups: dict[bytes, set[bytes]] = {}
    for target in record.writing:
        groups.setdefault(shown.get(target, target), set()).add(target)
    for targets in groups.values():
        sources = {shown.get(node, node) for node in sources_of(record, targets)}
        if sources != reads or is_contested(record, targets):
            return False
    return True


def writes_in_several(record: JobShapes, shown: Mapping[bytes, bytes]) -> bool:
    """Whether several shapes write the same output, so that it matters to its columns which of them count."""
    writers: dict[bytes, set[bytes]] = {}
    for target, bodies in record.writing.items():
        writers.setdefault(shown.get(target, target), set()).update(body.shape for body in bodies)
    return any(len(shapes) > 1 for shapes in writers.values())


def named_in(bodies: Iterable[ShapeBody]) -> set[bytes]:
    """All datasets and jobs that these shapes name."""
    found: set[bytes] = set()
    for body in bodies:
        found.update(part.dataset for parts in (body.inputs, body.outputs, body.subjects) for part in parts)
        found.update(end for edge in body.edges for end in edge)
        found.update(body.references)
        found.update(body.jobs)
    return found
