"""Selects the shapes of a job or dataset that apply: all, within a window, or as of a moment.

In a window shapes of runs add up; as of a moment those of the job's newest run apply: the newest that by then had named
data or ended. Of job and dataset events the newest applies, until the next.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from headwater.graph.current.window import ALWAYS, Window
from headwater.graph.facts import Role
from headwater.openlineage.event import EventKind
from headwater.openlineage.identity import stamp, stamp_time
from headwater.store.read.lookup import Lookup
from headwater.store.read.shapes.as_of import newest_runs
from headwater.store.read.shapes.contents import ShapeBody, ShapeCache
from headwater.store.read.shapes.deciding_runs import newest_runs_of
from headwater.store.read.shapes.hand_edges import HandEdges, merged_bodies

__all__ = ["ALWAYS", "INFERRED", "ApplyingShapes", "Window"]

_RUN = EventKind.RUN.value
INFERRED = "sql"
"""The origin of column lineage that was worked out from SQL."""
_JOB_SHAPES = "SELECT job, shape FROM shape WHERE tenant = ? AND job {ids}"
_SUBJECT_SHAPES = (
    f"SELECT dataset, shape FROM shape_dataset WHERE tenant = ? AND dataset {{ids}} AND [role] = {int(Role.SUBJECT)}"
)
_EVIDENCE = "SELECT shape, first_seen, [last] FROM evidence WHERE tenant = ? AND shape {ids}"
_DECLARED = "SELECT node, stamp, shape FROM declaration WHERE tenant = ? AND node {ids} AND stamp < ?"


class ApplyingShapes:
    """The shapes that count for one question."""

    def __init__(
        self,
        tenant: int,
        lookup: Lookup,
        memory: ShapeCache,
        window: Window = ALWAYS,
        *,
        origins: Collection[str] = (),
        job_types: Collection[str] = (),
        shows_hidden: bool = False,
    ) -> None:
        self.by_hand = HandEdges(tenant, lookup, window, origins=origins, shows_hidden=shows_hidden)
        self._tenant, self._lookup, self._memory, self._window = tenant, lookup, memory, window
        self._origins, self._job_types = frozenset(origins), frozenset(job_types)
        self.stated_at: dict[bytes, int] = {}
        """As of a moment: time at which the run first stated the shape, or of the event that declares it."""

    @property
    def takes_all(self) -> bool:
        """Whether every shape that a run ever stated applies."""
        return self._window.is_always and not self._origins and not self._job_types

    @property
    def takes_all_time(self) -> bool:
        return self._window.is_always

    def of_jobs(self, groups: Mapping[bytes, Collection[bytes]]) -> dict[bytes, list[ShapeBody]]:
        """By job, the shapes that apply; a job may have several ids."""
        owner = {member: job for job, members in groups.items() for member in members}
        chosen = self._in_window(owner) if self._window.as_of is None else self._at_moment(owner)
        if self._origins or self._job_types:
            chosen = {job: [body for body in bodies if self.wants(body)] for job, bodies in chosen.items()}
        return self._with_stated(owner, chosen)

    def declared(self, groups: Mapping[bytes, Collection[bytes]]) -> dict[bytes, list[ShapeBody]]:
        """By job, the newest job event of each origin, and statements of people.

        A job may have several ids.
        """
        owner = {member: job for job, members in groups.items() for member in members}
        rivals: dict[bytes, set[bytes]] = defaultdict(set)
        for node, _, shape in self._declared(owner):
            rivals[owner[node]].add(shape)
        bodies = self.bodies({shape for shapes in rivals.values() for shape in shapes})
        rivals = {job: {shape for shape in shapes if shape in bodies} for job, shapes in rivals.items()}
        found: dict[bytes, list[ShapeBody]] = defaultdict(list)
        for job, shape in self._newest_declared(rivals):
            if self.wants(bodies[shape]):
                found[job].append(bodies[shape])
        return self._with_stated(owner, found)

    def _with_stated(
        self, owner: Mapping[bytes, bytes], found: Mapping[bytes, list[ShapeBody]]
    ) -> dict[bytes, list[ShapeBody]]:
        """With statements of people about the jobs."""
        stated: dict[bytes, list[ShapeBody]] = defaultdict(list)
        for member, bodies in self.by_hand.of_jobs(owner).items():
            stated[owner[member]] += bodies
        return merged_bodies(found, stated)

    def of_datasets(self, groups: Mapping[bytes, Collection[bytes]]) -> dict[bytes, list[ShapeBody]]:
        """By dataset, the newest dataset event of each origin, and statements of people."""
        owner = {member: dataset for dataset, members in groups.items() for member in members}
        rows = self._lookup.rows(_SUBJECT_SHAPES, self._tenant, owner)
        bodies = self.bodies({shape for _, shape in rows})
        rivals: dict[bytes, list[bytes]] = defaultdict(list)
        for dataset, shape in rows:
            if shape in bodies and bodies[shape].job is None:
                rivals[owner[dataset]].append(shape)
        found: dict[bytes, list[ShapeBody]] = defaultdict(list)
        for dataset, shape in self._newest_declared(rivals):
            if self.wants(bodies[shape]):
                found[dataset].append(bodies[shape])
        stated: dict[bytes, list[ShapeBody]] = defaultdict(list)
        for member, edges in self.by_hand.of_datasets(owner).items():
            stated[owner[member]] += edges
        return merged_bodies(found, stated)

    def declared_at(self, shapes: Collection[bytes]) -> dict[bytes, int]:
        """Last time at which job or dataset events stated these, by the end of the window."""
        wanted = set(shapes)
        nodes = {node for shape in wanted for node in self._declarers(shape)}
        found: dict[bytes, int] = {}
        for _, declared_stamp, shape in self._declared(nodes):
            if shape in wanted:
                found[shape] = max(stamp_time(declared_stamp), found.get(shape, 0))
        return found

    def bodies(self, shapes: Collection[bytes]) -> dict[bytes, ShapeBody]:
        return self._memory.bodies(self._tenant, self._lookup, shapes)

    def wants(self, body: ShapeBody) -> bool:
        """Whether a shape is of an origin and type of job that the question is about."""
        if self._origins and body.origin not in self._origins:
            return False
        return not self._job_types or body.job is None or body.job_type in self._job_types

    def _in_window(self, owner: Mapping[bytes, bytes]) -> dict[bytes, list[ShapeBody]]:
        rows = self._lookup.rows(_JOB_SHAPES, self._tenant, owner)
        bodies = self.bodies([row[1] for row in rows])
        chosen: dict[bytes, list[ShapeBody]] = {}
        declared: dict[bytes, list[bytes]] = {}
        seen = None if self._window.is_always else self._seen_between(rows, bodies)
        for job, shape in rows:
            body = bodies.get(shape)
            if body is None:
                continue
            if body.kind != _RUN:
                declared.setdefault(owner[job], []).append(shape)
            elif seen is None or shape in seen:
                chosen.setdefault(owner[job], []).append(body)
        for job, shape in self._newest_declared(declared):
            chosen.setdefault(job, []).append(bodies[shape])
        return chosen

    def _seen_between(self, rows: list[tuple[bytes, bytes]], bodies: Mapping[bytes, ShapeBody]) -> set[bytes]:
        """Shapes of runs that overlap the window, and inferred shapes seen in it."""
        since, until = self._window.bounds
        ran = {shape for _, shape in rows if shape in bodies and bodies[shape].kind == _RUN}
        inferred = {shape for shape in ran if bodies[shape].origin == INFERRED}
        found = newest_runs_of(self._tenant, self._lookup, ran - inferred, since, until, failed=True)
        seen = {
            shape
            for shape, first, last in self._evidence(inferred)
            if first is not None and last is not None and first <= until and last >= since
        }
        return seen | {shape for shape, run in found if run is not None}

    def _at_moment(self, owner: Mapping[bytes, bytes]) -> dict[bytes, list[ShapeBody]]:
        moment = self._window.as_of or 0
        chosen: dict[bytes, list[bytes]] = defaultdict(list)
        newest: dict[bytes, tuple[tuple[int, bytes], dict[bytes, int]]] = {}
        for job, (order, newest_shapes) in newest_runs(self._tenant, self._lookup, owner, moment, self.bodies).items():
            best = newest.get(owner[job])
            if best is None or order > best[0]:
                newest[owner[job]] = order, newest_shapes
        for job, (_, newest_shapes) in newest.items():
            chosen[job] += newest_shapes
            for shape, time in newest_shapes.items():
                self.stated_at[shape] = max(time, self.stated_at.get(shape, time))
        latest: dict[tuple[bytes, str | None], tuple[bytes, bytes]] = {}
        declared = self._declared(owner)
        described = self.bodies({shape for _, _, shape in declared})
        for node, declared_stamp, shape in declared:
            key = owner[node], described[shape].origin if shape in described else None
            if key not in latest or declared_stamp > latest[key][0]:
                latest[key] = declared_stamp, shape
        for (job, _), (declared_stamp, shape) in latest.items():
            chosen[job].append(shape)
            self.stated_at[shape] = stamp_time(declared_stamp)
        bodies = self.bodies({shape for shapes in chosen.values() for shape in shapes})
        applying = {job: [bodies[shape] for shape in shapes if shape in bodies] for job, shapes in chosen.items()}
        self._add_inferred(owner, applying, moment)
        return applying

    def _add_inferred(self, owner: Mapping[bytes, bytes], applying: dict[bytes, list[ShapeBody]], moment: int) -> None:
        """Add shapes inferred from the SQL of selected shapes; no run states those itself."""
        statements = {job: {body.sql for body in bodies if body.sql is not None} for job, bodies in applying.items()}
        jobs = [member for member, job in owner.items() if statements.get(job)]
        rows = self._lookup.rows(_JOB_SHAPES, self._tenant, jobs)
        bodies = self.bodies({shape for _, shape in rows})
        inferred = {
            shape: owner[job]
            for job, shape in rows
            if shape in bodies and bodies[shape].origin == INFERRED and bodies[shape].sql in statements[owner[job]]
        }
        for shape, first, _ in self._rows_of_evidence(inferred):
            if first is not None and first <= moment:
                applying[inferred[shape]].append(bodies[shape])

    def _newest_declared(self, rivals: Mapping[bytes, Collection[bytes]]) -> list[tuple[bytes, bytes]]:
        """Of the job or dataset events about one thing, the newest that counts; no origin replaces another."""
        if not rivals:
            return []
        shapes = {shape for listed in rivals.values() for shape in listed}
        origins = {shape: body.origin for shape, body in self.bodies(shapes).items()}
        stamps: dict[bytes, bytes] = {}
        if self._window.is_always:
            several = {shape for listed in rivals.values() if len(listed) > 1 for shape in listed}
            stamps = dict.fromkeys(shapes, b"")
            stamps |= {shape: last or b"" for shape, _, last in self._rows_of_evidence(several)}
        else:
            nodes = {node for shape in shapes for node in self._declarers(shape)}
            for _, declared_stamp, shape in self._declared(nodes):
                stamps[shape] = max(declared_stamp, stamps.get(shape, b""))
        newest: dict[tuple[bytes, str | None], bytes] = {}
        for node, listed in rivals.items():
            for shape in listed:
                key = node, origins.get(shape)
                if shape in stamps and (key not in newest or stamps[shape] > stamps[newest[key]]):
                    newest[key] = shape
        since, _ = self._window.bounds
        found = []
        for (node, _), shape in newest.items():
            if stamps[shape]:
                self.stated_at[shape] = stamp_time(stamps[shape])
            if self._window.is_always or self._window.as_of is not None or self.stated_at[shape] >= since:
                found.append((node, shape))
        return found

    def _declarers(self, shape: bytes) -> list[bytes]:
        body = self.bodies([shape]).get(shape)
        node = (body.job or body.subject) if body else None
        return [node] if node else []

    def _declared(self, nodes: Collection[bytes]) -> list[tuple[bytes, bytes, bytes]]:
        """All that was declared by the end of the window, as (node, stamp, shape)."""
        _, until = self._window.bounds
        rows = self._lookup.rows(_DECLARED, self._tenant, nodes, stamp(until + 1, b""))
        return [(node, bytes(declared), shape) for node, declared, shape in rows if shape is not None]

    def times(self, shapes: Collection[bytes]) -> list[tuple[bytes, int | None, bytes | None]]:
        """First time of each of these shapes, and stamp of the last."""
        return [*self._rows_of_evidence(shapes), *self.by_hand.times(shapes)]

    def _rows_of_evidence(self, shapes: Collection[bytes]) -> list[tuple[bytes, int | None, bytes | None]]:
        return [(row[0], row[1], row[2]) for row in self._lookup.rows(_EVIDENCE, self._tenant, shapes)]

    def _evidence(self, shapes: Collection[bytes]) -> list[tuple[bytes, int | None, int | None]]:
        return [
            (shape, first, stamp_time(last) if last is not None else None)
            for shape, first, last in self._rows_of_evidence(shapes)
        ]
