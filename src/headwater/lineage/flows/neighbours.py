"""Neighbours of datasets and jobs: from a dataset to the jobs that read or write it, and on to datasets.

`graph.current` decides which flows apply, for one output of a job at a time. This module looks them up for a whole
level of a walk, from the cache of the tenant's graph if they are there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from headwater.graph.current.shape_body import ShapeBody
from headwater.lineage.flows.cached_steps import remembered
from headwater.lineage.flows.out_of_datasets import OutOfDatasets
from headwater.lineage.flows.step import Step, behalf_of, node_at
from headwater.openlineage.event import EventKind
from headwater.store.cache.tenant_graph import ALONE, DatasetUse
from headwater.store.read.shapes.deciding_runs import newest_runs_of

__all__ = ["Flow", "Step"]

_RUN = EventKind.RUN.value
_NEWEST_EVENT = "SELECT MAX(seq) FROM sqlite_sequence WHERE name = 'lineage_events'"
_NOBODY: frozenset[Step] = frozenset()


class Flow(OutOfDatasets):
    """The neighbours of datasets and jobs, for one question."""

    def downstream(self, steps: list[Step]) -> Mapping[Step, Collection[Step]]:
        """Jobs that read a dataset; datasets that a job writes."""
        return self._neighbours(steps, down=True)

    def upstream(self, steps: list[Step]) -> Mapping[Step, Collection[Step]]:
        """Jobs that write a dataset; datasets that a job reads."""
        return self._neighbours(steps, down=False)

    def known_places(self, datasets: Collection[bytes], *, down: bool) -> dict[bytes, tuple[DatasetUse, ...]]:
        """Where shapes that count read (or write) these, of those of which that is remembered."""
        if self._view is None:
            return {}
        graph = self._view.graph
        memory, doers = (graph.reading, graph.readers) if down else (graph.writing, graph.writers)
        found: dict[bytes, tuple[DatasetUse, ...]] = {}
        for dataset in datasets:
            uses = memory.get(dataset)
            if uses is not None or doers.get(dataset) == ():
                found[dataset] = uses or ()
        return found

    def keep_places(self, uses: Mapping[bytes, tuple[DatasetUse, ...]], *, down: bool) -> None:
        if self._view is not None:
            graph, weight = self._view.graph, sum(map(len, uses.values()))
            graph.keep(
                self._view.version,
                graph.reading if down else graph.writing,
                uses,
                len(uses) + 3 * weight,
            )

    def cached_columns(self, *, down: bool) -> Mapping[bytes, Mapping[str, Any]]:
        """By dataset and column, the next columns downstream (or upstream), as far as they are cached."""
        return {} if self._view is None else self._view.graph.edge_cache(down=down).kept

    def keep_columns(self, found: Mapping[tuple[bytes, str], Any], *, down: bool) -> None:
        """Caches column edges, except of datasets of which only some shapes apply."""
        if self._view is None:
            return
        lasting = self.known_places({dataset for dataset, _ in found}, down=down)
        transformations_of: dict[bytes, dict[str, Any]] = {}
        for (dataset, column), beyond in found.items():
            if dataset in lasting:
                transformations_of.setdefault(dataset, {})[column] = beyond
        self._view.graph.keep_edges(self._view.version, self._view.graph.edge_cache(down=down), transformations_of)

    @property
    def until_next_event(self) -> dict[bytes, dict[Any, Any]]:
        """Entries that hold until the next event:

        by job, edges as answers show them; by dataset, times of column edges.
        """
        if self._until_next_event is None:
            self._until_next_event = {}
            if self._view is not None and self.lookup.sees_one_moment and self._view.version >= 0:
                ((newest,),) = self.lookup.all(_NEWEST_EVENT)
                self._until_next_event = self._view.graph.until_next_event(newest or 0)
        return self._until_next_event

    @property
    def known_edges(self) -> Mapping[bytes, Mapping[bytes, Any]]:
        """By job, those of its edges of which is remembered how they are shown."""
        return {} if self._view is None else self._view.graph.edges.kept

    def keep_edges(self, edges: Mapping[bytes, Mapping[bytes, Any]]) -> None:
        if self._view is not None:
            self._view.graph.keep_edges(self._view.version, self._view.graph.edges, edges)

    def _neighbours(self, steps: list[Step], *, down: bool) -> Mapping[Step, Collection[Step]]:
        if self._view is None:
            return self._without_dropped(self._looked_up(steps, down=down))
        found, unknown = remembered(steps, self._view.graph, down=down)
        if unknown:
            found.update(self._looked_up(unknown, down=down))
        return found

    def _looked_up(self, steps: list[Step], *, down: bool) -> dict[Step, AbstractSet[Step]]:
        nodes = set(map(node_at, steps))
        self.classify(nodes)
        datasets = {node for node in nodes if not self._is_job[node]}
        jobs = nodes - datasets
        members, rows = self.uses_of(nodes, down=down)
        bodies = self.applying.bodies({shape for _, shape in rows})
        uses_of = [(member, bodies[shape]) for member, shape in rows if shape in bodies]
        direct = self._direct(jobs, members, uses_of, down=down)
        beyond = self._readers(datasets, members, uses_of) if down else self._writers(datasets)
        found: dict[Step, AbstractSet[Step]] = {}
        wanted = {behalf for step in steps if (behalf := behalf_of(step)) is not None}
        into = self.into(wanted) if not down else {}
        targets = self._targets_of([step for step in steps if behalf_of(step)]) if down else {}
        for step in steps:
            node, behalf = node_at(step), behalf_of(step)
            if not self._is_job[node]:
                others: AbstractSet[Step] = beyond.get(node, _NOBODY)
            elif behalf is None:
                others = self._own(node, down=down)
            elif down:
                others = targets.get(step, _NOBODY)
            else:
                flow = into[behalf].get(node)
                others = flow.sources if flow is not None else _NOBODY
            found[step] = others | direct[node] if node in direct else others
        if self._view is not None:
            alone = dict.fromkeys(jobs - direct.keys(), ALONE)
            graph, version = self._view
            graph.keep(version, graph.readers if down else graph.writers, alone, 4 * len(alone))
        return found

    def _writers(self, datasets: Collection[bytes]) -> dict[bytes, set[Step]]:
        """Steps to the jobs that write these datasets."""
        found: dict[bytes, set[Step]] = {}
        writers: dict[bytes, tuple[bytes, ...]] = {}
        for dataset, jobs in self.into(datasets).items():
            found[dataset] = {self._step(job, dataset) for job in jobs}
            writers[dataset] = tuple(jobs)
            self._is_job.update(dict.fromkeys(jobs, True))
        if self._view is not None:
            lasting = {dataset: jobs for dataset, jobs in writers.items() if dataset in self._view.graph.into}
            weight = sum(4 + len(jobs) for jobs in lasting.values())
            self._view.graph.keep(self._view.version, self._view.graph.writers, lasting, weight)
        return found

    def _readers(
        self, datasets: Collection[bytes], members: Mapping[bytes, bytes], uses_of: list[tuple[bytes, ShapeBody]]
    ) -> dict[bytes, set[Step]]:
        """Steps to the jobs that read these datasets."""
        reading: dict[bytes, dict[bytes, set[bytes]]] = {dataset: {} for dataset in datasets}
        doers = {body.job for member, body in uses_of if body.job is not None and member not in body.jobs}
        if self._resolve:
            self.aliases.learn(doers)
        other_shapes = self._other_writers({body.shape: body for _, body in uses_of if body.kind == _RUN})
        for member, body in uses_of:
            if body.job is not None and members[member] in reading and member not in body.jobs:
                for job in (self._shown(body.job), *other_shapes.get(body.shape, ())):
                    reading[members[member]].setdefault(job, set()).add(body.shape)
        for dataset, hidden in self.hidden_from(reading).items():
            for job in hidden & reading[dataset].keys():
                del reading[dataset][job]
        steps = [job + dataset for dataset, jobs in reading.items() for job in jobs]
        targets = self._targets_of(steps, reading)
        reads = self._reads(reading)
        found: dict[bytes, set[Step]] = {}
        readers: dict[bytes, tuple[bytes, ...]] = {}
        for dataset, jobs in reading.items():
            doing = tuple(job for job in jobs if targets.get(job + dataset) or (job, dataset) in reads)
            readers[dataset] = doing
            found[dataset] = {self._step(job, dataset) for job in doing}
            self._is_job.update(dict.fromkeys(doing, True))
        if self._view is not None:
            direct = {
                members[member]
                for member, body in uses_of
                if body.job is None or member in body.jobs or any(member in edge for edge in body.direct)
            }
            lasting = {dataset: jobs for dataset, jobs in readers.items() if dataset not in direct}
            weight = sum(4 + len(jobs) for jobs in lasting.values())
            self._view.graph.keep(self._view.version, self._view.graph.readers, lasting, weight)
        return found

    def _other_writers(self, bodies: Mapping[bytes, ShapeBody]) -> dict[bytes, set[bytes]]:
        """By shape, other jobs with an output shape in the same run.

        Some producers know the name of their job only when they know its output.
        """
        writers = self._records.writers_of(bodies)
        writer_bodies = self.applying.bodies({writer for found in writers.values() for writer in found})
        jobs = {
            shape: {
                writer_bodies[writer].job or b""
                for writer in found
                if writer_bodies[writer].job not in (None, bodies[shape].job)
            }
            for shape, found in writers.items()
        }
        self.aliases.learn({job for found in jobs.values() for job in found})
        return {shape: set(map(self._shown, found)) for shape, found in jobs.items() if found}

    def _reads(self, reading: Mapping[bytes, Mapping[bytes, set[bytes]]]) -> set[tuple[bytes, bytes]]:
        """(job, dataset) wherever a shape that counts names the dataset as read."""
        bodies = self.applying.bodies(
            {shape for jobs in reading.values() for shapes in jobs.values() for shape in shapes}
        )
        counting = {shape for shape, body in bodies.items() if body.kind == _RUN and self.applying.wants(body)}
        doers = {job for jobs in reading.values() for job in jobs}
        if self.window.as_of is not None:
            groups = {job: self._group(job) for job in doers}
            counting = {body.shape for listed in self.applying.of_jobs(groups).values() for body in listed}
        elif not self.window.is_always:
            since, until = self.window.bounds
            rows = newest_runs_of(self.tenant, self.lookup, counting, since, until, failed=True)
            counting = {shape for shape, run in rows if run is not None}
        if self.window.as_of is None:
            with_events = {body.job for body in bodies.values() if body.kind != _RUN and body.job is not None}
            groups = {self._shown(job): self._group(self._shown(job)) for job in with_events}
            counting |= {body.shape for listed in self.applying.declared(groups).values() for body in listed}
        return {
            (job, dataset)
            for dataset, jobs in reading.items()
            for job, shapes in jobs.items()
            if not counting.isdisjoint(shapes)
        }

    def _own(self, job: bytes, *, down: bool) -> AbstractSet[Step]:
        """Everything that a job writes (or reads)."""
        self._learn([job])
        if not self.window.is_always:
            bodies: Collection[ShapeBody] = self.applying.of_jobs({job: self._group(job)}).get(job, [])
        elif job in self._whole:
            record = self._whole[job]
            own = [body for shape, body in record.runs.items() if not down or shape not in record.foreign]
            bodies = [*own, *record.declared, *record.inferred]
        else:
            some, left = self._records.some(self._group(job))
            self._count_cut(job, left)
            declared = self.applying.declared({job: self._group(job)}).get(job, [])
            bodies = [*(body for body in some if body.kind == _RUN), *declared]
        if down:
            ends = {part.dataset for body in bodies for part in body.outputs}
            ends.update(end for body in bodies for end in body.writes)
        else:
            ends = {end for body in bodies for end in (*body.reads, *body.references)}
        ends.update(edge[1] if down else edge[0] for body in bodies for edge in body.stated)
        self.aliases.learn(ends)
        shown = frozenset(map(self._shown, ends))
        hidden = self.hidden_from([job]) if down else self.hidden_into([job])
        shown -= hidden.get(job, set())
        self._is_job.update(dict.fromkeys(shown, False))
        return shown

    def _direct(
        self,
        jobs: Collection[bytes],
        members: Mapping[bytes, bytes],
        uses_of: list[tuple[bytes, ShapeBody]],
        *,
        down: bool,
    ) -> dict[bytes, set[Step]]:
        """Flows that lead through no job: of a dataset event, or from or to a job that a `lineage` facet names."""
        near, far = (0, 1) if down else (1, 0)
        self._learn(jobs)
        own = [
            (job, body)
            for job in jobs
            if job in self._whole
            for body in (*self._whole[job].runs.values(), *self._whole[job].declared)
        ]
        named = [
            *((member, body) for member, body in uses_of if body.job is None or body.jobs),
            *((member, body) for job, body in own if body.jobs for member in self._group(job)),
        ]
        if not named:
            return {}
        subjects = {body.subject for _, body in named if body.job is None and body.subject}
        self.aliases.learn(subjects)
        about = {self._shown(subject): self._group(self._shown(subject)) for subject in subjects}
        events = {body.shape for listed in self.applying.of_datasets(about).values() for body in listed}
        doers = {body.job for _, body in named if body.job is not None}
        groups = {self._shown(job): self._group(self._shown(job)) for job in doers}
        events |= {body.shape for listed in self.applying.of_jobs(groups).values() for body in listed}
        ends = {
            (members.get(member, self._shown(member)), edge[far])
            for member, body in named
            if body.shape in events
            for edge in body.direct
            if edge[near] == member
        }
        self.aliases.learn({other for _, other in ends})
        shown = {(node, self._shown(other)) for node, other in ends}
        near_ends = {node for node, _ in shown}
        hidden = self.hidden_from(near_ends) if down else self.hidden_into(near_ends)
        shown = {(node, other) for node, other in shown if other not in hidden.get(node, ())}
        self.classify({other for _, other in shown})
        found: dict[bytes, set[Step]] = defaultdict(set)
        for node, other in shown:
            found[node].add(other)
        return dict(found)

    def _step(self, job: bytes, dataset: bytes) -> Step:
        """The step to a job of a walk that comes from a dataset."""
        is_one = self._view is not None and job in self._view.graph.targets
        return job if is_one else job + dataset

    def _without_dropped(self, found: dict[Step, AbstractSet[Step]]) -> dict[Step, AbstractSet[Step]]:
        if self.window.as_of is None:
            return found
        nodes = {node_at(step) for near, others in found.items() for step in (near, *others)}
        self.classify(nodes)
        gone = self.dropped(node for node in nodes if not self._is_job[node])
        if not gone:
            return found
        return {
            step: {other for other in others if node_at(other) not in gone} if node_at(step) not in gone else _NOBODY
            for step, others in found.items()
        }
