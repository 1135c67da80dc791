"""Which way data flows: from datasets into jobs and out of them again.

A job with two outputs may have said, in a `lineage` facet, which input feeds which. So a walk does not arrive at a job
as such but at a job on behalf of a dataset (`Step`), and leaves it only towards what that dataset has to do with. Where
every input feeds every output the job is one step, whichever dataset led there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet

from headwater.graph.facts import NodeKind, Role
from headwater.lineage.view import JobView, Step
from headwater.openlineage.event import EventKind
from headwater.store.aliases import Aliases
from headwater.store.held import ALWAYS, Held, Window
from headwater.store.lookup import Lookup
from headwater.store.past import dropped_at_moment
from headwater.store.read import Reader
from headwater.store.shapes import ShapeBody

__all__ = ["Flow", "Step"]

_RUN = EventKind.RUN.value
_TOUCHING = "SELECT dataset, shape FROM shape_dataset WHERE tenant = ? AND dataset {{ids}} AND [role] IN ({roles})"
_READ = _TOUCHING.format(roles=f"{int(Role.INPUT)}, {int(Role.REFERENCE)}, {int(Role.JOB)}")
_WRITTEN = _TOUCHING.format(roles=f"{int(Role.OUTPUT)}, {int(Role.SUBJECT)}, {int(Role.JOB)}")
_KINDS = "SELECT node, kind FROM node WHERE tenant = ? AND node {ids}"


class Flow:
    """The neighbours of datasets and jobs, for one question. All names of a dataset are one node."""

    def __init__(
        self,
        reader: Reader,
        tenant: int,
        *,
        lookup: Lookup | None = None,
        window: Window = ALWAYS,
        origins: Collection[str] = (),
        job_types: Collection[str] = (),
    ) -> None:
        self._tenant, self._window = tenant, window
        self.lookup = lookup or Lookup(reader.engine)
        self.aliases = Aliases(reader, tenant, self.lookup, window.as_of)
        self._resolve = self.aliases.any
        self._memory = reader.views
        self.held = Held(tenant, self.lookup, reader.shapes, window, origins=origins, job_types=job_types)
        self.views: dict[bytes, JobView] = {}
        """Every job that was looked at, by the id under which it is shown."""
        self._is_job: dict[bytes, bool] = {}
        self._dropped: dict[bytes, bool] = {}

    def downstream(self, steps: list[Step]) -> Mapping[Step, AbstractSet[Step]]:
        """Jobs that read a dataset; datasets that a job writes."""
        return self._neighbours(steps, down=True)

    def upstream(self, steps: list[Step]) -> Mapping[Step, AbstractSet[Step]]:
        """Jobs that write a dataset; datasets that a job reads."""
        return self._neighbours(steps, down=False)

    def is_job(self, node: bytes) -> bool:
        return self._is_job.get(node, False)

    def dropped(self, datasets: Iterable[bytes]) -> set[bytes]:
        """Those that are not there at the moment asked about; without a moment, none."""
        moment = self._window.as_of
        if moment is None:
            return set()
        wanted = list(datasets)
        unknown = [dataset for dataset in wanted if dataset not in self._dropped]
        self.aliases.learn(unknown)
        groups = {dataset: self.aliases.group(dataset) for dataset in unknown}
        gone = dropped_at_moment(self._tenant, self.lookup, groups, moment, self.held.bodies)
        self._dropped |= {dataset: dataset in gone for dataset in unknown}
        return {dataset for dataset in wanted if self._dropped[dataset]}

    def touching(self, nodes: Collection[bytes], *, down: bool) -> tuple[dict[bytes, bytes], list[tuple[bytes, bytes]]]:
        """All ids of these nodes with the node each belongs to, and (id, shape) wherever one is read (or written)."""
        if self._resolve:
            self.aliases.learn(nodes)
            members = {member: node for node in nodes for member in self.aliases.group(node)}
        else:
            members = {node: node for node in nodes}
        rows = self.lookup.rows(_READ if down else _WRITTEN, self._tenant, members)
        return members, [(row[0], row[1]) for row in rows]

    def holding(self, bodies: Collection[ShapeBody]) -> set[bytes]:
        """Those shapes that count for this question."""
        held = {body.shape for body in bodies if self.held.takes_all and body.kind == _RUN}
        others = [body for body in bodies if body.shape not in held]
        self.look_at({body.job for body in others if body.job is not None})
        current = self.held.of_datasets({body.subject for body in others if body.job is None and body.subject})
        return held | {body.shape for body in others if self._holds(body, current)}

    def _neighbours(self, steps: list[Step], *, down: bool) -> Mapping[Step, AbstractSet[Step]]:
        self.classify({step.node for step in steps})
        nodes = {step.node for step in steps}
        members, touching = self.touching(nodes, down=down)
        bodies = self.held.bodies({shape for _, shape in touching})
        jobs: dict[bytes, set[bytes]] = {node: set() for node in nodes}
        stated: list[tuple[bytes, ShapeBody]] = []
        doers: set[bytes] = set()
        for member, shape in touching:
            body = bodies.get(shape)
            if body is None:
                continue
            if body.job is None or member in body.jobs:
                stated.append((member, body))
            else:
                jobs[members[member]].add(body.job)
                doers.add(body.job)
        self.look_at(doers | {step.node for step in steps if self._is_job[step.node]})
        directly = self._directly(stated, members, down=down)
        gone = self.dropped(node for node in nodes if not self._is_job[node])
        found: dict[Step, AbstractSet[Step]] = {}
        for step in steps:
            node = step.node
            if node in gone:
                found[step] = set()
                continue
            if self._is_job[node]:
                found[step] = self._beyond(step, down=down)
            else:
                found[step] = self._doers(node, jobs[node], down=down)
            if node in directly:
                found[step] = found[step] | {self._step(other, node, down=down) for other in directly[node]}
        return self._without_dropped(found)

    def _beyond(self, step: Step, *, down: bool) -> AbstractSet[Step]:
        """Where a job leads, on behalf of a dataset or for its own sake."""
        view = self.views[self._shown(step.node)]
        if step.via is None and not view.names_jobs:
            return view.written_steps if down else view.read_steps
        others = view.targets(step.via) if down else view.sources(step.via)
        return {self._step(other, step.node, down=down) for other in others if other != step.node}

    def _doers(self, dataset: bytes, jobs: set[bytes], *, down: bool) -> set[Step]:
        """The jobs that read (or write) a dataset."""
        views = self.views
        found = set()
        for job in map(self._shown, jobs) if self._resolve else jobs:
            view = views[job]
            if dataset in (view.read if down else view.written):
                via = view.via(dataset, down=down)
                found.add(view.step if via is None else Step(job, via))
        return found

    def _step(self, other: bytes, node: bytes, *, down: bool) -> Step:
        """A step to a node that an edge names; a job is then reached on behalf of where the edge comes from."""
        view = self.views.get(other)
        return Step(other) if view is None else Step(other, view.via(node, down=down))

    def _without_dropped(self, found: dict[Step, AbstractSet[Step]]) -> dict[Step, AbstractSet[Step]]:
        if self._window.as_of is None:
            return found
        gone = self.dropped(
            {other.node for others in found.values() for other in others if other.node not in self.views}
        )
        if not gone:
            return found
        return {step: {other for other in others if other.node not in gone} for step, others in found.items()}

    def _directly(
        self, stated: list[tuple[bytes, ShapeBody]], members: dict[bytes, bytes], *, down: bool
    ) -> dict[bytes, set[bytes]]:
        """Flows that no job's inputs and outputs show: of a dataset event, or from job to job."""
        if not stated:
            return {}
        current = self.held.of_datasets({body.subject for _, body in stated if body.job is None and body.subject})
        self.look_at({body.job for _, body in stated if body.job is not None})
        ends = [
            (members[one], other)
            for _, body in stated
            if self._holds(body, current)
            for source, target in body.edges
            for one, other in (((source, target),) if down else ((target, source),))
            if one in members
        ]
        self.aliases.learn(other for _, other in ends)
        self.classify({self._shown(other) for _, other in ends})
        found: dict[bytes, set[bytes]] = {}
        for node, other in ends:
            found.setdefault(node, set()).add(self._shown(other))
        self.look_at({other for others in found.values() for other in others if self._is_job[other]})
        return found

    def _holds(self, body: ShapeBody, current: Mapping[bytes, list[ShapeBody]]) -> bool:
        if body.job is not None:
            return body.shape in self.views[self._shown(body.job)].shapes
        return any(newest.shape == body.shape for newest in current.get(body.subject or b"", ()))

    def _shown(self, node: bytes) -> bytes:
        return self.aliases.canonical(node)

    def classify(self, nodes: Collection[bytes]) -> None:
        """Find out which of these are jobs."""
        unknown = [node for node in nodes if node not in self._is_job]
        if unknown:
            kinds = dict(self.lookup.rows(_KINDS, self._tenant, unknown))
            for node in unknown:
                self._is_job[node] = kinds.get(node) == NodeKind.JOB

    def look_at(self, jobs: Collection[bytes]) -> None:
        """Learn what these jobs do."""
        if self._resolve:
            self.aliases.learn(jobs)
            jobs = set(map(self._shown, jobs))
        unknown = [job for job in jobs if job not in self.views]
        if not unknown:
            return
        if not self._resolve:
            held = self.held.of_jobs({job: (job,) for job in unknown})
            for job in unknown:
                self._settle(job, self._remembered(job, held.get(job, [])))
            return
        held = self.held.of_jobs({job: self.aliases.group(job) for job in unknown})
        self.aliases.learn({end for bodies in held.values() for body in bodies for end in _named(body)})
        for job in unknown:
            self._settle(job, JobView.of(job, held.get(job, ()), self._shown))

    def _remembered(self, job: bytes, bodies: list[ShapeBody]) -> JobView:
        """Without aliases a view depends on nothing but the shapes it is made of."""
        key = (
            (self._tenant, job, *sorted(body.shape for body in bodies))
            if len(bodies) != 1
            else (self._tenant, bodies[0].shape)
        )
        view = self._memory.get(key)
        if view is None:
            view = JobView.of(job, bodies, None)
            self._memory.put(key, view, 8 + len(view.read) + len(view.written) + len(view.edges))
        return view

    def _settle(self, job: bytes, view: JobView) -> None:
        self._is_job[job] = True
        self.views[job] = view
        if not view.names_jobs:
            for node in view.nodes:
                self._is_job[node] = False


def _named(body: ShapeBody) -> Iterable[bytes]:
    for part in (*body.inputs, *body.outputs):
        yield part.dataset
    for source, target in body.edges:
        yield source
        yield target
