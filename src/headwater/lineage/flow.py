"""Which way data flows: from datasets into jobs and out of them again.

A job with two outputs may have said, in a `lineage` facet, which input feeds which. So a walk does not arrive at a job
as such but at a job on behalf of a dataset (`Step`), and leaves it only towards what that dataset has to do with. Where
every input feeds every output the job is one step, whichever dataset led there.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from headwater.graph.facts import NodeKind, Role
from headwater.lineage.view import JobView, Step, behalf_of, node_at
from headwater.openlineage.event import EventKind
from headwater.store.aliases import Aliases, sight_of
from headwater.store.atlas import ALONE, Chart, Place, Sight
from headwater.store.held import ALWAYS, Held, Window
from headwater.store.lookup import Lookup
from headwater.store.names import Name, names_of
from headwater.store.past import dropped_at_moment
from headwater.store.read import Reader
from headwater.store.shapes import ShapeBody

__all__ = ["Flow", "Step"]

_RUN = EventKind.RUN.value
_TOUCHING = "SELECT dataset, shape FROM shape_dataset WHERE tenant = ? AND dataset {{ids}} AND [role] IN ({roles})"
_READ = _TOUCHING.format(roles=f"{int(Role.INPUT)}, {int(Role.REFERENCE)}, {int(Role.JOB)}")
_WRITTEN = _TOUCHING.format(roles=f"{int(Role.OUTPUT)}, {int(Role.SUBJECT)}, {int(Role.JOB)}")
_NOBODY: frozenset[Step] = frozenset()


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
        with_views: bool = False,
    ) -> None:
        """`with_views` for a question that needs to know of every job what exactly it said."""
        self._tenant, self._window = tenant, window
        self.lookup = lookup or Lookup(reader.engine)
        self.held = Held(tenant, self.lookup, reader.shapes, window, origins=origins, job_types=job_types)
        self._sight = sight_of(reader, tenant, self.lookup) if self.held.takes_all else None
        known = self._sight.chart.aliases if self._sight else None
        self.aliases = Aliases(reader, tenant, self.lookup, window.as_of, memory=known)
        self._resolve = self.aliases.any
        if with_views or self.aliases.any_renames:
            self._sight = None  # a name that was given away may get a new meaning, which nobody notes
        self._memory, self._called = reader.views, reader.called
        self.views: dict[bytes, JobView] = {}
        """Every job that was looked at, by the id under which it is shown."""
        self._is_job: dict[bytes, bool] = {}
        self._dropped: dict[bytes, bool] = {}

    def downstream(self, steps: list[Step]) -> Mapping[Step, Collection[Step]]:
        """Jobs that read a dataset; datasets that a job writes."""
        return self._neighbours(steps, down=True)

    def upstream(self, steps: list[Step]) -> Mapping[Step, Collection[Step]]:
        """Jobs that write a dataset; datasets that a job reads."""
        return self._neighbours(steps, down=False)

    def is_job(self, node: bytes) -> bool:
        return node in self.views or self._is_job.get(node, False)

    def output_types(self, jobs: Collection[bytes]) -> dict[tuple[bytes, bytes], int]:
        """By job and dataset, everything that these jobs did to what they write."""
        found: dict[tuple[bytes, bytes], int] = {}
        others: list[bytes] = []
        for job in jobs:
            targets = self._sight.chart.targets.get(job) if self._sight is not None else None
            if targets is None or self._sight is None:
                others.append(job)
            else:
                types = self._sight.chart.types.get(job, ())
                found.update(((job, dataset), done) for dataset, done in zip(targets, types, strict=False) if done)
        self.look_at(others)
        for job in others:
            found.update(((job, dataset), done) for dataset, done in self.views[job].types(self._shown).items() if done)
        return found

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
        return members, rows

    def holding(self, kinds: Mapping[bytes, str]) -> set[bytes]:
        """Of these shapes, with their kinds, those that count for this question."""
        held = {shape for shape, kind in kinds.items() if kind == _RUN} if self.held.takes_all else set()
        if len(held) == len(kinds):
            return held
        others = self.held.bodies(kinds.keys() - held).values()
        self.look_at({body.job for body in others if body.job is not None})
        current = self.held.of_datasets({body.subject for body in others if body.job is None and body.subject})
        return held | {body.shape for body in others if self._holds(body, current)}

    def known_places(self, datasets: Collection[bytes], *, down: bool) -> dict[bytes, tuple[Place, ...]]:
        """Where shapes that count read (or write) these, of those of which that is remembered."""
        if self._sight is None:
            return {}
        chart = self._sight.chart
        memory, doers = (chart.reading, chart.readers) if down else (chart.writing, chart.writers)
        found: dict[bytes, tuple[Place, ...]] = {}
        for dataset in datasets:
            places = memory.get(dataset)
            if places is not None or doers.get(dataset) == ():
                found[dataset] = places or ()
        return found

    def keep_places(self, places: Mapping[bytes, tuple[Place, ...]], *, down: bool) -> None:
        if self._sight is not None:
            chart, weight = self._sight.chart, sum(map(len, places.values()))
            chart.keep(self._sight.version, chart.reading if down else chart.writing, places, len(places) + 3 * weight)

    def known_ways(self, *, down: bool) -> Mapping[bytes, Mapping[str, Any]]:
        """By dataset and column, where values go to (or come from) in one step, as far as that is remembered."""
        return {} if self._sight is None else self._sight.chart.shelf(down=down).kept

    def keep_ways(self, found: Mapping[tuple[bytes, str], Any], *, down: bool) -> None:
        """Remember ways of columns, but for datasets of which not all that was ever said counts."""
        if self._sight is None:
            return
        lasting = self.known_places({dataset for dataset, _ in found}, down=down)
        ways: dict[bytes, dict[str, Any]] = {}
        for (dataset, column), beyond in found.items():
            if dataset in lasting:
                ways.setdefault(dataset, {})[column] = beyond
        self._sight.chart.keep_on(self._sight.version, self._sight.chart.shelf(down=down), ways)

    @property
    def known_edges(self) -> Mapping[bytes, Mapping[bytes, Any]]:
        """By job, those of its edges of which is remembered how they are shown."""
        return {} if self._sight is None else self._sight.chart.edges.kept

    def keep_edges(self, edges: Mapping[bytes, Mapping[bytes, Any]]) -> None:
        if self._sight is not None:
            self._sight.chart.keep_on(self._sight.version, self._sight.chart.edges, edges)

    def _neighbours(self, steps: list[Step], *, down: bool) -> Mapping[Step, Collection[Step]]:
        if self._sight is None:
            return self._without_dropped(self._looked_up(steps, down=down))
        found, unknown = self._remembered(steps, self._sight.chart, down=down)
        if unknown:
            found.update(self._looked_up(unknown, down=down))
        return found

    def _remembered(
        self, steps: list[Step], chart: Chart, *, down: bool
    ) -> tuple[dict[Step, Collection[Step]], list[Step]]:
        """What need not be looked up, and the steps that must be."""
        touching, ends = (chart.readers, chart.targets) if down else (chart.writers, chart.sources)
        simple, unknown = chart.targets, []
        found: dict[Step, Collection[Step]] = {}
        for step in steps:
            others: Collection[Step] | None = ends.get(step)
            if others is None:
                node = node_at(step)
                jobs = touching.get(node)
                is_simple = jobs is not None and all(job in simple for job in jobs)
                others = jobs if is_simple or jobs is None else self._weighed(step, node, jobs, chart, down=down)
            if others is None:
                unknown.append(step)
            else:
                found[step] = others
        return found, unknown

    def _weighed(
        self, step: Step, node: bytes, jobs: tuple[bytes, ...], chart: Chart, *, down: bool
    ) -> Collection[Step] | None:
        """The neighbours of a step where some job is not simple; None if not all of them are remembered."""
        if jobs is ALONE:
            view = chart.views.get(node)
            if view is None:
                return None
            self.views[node] = view
            found: Collection[Step] = view.targets(behalf_of(step)) if down else view.sources(behalf_of(step))
            return found
        doing: set[Step] = set()
        for job in jobs:
            if job in chart.targets:
                doing.add(job)
                continue
            view = chart.views.get(job)
            if view is None:
                return None
            self.views[job] = view
            if node in (view.read if down else view.written):
                doing.add(view.step(job, node, down=down))
        return doing

    def _looked_up(self, steps: list[Step], *, down: bool) -> dict[Step, AbstractSet[Step]]:
        nodes = set(map(node_at, steps))
        self.classify(nodes)
        members, touching = self.touching(nodes, down=down)
        bodies = self.held.bodies({shape for _, shape in touching})
        stated: list[tuple[bytes, ShapeBody]] = []
        doers: list[tuple[bytes, bytes]] = []
        for member, shape in touching:
            body = bodies.get(shape)
            if body is None:
                continue
            if body.job is None or member in body.jobs:
                stated.append((member, body))
            else:
                doers.append((members[member], body.job))
        self.look_at({job for _, job in doers}.union(node for node in nodes if self._is_job[node]))
        if self._sight is not None:
            self._keep_touching(self._sight, nodes - {members[member] for member, _ in stated}, doers, down=down)
        directly = self._directly(stated, members, down=down)
        found = self._beyond(steps, self._doers(doers, down=down), down=down)
        for step in steps if directly else ():
            node = node_at(step)
            if node in directly:
                found[step] = found[step] | {self._step(other, node, down=down) for other in directly[node]}
        return found

    def _keep_touching(
        self, sight: Sight, nodes: Collection[bytes], doers: list[tuple[bytes, bytes]], *, down: bool
    ) -> None:
        """Remember who reads (or writes) these, of which no flow is stated but by the jobs themselves."""
        jobs: dict[bytes, set[bytes]] = {}
        for dataset, job in doers:
            jobs.setdefault(dataset, set()).add(self._shown(job) if self._resolve else job)
        found: dict[bytes, tuple[bytes, ...]] = {}
        simple: dict[bytes, JobView] = {}
        for node in nodes:
            if not self._is_job[node]:
                found[node] = tuple(jobs.get(node, ()))
            elif self.views[node].is_simple:
                simple[node] = self.views[node]
            elif not self.views[node].names_jobs:
                found[node] = ALONE
        chart, version = sight
        chart.keep(version, chart.readers if down else chart.writers, found, 4 * len(found) + len(doers))
        chart.keep(version, chart.sources, {job: tuple(view.inputs) for job, view in simple.items()}, 2 * len(simple))
        types = {job: view.types(self._shown) for job, view in simple.items()}
        chart.keep(version, chart.types, {job: tuple(done.values()) for job, done in types.items()}, len(simple))
        chart.keep(version, chart.targets, {job: tuple(done) for job, done in types.items()}, 2 * len(simple))

    def _doers(self, pairs: list[tuple[bytes, bytes]], *, down: bool) -> dict[bytes, set[Step]]:
        """Of datasets, and jobs that may read (or write) them, the steps to those that do."""
        found: dict[bytes, set[Step]] = {}
        for dataset, job in pairs:
            shown = self._shown(job) if self._resolve else job
            view = self.views[shown]
            if dataset in (view.read if down else view.written):
                found.setdefault(dataset, set()).add(view.step(shown, dataset, down=down))
        return found

    def _beyond(
        self, steps: list[Step], doers: Mapping[bytes, set[Step]], *, down: bool
    ) -> dict[Step, AbstractSet[Step]]:
        """Where datasets lead: to jobs; and jobs, on behalf of a dataset or for their own sake."""
        found: dict[Step, AbstractSet[Step]] = {}
        for step in steps:
            job = node_at(step)
            if not self._is_job[job]:
                found[step] = doers.get(step, _NOBODY)
                continue
            view, dataset = self.views[job], behalf_of(step)
            others = view.targets(dataset) if down else view.sources(dataset)
            if view.names_jobs:
                others = {self._step(other, job, down=down) for other in others if other != job}
            found[step] = others
        return found

    def _step(self, other: bytes, node: bytes, *, down: bool) -> Step:
        """A step to a node that an edge names; a job is then reached on behalf of where the edge comes from."""
        view = self.views.get(other)
        return other if view is None else view.step(other, node, down=down)

    def _without_dropped(self, found: dict[Step, AbstractSet[Step]]) -> dict[Step, AbstractSet[Step]]:
        if self._window.as_of is None:
            return found
        nodes = {node_at(step) for near, others in found.items() for step in (near, *others)}
        gone = self.dropped(node for node in nodes if node not in self.views)
        if not gone:
            return found
        return {
            step: {other for other in others if node_at(other) not in gone} if node_at(step) not in gone else _NOBODY
            for step, others in found.items()
        }

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

    def names(self, nodes: Collection[bytes]) -> dict[bytes, Name]:
        """What these nodes are called."""
        known = self._called.known(self._tenant, nodes)
        if len(known) < len(nodes):
            new = names_of(self._tenant, self.lookup, [node for node in nodes if node not in known])
            for node, name in new.items():
                self._called.put(self._tenant, node, name, 1)
            known |= new
        return known

    def classify(self, nodes: Collection[bytes]) -> None:
        """Find out which of these are jobs."""
        unknown = [node for node in nodes if node not in self._is_job]
        if unknown:
            names = self.names(unknown)
            for node in unknown:
                self._is_job[node] = node in names and names[node].kind is NodeKind.JOB

    def look_at(self, jobs: Collection[bytes]) -> None:
        """Learn what these jobs do."""
        if self._resolve:
            self.aliases.learn(jobs)
            jobs = set(map(self._shown, jobs))
        unknown = [job for job in jobs if job not in self.views]
        if unknown and self._sight is not None:
            known = {job: view for job in unknown if (view := self._sight.chart.views.get(job)) is not None}
            for job, view in known.items():
                self._settle(job, view)
            unknown = [job for job in unknown if job not in known]
        if not unknown:
            return
        self._view(unknown)
        if self._sight is not None:
            made = {job: self.views[job] for job in unknown}
            weight = sum(8 + 2 * len(view.edges) + len(view.read) + len(view.written) for view in made.values())
            self._sight.chart.keep(self._sight.version, self._sight.chart.views, made, weight)

    def _view(self, unknown: Collection[bytes]) -> None:
        """Look up what these jobs do, by the ids under which they are shown."""
        if not self._resolve:
            self._settle_remembered(self.held.of_jobs({job: (job,) for job in unknown}), unknown)
            return
        held = self.held.of_jobs({job: self.aliases.group(job) for job in unknown})
        self.aliases.learn({end for bodies in held.values() for body in bodies for end in _named(body)})
        for job in unknown:
            self._settle(job, JobView.of(job, held.get(job, ()), self._shown))

    def _settle_remembered(self, held: Mapping[bytes, list[ShapeBody]], jobs: Collection[bytes]) -> None:
        """Without aliases a view depends on nothing but the shapes it is made of."""
        keys = {job: _view_key(job, held.get(job, [])) for job in jobs}
        known = self._memory.known(self._tenant, keys.values())
        for job, key in keys.items():
            view = known.get(key)
            if view is None:
                view = JobView.of(job, held.get(job, ()), None)
                self._memory.put(self._tenant, key, view, 8 + len(view.read) + len(view.written) + len(view.edges))
            self._settle(job, view)

    def _settle(self, job: bytes, view: JobView) -> None:
        self._is_job[job] = True
        self.views[job] = view
        if not view.names_jobs:
            self._is_job.update(dict.fromkeys(view.read, False))
            self._is_job.update(dict.fromkeys(view.written, False))


def _view_key(job: bytes, bodies: list[ShapeBody]) -> Hashable:
    return bodies[0].shape if len(bodies) == 1 else (job, *sorted(body.shape for body in bodies))


def _named(body: ShapeBody) -> Iterable[bytes]:
    for part in (*body.inputs, *body.outputs):
        yield part.dataset
    for source, target in body.edges:
        yield source
        yield target
