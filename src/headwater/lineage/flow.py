"""Which way data flows: from datasets into jobs and out of them again.

A job with two outputs may have said, in a `lineage` facet, which input feeds which. So a walk does not arrive at a job
as such but at a job on behalf of a dataset (`Step`), and leaves it only towards what that dataset has to do with. Where
every input feeds every output the job is one step, whichever dataset led there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from headwater.graph.facts import NodeKind, Role
from headwater.lineage.view import JobView
from headwater.store.aliases import Aliases
from headwater.store.held import ALWAYS, Held, Window
from headwater.store.lookup import Lookup
from headwater.store.past import dropped_at_moment
from headwater.store.read import Reader
from headwater.store.shapes import ShapeBody

__all__ = ["Flow", "Step"]

_TOUCHING = "SELECT dataset, shape FROM shape_dataset WHERE tenant = ? AND dataset {{ids}} AND [role] IN ({roles})"
_READ = _TOUCHING.format(roles=f"{int(Role.INPUT)}, {int(Role.REFERENCE)}, {int(Role.JOB)}")
_WRITTEN = _TOUCHING.format(roles=f"{int(Role.OUTPUT)}, {int(Role.SUBJECT)}, {int(Role.JOB)}")
_KINDS = "SELECT node, kind FROM node WHERE tenant = ? AND node {ids}"


class Step(NamedTuple):
    """A dataset; or a job, reached on behalf of a dataset, or (via is None) for its own sake."""

    node: bytes
    via: bytes | None = None


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
        self.held = Held(tenant, self.lookup, reader.shapes, window, origins=origins, job_types=job_types)
        self.views: dict[bytes, JobView] = {}
        """Every job that was looked at, by the id under which it is shown."""
        self._is_job: dict[bytes, bool] = {}
        self._dropped: dict[bytes, bool] = {}

    def downstream(self, steps: list[Step]) -> Mapping[Step, set[Step]]:
        """Jobs that read a dataset; datasets that a job writes."""
        return self._neighbours(steps, down=True)

    def upstream(self, steps: list[Step]) -> Mapping[Step, set[Step]]:
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
        self.aliases.learn(nodes)
        if self.aliases.any:
            members = {member: node for node in nodes for member in self.aliases.group(node)}
        else:
            members = {node: node for node in nodes}
        rows = self.lookup.rows(_READ if down else _WRITTEN, self._tenant, members)
        return members, [(row[0], row[1]) for row in rows]

    def _neighbours(self, steps: list[Step], *, down: bool) -> Mapping[Step, set[Step]]:
        self._classify({step.node for step in steps})
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
        self._look_at(doers | {step.node for step in steps if self._is_job[step.node]})
        directly = self._directly(stated, members, down=down)
        gone = self.dropped(node for node in nodes if not self._is_job[node])
        found: dict[Step, set[Step]] = {}
        for step in steps:
            if step.node in gone:
                found[step] = set()
            elif self._is_job[step.node]:
                view = self.views[self._shown(step.node)]
                others = view.targets(step.via) if down else view.sources(step.via)
                found[step] = {self._step(other, step.node, down=down) for other in others}
            else:
                found[step] = {
                    Step(job, self.views[job].via(step.node, down=down))
                    for job in map(self._shown, jobs[step.node])
                    if self.views[job].touches(step.node, down=down)
                }
            found[step] |= {self._step(other, step.node, down=down) for other in directly.get(step.node, ())}
            found[step] = {other for other in found[step] if other.node != step.node}
        return self._without_dropped(found)

    def _step(self, other: bytes, node: bytes, *, down: bool) -> Step:
        """A step to a node that an edge names; a job is then reached on behalf of where the edge comes from."""
        view = self.views.get(other)
        return Step(other) if view is None else Step(other, view.via(node, down=down))

    def _without_dropped(self, found: dict[Step, set[Step]]) -> dict[Step, set[Step]]:
        gone = self.dropped({other.node for others in found.values() for other in others if other.node not in self.views})
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
        self._look_at({body.job for _, body in stated if body.job is not None})
        ends = [
            (members[one], other)
            for _, body in stated
            if self._holds(body, current)
            for source, target in body.edges
            for one, other in (((source, target),) if down else ((target, source),))
            if one in members
        ]
        self.aliases.learn(other for _, other in ends)
        self._classify({self._shown(other) for _, other in ends})
        found: dict[bytes, set[bytes]] = {}
        for node, other in ends:
            found.setdefault(node, set()).add(self._shown(other))
        self._look_at({other for others in found.values() for other in others if self._is_job[other]})
        return found

    def _holds(self, body: ShapeBody, current: Mapping[bytes, ShapeBody]) -> bool:
        if body.job is not None:
            return body.shape in self.views[self._shown(body.job)].shapes
        newest = current.get(body.subject or b"")
        return newest is not None and newest.shape == body.shape

    def _shown(self, node: bytes) -> bytes:
        return self.aliases.canonical(node)

    def _classify(self, nodes: Collection[bytes]) -> None:
        """Find out which of these are jobs."""
        unknown = [node for node in nodes if node not in self._is_job]
        if unknown:
            kinds = dict(self.lookup.rows(_KINDS, self._tenant, unknown))
            for node in unknown:
                self._is_job[node] = kinds.get(node) == NodeKind.JOB

    def _look_at(self, jobs: Collection[bytes]) -> None:
        """Learn what these jobs do."""
        self.aliases.learn(jobs)
        unknown = {job for job in map(self._shown, jobs) if job not in self.views}
        if not unknown:
            return
        groups = {job: self.aliases.group(job) for job in unknown}
        held = self.held.of_jobs(groups)
        if self.aliases.any:
            named = {end for bodies in held.values() for body in bodies for end in _named(body)}
            self.aliases.learn(named)
        for job in unknown:
            self._is_job[job] = True
            view = self.views[job] = JobView.of(job, held.get(job, ()), self.aliases)
            if not any(body.jobs for body in view.bodies):
                for node in view.read | view.written:
                    self._is_job.setdefault(node, False)


def _named(body: ShapeBody) -> Iterable[bytes]:
    for part in (*body.inputs, *body.outputs):
        yield part.dataset
    for source, target in body.edges:
        yield source
        yield target
