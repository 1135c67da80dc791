"""The neighbours of datasets and jobs: from a dataset to the jobs that read or write it, and on to datasets.

What flows where is decided by `graph.current`, for one output of a job at a time. Here it is looked up for whole levels
of a walk, and taken from the cache of the tenant's graph where that has it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from msgspec import structs

from headwater.graph.current.body import ShapeBody
from headwater.graph.current.flows import JobRecord, is_simple, parts_of, sources_of, targets_named
from headwater.graph.current.into import Into
from headwater.graph.current.window import ALWAYS, Window
from headwater.graph.facts import NodeKind, Role
from headwater.lineage.step import Step, behalf_of, node_at
from headwater.openlineage.event import EventKind
from headwater.store.aliases import Aliases, sight_of
from headwater.store.atlas import ALONE, Chart, Place
from headwater.store.deciding import Choice, Wanted, choose, newest_runs_of
from headwater.store.held import Held
from headwater.store.job_records import JobRecords
from headwater.store.lookup import Lookup
from headwater.store.names import Name, names_of
from headwater.store.past import dropped_at_moment
from headwater.store.read import Reader

__all__ = ["Flow", "Step"]

_RUN = EventKind.RUN.value
_TOUCHING = "SELECT dataset, shape FROM shape_dataset WHERE tenant = ? AND dataset {{ids}} AND [role] IN ({roles})"
_READ = _TOUCHING.format(roles=f"{int(Role.INPUT)}, {int(Role.REFERENCE)}, {int(Role.JOB)}")
_WRITTEN = _TOUCHING.format(roles=f"{int(Role.OUTPUT)}, {int(Role.SUBJECT)}, {int(Role.JOB)}")
_NEWEST_EVENT = "SELECT MAX(seq) FROM sqlite_sequence WHERE name = 'lineage_events'"
_NAMED_AS_JOB = f"SELECT dataset FROM shape_dataset WHERE tenant = ? AND dataset {{ids}} AND [role] = {int(Role.JOB)}"
_NOBODY: frozenset[Step] = frozenset()

Edge = tuple[bytes, bytes]


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
        self.tenant, self.window = tenant, window
        self.lookup = lookup or Lookup(reader.engine)
        self.held = Held(tenant, self.lookup, reader.shapes, window, origins=origins, job_types=job_types)
        self.cut: dict[Step, int] = {}
        """At which large jobs how many shapes were not looked at."""
        self._records = JobRecords(tenant, self.lookup, self.held)
        self._sight = sight_of(reader, tenant, self.lookup) if self.held.takes_all else None
        known = self._sight.chart.aliases if self._sight else None
        self.aliases = Aliases(reader, tenant, self.lookup, window.as_of, memory=known)
        self._resolve = self.aliases.any
        if self.aliases.any_renames:
            self._sight = None  # a name that was given away may get a new meaning, which nobody notes
        self._called = reader.called
        self._is_job: dict[bytes, bool] = {}
        self._dropped: dict[bytes, bool] = {}
        self._whole: dict[bytes, JobRecord] = {}
        self._large: set[bytes] = set()
        self._into: dict[bytes, dict[bytes, Into]] = {}
        self._recent: dict[bytes, dict[bytes, Any]] | None = None

    def downstream(self, steps: list[Step]) -> Mapping[Step, Collection[Step]]:
        """Jobs that read a dataset; datasets that a job writes."""
        return self._neighbours(steps, down=True)

    def upstream(self, steps: list[Step]) -> Mapping[Step, Collection[Step]]:
        """Jobs that write a dataset; datasets that a job reads."""
        return self._neighbours(steps, down=False)

    def is_job(self, node: bytes) -> bool:
        """Whether a node that this flow has met is a job."""
        return self._is_job.get(node, False)

    def into(self, targets: Collection[bytes]) -> dict[bytes, Mapping[bytes, Into]]:
        """By dataset and job, what flows into the dataset through the job."""
        found: dict[bytes, Mapping[bytes, Into]] = {}
        unknown: list[bytes] = []
        remembered = self._sight.chart.into if self._sight is not None else {}
        for target in targets:
            known = self._into.get(target) or remembered.get(target)
            if known is None:
                unknown.append(target)
            else:
                found[target] = known
        if unknown:
            found.update(self._looked_into(unknown))
        return found

    def output_types(self, pairs: Collection[Edge]) -> dict[Edge, int]:
        """By job and dataset, everything that the job did to what it writes."""
        found: dict[Edge, int] = {}
        others: list[Edge] = []
        chart = self._sight.chart if self._sight is not None else None
        for job, dataset in pairs:
            targets = chart.targets.get(job) if chart is not None else None
            if chart is None or targets is None or dataset not in targets:
                others.append((job, dataset))
            else:
                types = chart.types.get(job, ())
                place = targets.index(dataset)
                found[job, dataset] = types[place] if place < len(types) else 0
        known = self.into({dataset for _, dataset in others})
        for job, dataset in others:
            into = known[dataset].get(job)
            if into is not None:
                found[job, dataset] = into.types
            elif job in self._whole:  # dropped or altered, but not written
                found[job, dataset] = self._types_of(self._whole[job], dataset)
        return found

    def shapes_into(self, targets: Collection[bytes]) -> dict[bytes, set[bytes]]:
        """By dataset, the shapes that write it or state a flow into it, and count: of jobs and of dataset events."""
        wanted = set(targets)
        found: dict[bytes, set[bytes]] = {target: set() for target in wanted}
        for target, jobs in self.into(wanted).items():
            for into in jobs.values():
                found[target] |= into.shapes
        self.aliases.learn(wanted)
        members = {member: target for target in wanted for member in self.aliases.group(target)}
        for member, bodies in self.held.of_datasets(members).items():
            found[members[member]].update(body.shape for body in bodies)
        return found

    def possible_targets(self, sources: Collection[bytes]) -> tuple[set[bytes], set[bytes]]:
        """The jobs that ever read these datasets, and all that they may have made of them."""
        reading: dict[bytes, dict[bytes, set[bytes]]] = {source: {} for source in sources}
        members, rows = self.touching(sources, down=True)
        bodies = self.held.bodies({shape for _, shape in rows})
        self.aliases.learn({body.job for body in bodies.values() if body.job is not None})
        for member, shape in rows:
            body = bodies.get(shape)
            if body is not None and body.job is not None and member not in body.jobs:
                reading[members[member]].setdefault(self._shown(body.job), set()).add(shape)
        steps = [job + source for source, jobs in reading.items() for job in jobs]
        found = self._candidates(steps, reading)
        targets = {target for ends in found.values() for target in ends}
        subjects = {body.subject for body in bodies.values() if body.job is None and body.subject is not None}
        self.aliases.learn(subjects)
        return set(map(node_at, steps)), targets | set(map(self._shown, subjects))

    def all_targets(self, jobs: Collection[bytes]) -> tuple[set[bytes], set[bytes]]:
        """Everything that small jobs ever wrote; and the jobs that are too large to tell."""
        self._learn(jobs)
        found: set[bytes] = set()
        for job in jobs:
            record = self._whole.get(job)
            if record is not None:
                found.update(record.writing)
                found.update(target for body in (*record.declared, *record.inferred) for target in body.writes)
                found.update(target for body in (*record.declared, *record.inferred) for _, target in body.stated)
        self.aliases.learn(found)
        return set(map(self._shown, found)), {job for job in jobs if job not in self._whole}

    def counting(self, targets: Collection[bytes]) -> dict[bytes, set[bytes] | None]:
        """By dataset, the shapes that count for what flows into it; None if all shapes of runs do."""
        chart = self._sight.chart if self._sight is not None else None
        found: dict[bytes, set[bytes] | None] = {}
        for target in targets:
            jobs = chart.writers.get(target) if chart is not None else None
            if chart is not None and jobs is not None and all(job in chart.targets for job in jobs):
                found[target] = None
        found.update(self.shapes_into([target for target in targets if target not in found]))
        return found

    def is_simple(self, job: bytes) -> bool:
        """Whether it is remembered that every input of a job feeds every output in every run."""
        return self._sight is not None and job in self._sight.chart.targets

    def large(self, jobs: Collection[bytes]) -> set[bytes]:
        """Those of these jobs that have too many shapes to read them all."""
        return self._records.large(jobs)

    def targets_of(self, pairs: Collection[Edge]) -> dict[Edge, frozenset[bytes]]:
        """By dataset and job, what the dataset flows into through the job."""
        found = self._targets_of({job + source for source, job in pairs})
        return {(source, job): found[job + source] for source, job in pairs}

    def is_lasting(self, targets: Collection[bytes]) -> bool:
        """Whether what flows into these holds until a change is noted."""
        if self._sight is None:
            return False
        chart = self._sight.chart
        return all(
            target in chart.into or all(job in chart.targets for job in chart.writers.get(target, (b"",)))
            for target in targets
        )

    def dropped(self, datasets: Iterable[bytes]) -> set[bytes]:
        """Those that are not there at the moment asked about; without a moment, none."""
        moment = self.window.as_of
        if moment is None:
            return set()
        wanted = list(datasets)
        unknown = [dataset for dataset in wanted if dataset not in self._dropped]
        self.aliases.learn(unknown)
        groups = {dataset: self.aliases.group(dataset) for dataset in unknown}
        gone = dropped_at_moment(self.tenant, self.lookup, groups, moment, self.held.bodies)
        self._dropped |= {dataset: dataset in gone for dataset in unknown}
        return {dataset for dataset in wanted if self._dropped[dataset]}

    def touching(self, nodes: Collection[bytes], *, down: bool) -> tuple[dict[bytes, bytes], list[tuple[bytes, bytes]]]:
        """All ids of these nodes with the node each belongs to, and (id, shape) wherever one is read (or written)."""
        members = self._members(nodes)
        return members, self.lookup.rows(_READ if down else _WRITTEN, self.tenant, members)

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
    def recent_edges(self) -> dict[bytes, dict[bytes, Any]]:
        """By job, edges as answers show them, for as long as no event comes in."""
        if self._recent is None:
            self._recent = {}
            if self._sight is not None and self.lookup.sees_one_moment and self._sight.version >= 0:
                ((newest,),) = self.lookup.all(_NEWEST_EVENT)
                self._recent = self._sight.chart.recent(newest or 0)
        return self._recent

    @property
    def known_edges(self) -> Mapping[bytes, Mapping[bytes, Any]]:
        """By job, those of its edges of which is remembered how they are shown."""
        return {} if self._sight is None else self._sight.chart.edges.kept

    def keep_edges(self, edges: Mapping[bytes, Mapping[bytes, Any]]) -> None:
        if self._sight is not None:
            self._sight.chart.keep_on(self._sight.version, self._sight.chart.edges, edges)

    def names(self, nodes: Collection[bytes]) -> dict[bytes, Name]:
        """What these nodes are called."""
        known = self._called.known(self.tenant, nodes)
        if len(known) < len(nodes):
            new = names_of(self.tenant, self.lookup, [node for node in nodes if node not in known])
            for node, name in new.items():
                self._called.put(self.tenant, node, name, 1)
            known |= new
        return known

    def classify(self, nodes: Collection[bytes]) -> None:
        """Find out which of these are jobs."""
        unknown = [node for node in nodes if node not in self._is_job]
        if unknown:
            names = self.names(unknown)
            for node in unknown:
                self._is_job[node] = node in names and names[node].kind is NodeKind.JOB

    # --- neighbours ------------------------------------------------------------------------------------------------

    def _neighbours(self, steps: list[Step], *, down: bool) -> Mapping[Step, Collection[Step]]:
        if self._sight is None:
            return self._without_dropped(self._looked_up(steps, down=down))
        found, unknown = _remembered(steps, self._sight.chart, down=down)
        if unknown:
            found.update(self._looked_up(unknown, down=down))
        return found

    def _looked_up(self, steps: list[Step], *, down: bool) -> dict[Step, AbstractSet[Step]]:
        nodes = set(map(node_at, steps))
        self.classify(nodes)
        datasets = {node for node in nodes if not self._is_job[node]}
        jobs = nodes - datasets
        members, rows = self.touching(nodes, down=down)
        bodies = self.held.bodies({shape for _, shape in rows})
        touching = [(member, bodies[shape]) for member, shape in rows if shape in bodies]
        direct = self._direct(jobs, members, touching, down=down)
        beyond = self._readers(datasets, members, touching) if down else self._writers(datasets)
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
        if self._sight is not None:
            alone = dict.fromkeys(jobs - direct.keys(), ALONE)
            chart, version = self._sight
            chart.keep(version, chart.readers if down else chart.writers, alone, 4 * len(alone))
        return found

    def _writers(self, datasets: Collection[bytes]) -> dict[bytes, set[Step]]:
        """Steps to the jobs that write these datasets."""
        found: dict[bytes, set[Step]] = {}
        writers: dict[bytes, tuple[bytes, ...]] = {}
        for dataset, jobs in self.into(datasets).items():
            found[dataset] = {self._step(job, dataset) for job in jobs}
            writers[dataset] = tuple(jobs)
            self._is_job.update(dict.fromkeys(jobs, True))
        if self._sight is not None:
            lasting = {dataset: jobs for dataset, jobs in writers.items() if dataset in self._sight.chart.into}
            weight = sum(4 + len(jobs) for jobs in lasting.values())
            self._sight.chart.keep(self._sight.version, self._sight.chart.writers, lasting, weight)
        return found

    def _readers(
        self, datasets: Collection[bytes], members: Mapping[bytes, bytes], touching: list[tuple[bytes, ShapeBody]]
    ) -> dict[bytes, set[Step]]:
        """Steps to the jobs that read these datasets."""
        reading: dict[bytes, dict[bytes, set[bytes]]] = {dataset: {} for dataset in datasets}
        doers = {body.job for member, body in touching if body.job is not None and member not in body.jobs}
        if self._resolve:
            self.aliases.learn(doers)
        beside = self._other_writers({body.shape: body for _, body in touching if body.kind == _RUN})
        for member, body in touching:
            if body.job is not None and members[member] in reading and member not in body.jobs:
                for job in (self._shown(body.job), *beside.get(body.shape, ())):
                    reading[members[member]].setdefault(job, set()).add(body.shape)
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
        if self._sight is not None:
            direct = {
                members[member]
                for member, body in touching
                if body.job is None or member in body.jobs or any(member in edge for edge in body.direct)
            }
            lasting = {dataset: jobs for dataset, jobs in readers.items() if dataset not in direct}
            weight = sum(4 + len(jobs) for jobs in lasting.values())
            self._sight.chart.keep(self._sight.version, self._sight.chart.readers, lasting, weight)
        return found

    def _other_writers(self, bodies: Mapping[bytes, ShapeBody]) -> dict[bytes, set[bytes]]:
        """By shape, jobs other than its own of which a shape that writes was said by the same run.

        Some producers know the name of their job only when they know what it writes.
        """
        writers = self._records.writers_of(bodies)
        said = self.held.bodies({writer for found in writers.values() for writer in found})
        jobs = {
            shape: {said[writer].job or b"" for writer in found if said[writer].job not in (None, bodies[shape].job)}
            for shape, found in writers.items()
        }
        self.aliases.learn({job for found in jobs.values() for job in found})
        return {shape: set(map(self._shown, found)) for shape, found in jobs.items() if found}

    def _reads(self, reading: Mapping[bytes, Mapping[bytes, set[bytes]]]) -> set[tuple[bytes, bytes]]:
        """(job, dataset) wherever a shape that counts names the dataset as read."""
        bodies = self.held.bodies({shape for jobs in reading.values() for shapes in jobs.values() for shape in shapes})
        counting = {shape for shape, body in bodies.items() if body.kind == _RUN and self.held.wants(body)}
        doers = {job for jobs in reading.values() for job in jobs}
        if self.window.as_of is not None:
            groups = {job: self._group(job) for job in doers}
            counting = {body.shape for listed in self.held.of_jobs(groups).values() for body in listed}
        elif not self.window.is_always:
            since, until = self.window.bounds
            rows = newest_runs_of(self.tenant, self.lookup, counting, since, until, failed=True)
            counting = {shape for shape, run in rows if run is not None}
        if self.window.as_of is None:
            with_events = {body.job for body in bodies.values() if body.kind != _RUN and body.job is not None}
            groups = {self._shown(job): self._group(self._shown(job)) for job in with_events}
            counting |= {body.shape for listed in self.held.declared(groups).values() for body in listed}
        return {
            (job, dataset)
            for dataset, jobs in reading.items()
            for job, shapes in jobs.items()
            if not counting.isdisjoint(shapes)
        }

    def _targets_of(
        self, steps: Collection[Step], reading: Mapping[bytes, Mapping[bytes, set[bytes]]] | None = None
    ) -> dict[Step, frozenset[bytes]]:
        """By step to a job on behalf of a dataset, what the dataset flows into through the job."""
        chart = self._sight.chart if self._sight is not None else None
        found: dict[Step, frozenset[bytes]] = {}
        unknown: list[Step] = []
        for step in steps:
            known = chart.out.get(step) if chart is not None else None
            if known is None:
                unknown.append(step)
            else:
                found[step] = known
        if not unknown:
            return found
        possible = self._candidates(unknown, reading)
        into = self.into({target for targets in possible.values() for target in targets})
        lasting: dict[Step, frozenset[bytes]] = {}
        for step, targets in possible.items():
            job, source = node_at(step), behalf_of(step) or b""
            fed = {target for target in targets if job in into[target] and source in into[target][job].sources}
            found[step] = frozenset(fed - self.dropped(fed))
            if chart is not None and all(target in chart.into for target in targets):
                lasting[step] = found[step]
        if chart is not None and self._sight is not None:
            chart.keep_out(self._sight.version, lasting)
        return found

    def _candidates(
        self, steps: Collection[Step], reading: Mapping[bytes, Mapping[bytes, set[bytes]]] | None
    ) -> dict[Step, set[bytes]]:
        """What these jobs may make of these datasets."""
        jobs = {node_at(step) for step in steps}
        self._learn(jobs)
        found: dict[Step, set[bytes]] = {}
        large: dict[Step, set[bytes]] = {}
        alone: list[Step] = []
        for step in steps:
            job, source = node_at(step), behalf_of(step) or b""
            if job in self._whole:
                found[step] = targets_named(self._whole[job], self._group(source))
            elif reading is not None and source in reading:
                large[step] = reading[source].get(job, set())
            else:
                alone.append(step)
        large.update(self._read_by(alone))
        found.update(self._candidates_of_large(large))
        self.aliases.learn({target for targets in found.values() for target in targets})
        return {step: set(map(self._shown, targets)) for step, targets in found.items()}

    def _read_by(self, steps: Collection[Step]) -> dict[Step, set[bytes]]:
        """The shapes of each step's job that name its dataset as read."""
        if not steps:
            return {}
        found: dict[Step, set[bytes]] = {step: set() for step in steps}
        members, rows = self.touching({behalf_of(step) or b"" for step in steps}, down=True)
        bodies = self.held.bodies({shape for _, shape in rows})
        self.aliases.learn({body.job for body in bodies.values() if body.job is not None})
        for member, shape in rows:
            job = bodies[shape].job if shape in bodies else None
            step = self._shown(job) + members[member] if job is not None else b""
            if step in found:
                found[step].add(shape)
        return found

    def _candidates_of_large(self, reading: Mapping[Step, set[bytes]]) -> dict[Step, set[bytes]]:
        if not reading:
            return {}
        writers = self._records.writers_of({shape for shapes in reading.values() for shape in shapes})
        jobs = {node_at(step) for step in reading}
        partial = self._records.partial({job: self._group(job) for job in jobs}, dict.fromkeys(jobs, ()))
        found: dict[Step, set[bytes]] = {}
        for step, shapes in reading.items():
            bodies = self.held.bodies(shapes | {writer for shape in shapes for writer in writers.get(shape, ())})
            wanted = self._group(behalf_of(step) or b"")
            found[step] = {target for body in bodies.values() for target in body.writes}
            found[step].update(target for body in bodies.values() for one, target in body.stated if one in wanted)
            record = partial[node_at(step)]
            found[step] |= targets_named(record, wanted)
            if any(not set(body.writes) and not wanted.isdisjoint(body.reads) for body in record.declared):
                some, left = self._records.some(self._group(node_at(step)))
                found[step].update(target for body in some for target in body.writes)
                self._count_cut(step, left)
        return found

    def _own(self, job: bytes, *, down: bool) -> AbstractSet[Step]:
        """Everything that a job writes (or reads)."""
        self._learn([job])
        if not self.window.is_always:
            bodies: Collection[ShapeBody] = self.held.of_jobs({job: self._group(job)}).get(job, [])
        elif job in self._whole:
            record = self._whole[job]
            own = [body for shape, body in record.runs.items() if not down or shape not in record.foreign]
            bodies = [*own, *record.declared, *record.inferred]
        else:
            some, left = self._records.some(self._group(job))
            self._count_cut(job, left)
            declared = self.held.declared({job: self._group(job)}).get(job, [])
            bodies = [*(body for body in some if body.kind == _RUN), *declared]
        if down:
            ends = {part.dataset for body in bodies for part in body.outputs}
            ends.update(end for body in bodies for end in body.writes)
        else:
            ends = {end for body in bodies for end in (*body.reads, *body.references)}
        ends.update(edge[1] if down else edge[0] for body in bodies for edge in body.stated)
        self.aliases.learn(ends)
        shown = frozenset(map(self._shown, ends))
        self._is_job.update(dict.fromkeys(shown, False))
        return shown

    def _count_cut(self, step: Step, left: int) -> None:
        if left > 0:
            self.cut[step] = left

    def _direct(
        self,
        jobs: Collection[bytes],
        members: Mapping[bytes, bytes],
        touching: list[tuple[bytes, ShapeBody]],
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
            *((member, body) for member, body in touching if body.job is None or body.jobs),
            *((member, body) for job, body in own if body.jobs for member in self._group(job)),
        ]
        if not named:
            return {}
        subjects = {body.subject for _, body in named if body.job is None and body.subject}
        events = {body.shape for listed in self.held.of_datasets(subjects).values() for body in listed}
        doers = {body.job for _, body in named if body.job is not None}
        groups = {self._shown(job): self._group(self._shown(job)) for job in doers}
        events |= {body.shape for listed in self.held.of_jobs(groups).values() for body in listed}
        ends = {
            (members.get(member, self._shown(member)), edge[far])
            for member, body in named
            if body.shape in events
            for edge in body.direct
            if edge[near] == member
        }
        self.aliases.learn({other for _, other in ends})
        shown = {(node, self._shown(other)) for node, other in ends}
        self.classify({other for _, other in shown})
        found: dict[bytes, set[Step]] = defaultdict(set)
        for node, other in shown:
            found[node].add(other)
        return dict(found)

    # --- what flows into a dataset -----------------------------------------------------------------------------------

    def _looked_into(self, targets: Collection[bytes]) -> dict[bytes, Mapping[bytes, Into]]:
        members, rows = self.touching(targets, down=False)
        bodies = self.held.bodies({shape for _, shape in rows})
        shapes: dict[tuple[bytes, bytes], set[bytes]] = defaultdict(set)
        others: set[bytes] = set()
        doers = {body.job for body in bodies.values() if body.job is not None}
        if self._resolve:
            self.aliases.learn(doers)
        for member, shape in rows:
            body = bodies.get(shape)
            if body is None:
                continue
            if body.job is None or body.jobs:
                others.add(members[member])
            if body.job is not None and member not in body.jobs:
                shapes[self._shown(body.job), members[member]].add(shape)
        wanted = self._wanted(shapes)
        choices = choose(self.tenant, self.lookup, self.window, [item for _, item in wanted], self._records.last_runs)
        found: dict[bytes, dict[bytes, Into]] = {target: {} for target in targets}
        fleeting: set[bytes] = set(others)
        for ((job, target), item), choice in zip(wanted, choices, strict=True):
            into = self._into_of(item, choice)
            if into is not None:
                found[target][job] = into
            if not choice.is_lasting:
                fleeting.add(target)
        self._resolve_sources(found)
        self._into.update(found)
        if self._sight is not None:
            self._sight.chart.keep_into(
                self._sight.version, {target: jobs for target, jobs in found.items() if target not in fleeting}
            )
        return dict(found)

    def _wanted(self, shapes: Mapping[tuple[bytes, bytes], set[bytes]]) -> list[tuple[Edge, Wanted]]:
        """What is known of the jobs that these shapes belong to, by (job, dataset)."""
        jobs = {job for job, _ in shapes}
        self._learn(jobs)
        of_large: dict[bytes, set[bytes]] = defaultdict(set)
        for (job, _), listed in shapes.items():
            if job not in self._whole:
                of_large[job] |= listed
        partial = self._records.partial({job: self._group(job) for job in of_large}, of_large) if of_large else {}
        return [
            ((job, target), Wanted(self._whole.get(job) or partial[job], self._group(target))) for job, target in shapes
        ]

    def _into_of(self, item: Wanted, choice: Choice) -> Into | None:
        said = list(parts_of(item.record, item.targets, choice.counting))
        if not said:
            return None
        types = 0
        for body in said:
            for part in body.outputs:
                if part.dataset in item.targets:
                    types |= part.types
        shapes = frozenset(body.shape for body in said)
        sources = frozenset(sources_of(item.record, item.targets, choice.counting))
        return Into(sources, shapes, types, choice.is_settled)

    def _resolve_sources(self, found: dict[bytes, dict[bytes, Into]]) -> None:
        """Give the sources by the ids under which they are shown."""
        if not self._resolve:
            return
        self.aliases.learn({one for jobs in found.values() for into in jobs.values() for one in into.sources})
        for jobs in found.values():
            for job, into in jobs.items():
                jobs[job] = structs.replace(into, sources=frozenset(map(self._shown, into.sources)))

    def _types_of(self, record: JobRecord, dataset: bytes) -> int:
        members, types = self._group(dataset), 0
        for body in (*record.runs.values(), *record.declared):
            for part in body.outputs:
                if part.dataset in members:
                    types |= part.types
        return types

    def _learn(self, jobs: Collection[bytes]) -> None:
        """Read all that is known of these jobs, but for large ones."""
        unknown = [job for job in jobs if job not in self._whole and job not in self._large]
        if not unknown:
            return
        groups = {job: self._group(job) for job in unknown}
        large = self._records.large({member for group in groups.values() for member in group})
        self._large.update(job for job, group in groups.items() if not group.isdisjoint(large))
        small = {job: group for job, group in groups.items() if job not in self._large}
        self._whole.update(self._records.whole(small))
        self._is_job.update(dict.fromkeys(unknown, True))
        if self._sight is not None:
            named = {row[0] for row in self.lookup.rows(_NAMED_AS_JOB, self.tenant, small)}
            self._keep_simple({job: self._whole[job] for job in small if job not in named})

    def _keep_simple(self, records: Mapping[bytes, JobRecord]) -> None:
        """Remember the jobs of which every input feeds every output."""
        if self._sight is None:
            return
        chart, version = self._sight
        sources: dict[bytes, tuple[bytes, ...]] = {}
        targets: dict[bytes, tuple[bytes, ...]] = {}
        types: dict[bytes, tuple[int, ...]] = {}
        for job, record in records.items():
            named = {node for body in record.runs.values() for node in (*body.reads, *body.writes)}
            if self._resolve:
                self.aliases.learn(named)
            shown = {node: other for node in named if (other := self._shown(node)) != node} if self._resolve else {}
            if is_simple(record, shown):
                reads = {node for body in record.runs.values() for node in body.reads}
                sources[job] = tuple({shown.get(node, node): None for node in reads})
                targets[job] = tuple({shown.get(node, node): None for node in record.writing})
                types[job] = tuple(self._types_of(record, target) for target in targets[job])
        weight = sum(4 + len(sources[job]) + 2 * len(targets[job]) for job in sources)
        chart.keep(version, chart.sources, sources, 0)
        chart.keep(version, chart.types, types, 0)
        chart.keep(version, chart.targets, targets, weight)

    # --- names -------------------------------------------------------------------------------------------------------

    def _members(self, nodes: Collection[bytes]) -> dict[bytes, bytes]:
        if not self._resolve:
            return {node: node for node in nodes}
        self.aliases.learn(nodes)
        return {member: node for node in nodes for member in self.aliases.group(node)}

    def _group(self, node: bytes) -> frozenset[bytes]:
        if self._resolve:
            self.aliases.learn([node])
        return self.aliases.group(node)

    def _shown(self, node: bytes) -> bytes:
        return self.aliases.canonical(node)

    def _step(self, job: bytes, dataset: bytes) -> Step:
        """The step to a job of a walk that comes from a dataset."""
        is_one = self._sight is not None and job in self._sight.chart.targets
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


def _remembered(steps: list[Step], chart: Chart, *, down: bool) -> tuple[dict[Step, Collection[Step]], list[Step]]:
    """What need not be looked up, and the steps that must be."""
    touching, ends = (chart.readers, chart.targets) if down else (chart.writers, chart.sources)
    simple, unknown = chart.targets, []
    found: dict[Step, Collection[Step]] = {}
    for step in steps:
        others: Collection[Step] | None = ends.get(step)
        if others is None:
            behalf = behalf_of(step)
            others = _of_dataset(step, touching, simple, chart, down=down) if behalf is None else None
            if behalf is not None and touching.get(node_at(step)) is ALONE:
                others = _on_behalf(step, behalf, chart, down=down)
        if others is None:
            unknown.append(step)
        else:
            found[step] = others
    return found, unknown


def _of_dataset(
    dataset: bytes,
    touching: Mapping[bytes, tuple[bytes, ...]],
    simple: Mapping[bytes, Any],
    chart: Chart,
    *,
    down: bool,
) -> Collection[Step] | None:
    """Steps to the jobs that read (or write) a dataset; None if not all of them are remembered."""
    jobs = touching.get(dataset)
    if jobs is None or jobs is ALONE:
        return None
    if all(job in simple for job in jobs):
        return jobs
    steps: list[Step] = []
    into = chart.into.get(dataset, {})
    for job in jobs:
        if job in simple:
            steps.append(job)
        elif (job + dataset in chart.out) if down else (job in into):
            steps.append(job + dataset)
        else:
            return None
    return steps


def _on_behalf(step: Step, behalf: bytes, chart: Chart, *, down: bool) -> Collection[Step] | None:
    """What a job makes of a dataset, or makes it from."""
    if down:
        return chart.out.get(step)
    into = chart.into.get(behalf, {}).get(node_at(step))
    return into.sources if into is not None else None
