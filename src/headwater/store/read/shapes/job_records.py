"""Reads records of jobs: a small job whole, of a large one only the part about some of its datasets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from headwater.graph.current.flows import MOST_SHAPES, JobShapes
from headwater.graph.current.shape_body import ShapeBody
from headwater.openlineage.event import EventKind
from headwater.store.read.lookup import Lookup
from headwater.store.read.shapes.current_shapes import INFERRED, ApplyingShapes
from headwater.store.read.shapes.deciding_runs import Pair
from headwater.store.read.shapes.newest_shapes import newest_shapes

__all__ = ["JobRecords"]

_RUN = EventKind.RUN.value
_IS_LARGE = (
    "SELECT n.node, (SELECT s.shape FROM shape s WHERE s.tenant = n.tenant AND s.job = n.node "
    f"ORDER BY s.shape LIMIT 1 OFFSET {MOST_SHAPES}) FROM node n WHERE n.tenant = ? AND n.node {{ids}}"
)
_SHAPES = "SELECT job, shape FROM shape WHERE tenant = ? AND job {ids}"
_READERS = "SELECT writer, reader, [last] FROM shape_pair WHERE tenant = ? AND writer {ids}"
_WRITERS = "SELECT reader, writer, [last] FROM shape_pair WHERE tenant = ? AND reader {ids}"


class JobRecords:
    """Reads records for one question."""

    def __init__(self, tenant: int, lookup: Lookup, applying: ApplyingShapes) -> None:
        self._tenant, self._lookup, self._applying = tenant, lookup, applying
        self.last_runs: dict[Pair, bytes] = {}
        """By (reader, writer), the newest run with both."""

    def large(self, jobs: Collection[bytes]) -> set[bytes]:
        """Those of these jobs that have too many shapes to read them all."""
        return {job for job, shape in self._lookup.rows(_IS_LARGE, self._tenant, jobs) if shape is not None}

    def whole(self, groups: Mapping[bytes, Collection[bytes]]) -> dict[bytes, JobShapes]:
        """All that is known of these jobs, none of them large; a job may have several ids."""
        owner = {member: job for job, members in groups.items() for member in members}
        rows = self._lookup.rows(_SHAPES, self._tenant, owner)
        shapes: dict[bytes, set[bytes]] = {job: set() for job in groups}
        for member, shape in rows:
            shapes[owner[member]].add(shape)
        return self._records(groups, shapes, is_whole=True)

    def partial(
        self, groups: Mapping[bytes, Collection[bytes]], shapes: Mapping[bytes, Collection[bytes]]
    ) -> dict[bytes, JobShapes]:
        """Records of these jobs from some of their shapes, and the other shapes of the same runs."""
        return self._records(groups, shapes, is_whole=False)

    def some(self, members: Collection[bytes]) -> tuple[list[ShapeBody], int]:
        """The newest shapes of a large job, as many as are looked at, and how many are not."""
        shapes, left = newest_shapes(self._lookup, self._tenant, members)
        bodies = [body for body in self._applying.bodies(shapes).values() if body.job in members and self._counts(body)]
        return bodies, left

    def writers_of(self, readers: Collection[bytes]) -> dict[bytes, set[bytes]]:
        """By shape, output shapes of the same runs."""
        return self._beyond(_WRITERS, readers)

    def _all_of(self, record: JobShapes, members: Collection[bytes]) -> list[ShapeBody]:
        """All shapes of a job in the time of the question."""
        if not self._applying.takes_all_time:
            return self._applying.of_jobs({record.job: members}).get(record.job, [])
        if record.is_whole:
            return [*record.runs.values(), *record.declared]
        return self.some(members)[0]

    def _counts(self, body: ShapeBody) -> bool:
        return self._applying.wants(body)

    def _records(
        self, groups: Mapping[bytes, Collection[bytes]], shapes: Mapping[bytes, Collection[bytes]], *, is_whole: bool
    ) -> dict[bytes, JobShapes]:
        applying = self._applying
        bodies = applying.bodies({shape for listed in shapes.values() for shape in listed})
        own: dict[bytes, dict[bytes, ShapeBody]] = {job: {} for job in groups}
        inferred: dict[bytes, list[ShapeBody]] = defaultdict(list)
        has_declared = set(groups) if not is_whole or applying.by_hand.any else set()
        for job, listed in shapes.items():
            for shape in listed:
                body = bodies.get(shape)
                if body is None or not self._counts(body):
                    continue
                if body.kind != _RUN:
                    has_declared.add(job)
                elif body.origin == INFERRED:
                    inferred[job].append(body)
                else:
                    own[job][shape] = body
        declared = applying.declared({job: groups[job] for job in has_declared})
        writers = {shape for runs in own.values() for shape, body in runs.items() if any(True for _ in body.writes)}
        readers = self._beyond(_READERS, writers)
        missing = {shape for found in readers.values() for shape in found} - bodies.keys()
        others = {shape: body for shape, body in applying.bodies(missing).items() if self._counts(body)}
        found: dict[bytes, JobShapes] = {}
        for job, runs in own.items():
            of_job = {shape: readers[shape] for shape in runs if shape in readers}
            other_jobs = {shape for shapes_of_run in of_job.values() for shape in shapes_of_run} - runs.keys()
            foreign = {
                shape: body for shape in other_jobs if (body := others.get(shape) or bodies.get(shape)) is not None
            }
            members = groups[job]
            record = JobShapes(
                job,
                {**runs, **foreign},
                of_job,
                tuple(declared.get(job, ())),
                tuple(inferred.get(job, ())),
                foreign=frozenset(shape for shape, body in foreign.items() if body.job not in members),
                is_whole=is_whole,
            )
            if any(not set(body.reads) and set(body.writes) for body in record.declared):
                record.reads = frozenset(node for body in self._all_of(record, members) for node in body.reads)
            record.index()
            found[job] = record
        return found

    def _beyond(self, sql: str, shapes: Collection[bytes]) -> dict[bytes, set[bytes]]:
        """By shape, those that it is paired with, be it through a run of very many shapes."""
        down = sql is _WRITERS
        rows = self._lookup.rows(sql, self._tenant, shapes)
        known = self._applying.bodies({other for _, other, _ in rows})
        runs = {other for _, other, _ in rows} - known.keys()
        through: dict[bytes, list[tuple[bytes, bytes]]] = defaultdict(list)
        for run, other, last in self._lookup.rows(sql, self._tenant, runs) if runs else ():
            through[run].append((other, last))
        found: dict[bytes, set[bytes]] = {}
        for shape, other, last in rows:
            for far, stamp in ((other, last),) if other in known else through.get(other, ()):
                if far != shape:
                    found.setdefault(shape, set()).add(far)
                    pair = (shape, far) if down else (far, shape)
                    run = bytes(stamp)[8:] if stamp is not None else b""
                    if other not in known:
                        self.last_runs.setdefault(pair, run)
                    else:
                        self.last_runs[pair] = run
        return found
