"""Which shapes of a job or dataset count: of all time, of a window, or those that held at one moment.

Runs add up within a window; at a moment a job says what its newest run says: the newest that by then named any data or
ended. Of job and dataset events the newest holds, until the next.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import TypeVar

from msgspec import Struct

from headwater.graph.facts import Role
from headwater.openlineage.event import EventKind
from headwater.openlineage.identity import stamp, stamp_time
from headwater.store.lookup import Lookup
from headwater.store.past import newest_runs
from headwater.store.shapes import ShapeBody, ShapeMemory

__all__ = ["ALWAYS", "Held", "Window"]

_K = TypeVar("_K")
_RUN = EventKind.RUN.value
_JOB_SHAPES = "SELECT job, shape FROM shape WHERE tenant = ? AND job {ids}"
_SUBJECT_SHAPES = (
    f"SELECT dataset, shape FROM shape_dataset WHERE tenant = ? AND dataset {{ids}} AND [role] = {int(Role.SUBJECT)}"
)
_EVIDENCE = "SELECT shape, first_seen, [last] FROM evidence WHERE tenant = ? AND shape {ids}"
_DECLARED = "SELECT node, stamp, shape FROM declaration WHERE tenant = ? AND node {ids} AND stamp < ?"
_RUNS_BETWEEN = (
    "SELECT r.job, s.shape FROM run r JOIN run_shape s ON s.tenant = r.tenant AND s.run = r.run "
    "WHERE r.tenant = ? AND r.job {ids} AND r.first_seen <= ? AND r.last_seen >= ? "
    "AND s.first_seen <= ? AND s.last_seen >= ?"
)


class Window(Struct, frozen=True):
    """What time a question is about; times in microseconds, both ends included."""

    since: int | None = None
    until: int | None = None
    as_of: int | None = None

    @property
    def is_always(self) -> bool:
        return self.since is None and self.until is None and self.as_of is None


ALWAYS = Window()


class Held:
    """The shapes that count for one question."""

    def __init__(
        self,
        tenant: int,
        lookup: Lookup,
        memory: ShapeMemory,
        window: Window = ALWAYS,
        *,
        origins: Collection[str] = (),
        job_types: Collection[str] = (),
    ) -> None:
        self._tenant, self._lookup, self._memory, self._window = tenant, lookup, memory, window
        self._origins, self._job_types = frozenset(origins), frozenset(job_types)
        self.said_at: dict[bytes, int] = {}
        """At a moment: when the run that says a shape began to say it, or the event that declares it came."""

    @property
    def takes_all(self) -> bool:
        """Whether whatever a run ever said counts."""
        return self._window.is_always and not self._origins and not self._job_types

    def of_jobs(self, groups: Mapping[bytes, Collection[bytes]]) -> dict[bytes, list[ShapeBody]]:
        """By job, what counts of it; a job may have several ids."""
        owner = {member: job for job, members in groups.items() for member in members}
        chosen = self._in_window(owner) if self._window.as_of is None else self._at_moment(owner)
        if not (self._origins or self._job_types):
            return chosen
        return {job: [body for body in bodies if self._wanted(body)] for job, bodies in chosen.items()}

    def of_datasets(self, datasets: Collection[bytes]) -> dict[bytes, ShapeBody]:
        """By dataset, what the newest dataset event about it says."""
        rows = self._lookup.rows(_SUBJECT_SHAPES, self._tenant, datasets)
        bodies = self.bodies({shape for _, shape in rows})
        rivals: dict[bytes, list[bytes]] = defaultdict(list)
        for dataset, shape in rows:
            if shape in bodies and bodies[shape].job is None:
                rivals[dataset].append(shape)
        newest = self._newest_declared(rivals)
        return {dataset: bodies[shape] for dataset, shape in newest.items() if self._wanted(bodies[shape])}

    def bodies(self, shapes: Collection[bytes]) -> dict[bytes, ShapeBody]:
        return self._memory.bodies(self._tenant, self._lookup, shapes)

    def _wanted(self, body: ShapeBody) -> bool:
        if self._origins and body.origin not in self._origins:
            return False
        return not self._job_types or body.job is None or body.job_type in self._job_types

    def _in_window(self, owner: Mapping[bytes, bytes]) -> dict[bytes, list[ShapeBody]]:
        rows = self._lookup.rows(_JOB_SHAPES, self._tenant, owner)
        bodies = self.bodies([row[1] for row in rows])
        chosen: dict[bytes, list[ShapeBody]] = {}
        declared: dict[tuple[bytes, str | None], list[bytes]] = {}  # no origin replaces another
        seen = None if self._window.is_always else self._seen_between(rows, bodies)
        for job, shape in rows:
            body = bodies.get(shape)
            if body is None:
                continue
            if body.kind != _RUN:
                declared.setdefault((owner[job], body.origin), []).append(shape)
            elif seen is None or shape in seen:
                chosen.setdefault(owner[job], []).append(body)
        for (job, _), shape in self._newest_declared(declared).items():
            chosen.setdefault(job, []).append(bodies[shape])
        return chosen

    def _seen_between(self, rows: list[tuple[bytes, bytes]], bodies: Mapping[bytes, ShapeBody]) -> set[bytes]:
        """Those shapes that some run said within the window."""
        since, until = self._bounds
        ran = {shape: job for job, shape in rows if shape in bodies and bodies[shape].kind == _RUN}
        certain: set[bytes] = set()
        spanning: set[bytes] = set()
        for shape, first, last in self._evidence(ran):
            if first is None or last is None or first > until or last < since:
                continue
            if first >= since or last <= until:
                certain.add(shape)
            else:
                spanning.add(shape)  # said before and after, perhaps not in between
        if spanning:
            jobs = {ran[shape] for shape in spanning}
            said = self._lookup.rows(_RUNS_BETWEEN, self._tenant, jobs, until, since, until, since)
            certain |= spanning & {shape for _, shape in said}
        return certain

    def _at_moment(self, owner: Mapping[bytes, bytes]) -> dict[bytes, list[ShapeBody]]:
        moment = self._window.as_of or 0
        chosen: dict[bytes, list[bytes]] = defaultdict(list)
        newest: dict[bytes, tuple[tuple[int, bytes], dict[bytes, int]]] = {}
        for job, (order, said) in newest_runs(self._tenant, self._lookup, owner, moment, self.bodies).items():
            best = newest.get(owner[job])
            if best is None or order > best[0]:
                newest[owner[job]] = order, said
        for job, (_, said) in newest.items():
            chosen[job] += said
            for shape, time in said.items():
                self.said_at[shape] = max(time, self.said_at.get(shape, time))
        members: dict[bytes, bytes] = {}
        latest: dict[bytes, bytes] = {}
        for node, declared_stamp, shape in self._declared(owner):
            job = owner[node]
            if job not in latest or declared_stamp > latest[job]:
                latest[job], members[job] = declared_stamp, shape
        for job, shape in members.items():
            chosen[job].append(shape)
            self.said_at[shape] = stamp_time(latest[job])
        bodies = self.bodies({shape for shapes in chosen.values() for shape in shapes})
        return {job: [bodies[shape] for shape in shapes if shape in bodies] for job, shapes in chosen.items()}

    def _newest_declared(self, rivals: Mapping[_K, Collection[bytes]]) -> dict[_K, bytes]:
        """Of the job or dataset events about one thing, the newest that counts."""
        if not rivals:
            return {}
        if self._window.is_always:
            several = {shape for shapes in rivals.values() if len(shapes) > 1 for shape in shapes}
            last = {shape: said for shape, _, said in self._rows_of_evidence(several)}
            return {node: max(shapes, key=lambda shape: last.get(shape) or b"") for node, shapes in rivals.items()}
        since, _ = self._bounds
        newest: dict[_K, tuple[bytes, bytes]] = {}
        owner: dict[bytes, list[_K]] = defaultdict(list)
        for node, shapes in rivals.items():
            for shape in shapes:
                owner[shape].append(node)
        nodes = {self_id for shape in owner for self_id in self._declarers(shape)}
        for _, declared_stamp, shape in self._declared(nodes):
            for node in owner.get(shape, ()):
                if node not in newest or declared_stamp > newest[node][0]:
                    newest[node] = declared_stamp, shape
        found = {}
        for node, (declared_stamp, shape) in newest.items():
            if self._window.as_of is not None or stamp_time(declared_stamp) >= since:
                found[node] = shape
                self.said_at[shape] = stamp_time(declared_stamp)
        return found

    def _declarers(self, shape: bytes) -> list[bytes]:
        body = self.bodies([shape]).get(shape)
        node = (body.job or body.subject) if body else None
        return [node] if node else []

    def _declared(self, nodes: Collection[bytes]) -> list[tuple[bytes, bytes, bytes]]:
        """All that was declared by the end of the window, as (node, stamp, shape)."""
        _, until = self._bounds
        rows = self._lookup.rows(_DECLARED, self._tenant, nodes, stamp(until + 1, b""))
        return [(node, bytes(declared), shape) for node, declared, shape in rows if shape is not None]

    @cached_property
    def _bounds(self) -> tuple[int, int]:
        window, far = self._window, 1 << 62
        if window.as_of is not None:
            return -far, window.as_of
        return -far if window.since is None else window.since, far if window.until is None else window.until

    def _rows_of_evidence(self, shapes: Collection[bytes]) -> list[tuple[bytes, int | None, bytes | None]]:
        return [(row[0], row[1], row[2]) for row in self._lookup.rows(_EVIDENCE, self._tenant, shapes)]

    def _evidence(self, shapes: Collection[bytes]) -> list[tuple[bytes, int | None, int | None]]:
        return [
            (shape, first, stamp_time(last) if last is not None else None)
            for shape, first, last in self._rows_of_evidence(shapes)
        ]
