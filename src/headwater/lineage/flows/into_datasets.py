"""Flows into datasets, for many at once, by the rule of `graph.current`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from msgspec import structs

from headwater.graph.current.flows import JobShapes, is_simple, parts_of, sources_of, writes_in_several
from headwater.graph.current.into import Into
from headwater.graph.facts import Role
from headwater.lineage.flows.question import Question
from headwater.store.read.shapes.deciding_runs import Choice, WantedOutput, choose, decided_by

__all__ = ["IntoDatasets"]

_NAMED_AS_JOB = f"SELECT dataset FROM shape_dataset WHERE tenant = ? AND dataset {{ids}} AND [role] = {int(Role.JOB)}"

Edge = tuple[bytes, bytes]


class IntoDatasets(Question):
    """Flows into datasets."""

    def into(self, targets: Collection[bytes], *, exact: bool = False) -> dict[bytes, Mapping[bytes, Into]]:
        """By dataset and job, the flows into the dataset through the job; `exact` if it matters which shapes apply."""
        found: dict[bytes, Mapping[bytes, Into]] = {}
        unknown: list[bytes] = []
        remembered = self._view.graph.into if self._view is not None else {}
        for target in targets:
            known = self._into.get(target) or remembered.get(target)
            if known is None or (exact and not _is_exact(known)):
                unknown.append(target)
            else:
                found[target] = known
        if unknown:
            found.update(self._looked_into(unknown, exact=exact))
        return found

    def output_types(self, pairs: Collection[Edge]) -> dict[Edge, int]:
        """By job and dataset, all types of output."""
        found: dict[Edge, int] = {}
        others: list[Edge] = []
        graph = self._view.graph if self._view is not None else None
        done: dict[bytes, dict[bytes, int]] = {}
        for job, dataset in pairs:
            if graph is not None and job not in done:
                types = graph.types.get(job, ())  # empty where there are none
                targets = graph.targets.get(job, ())
                done[job] = dict(zip(targets, types, strict=True)) if types else dict.fromkeys(targets, 0)
            if dataset in done.get(job, ()):
                found[job, dataset] = done[job][dataset]
            else:
                others.append((job, dataset))
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
        for target, jobs in self.into(wanted, exact=True).items():
            for into in jobs.values():
                found[target] |= into.shapes
        self.aliases.learn(wanted)
        groups = {target: self.aliases.group(target) for target in wanted}
        for target, bodies in self.applying.of_datasets(groups).items():
            found[target].update(body.shape for body in bodies)
        return found

    def shapes_as_of_now(self, now: IntoDatasets, targets: Collection[bytes]) -> dict[bytes, set[bytes] | None]:
        """By dataset, the shapes that write it or state a flow into it as of now; None if all that ever did still do.

        `now` asks about the present moment.
        """
        if not self.window.is_always:
            return {**now.shapes_into(targets)}
        graph = self._view.graph if self._view is not None else None
        plain = {target for target in targets if graph is not None and graph.is_plain(target)}
        into = self.into(set(targets) - plain)
        settled = {target for target, jobs in into.items() if all(len(flow.shapes) == 1 for flow in jobs.values())}
        unsure = into.keys() - settled
        return {**dict.fromkeys(plain), **self.shapes_into(settled), **now.shapes_into(unsure)}

    def counting(self, targets: Collection[bytes]) -> dict[bytes, set[bytes] | None]:
        """By dataset, the shapes that apply to flows into it; None if all shapes of runs do."""
        graph = self._view.graph if self._view is not None else None
        found: dict[bytes, set[bytes] | None] = {}
        for target in targets:
            if graph is not None and graph.is_plain(target):
                found[target] = None
        found.update(self.shapes_into([target for target in targets if target not in found]))
        return found

    def is_simple(self, job: bytes) -> bool:
        """Whether it is remembered that every input of a job feeds every output in every run."""
        return self._view is not None and job in self._view.graph.targets

    def large(self, jobs: Collection[bytes]) -> set[bytes]:
        """Those of these jobs that have too many shapes to read them all."""
        return self._records.large(jobs)

    def is_lasting(self, targets: Collection[bytes]) -> bool:
        """Whether flows into these datasets hold until a change is noted."""
        if self._view is None:
            return False
        graph = self._view.graph
        return all(graph.is_plain(target) or _is_exact(graph.into.get(target)) for target in targets)

    def all_targets(self, jobs: Collection[bytes]) -> tuple[set[bytes], set[bytes]]:
        """All outputs of small jobs at any time; and the jobs that are too large for that."""
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

    def deciding_runs(self, targets: Collection[bytes]) -> dict[bytes, set[bytes]]:
        """By dataset, for each job that had written it by the moment of the question, the deciding run."""
        shapes, _ = self._shapes_into(targets)
        wanted = self._wanted(shapes)
        found: dict[bytes, set[bytes]] = {target: set() for target in targets}
        runs = decided_by(self.tenant, self.lookup, self.window, [item for _, item in wanted])
        for ((_, target), _), run in zip(wanted, runs, strict=True):
            if run is not None:
                found[target].add(run.run)
        return found

    def _shapes_into(self, targets: Collection[bytes]) -> tuple[dict[Edge, set[bytes]], set[bytes]]:
        """By job and dataset, the shapes that write it or state a flow into it;

        and datasets with statements by others than jobs.
        """
        members, rows = self.uses_of(targets, down=False)
        bodies = self.applying.bodies({shape for _, shape in rows})
        shapes: dict[Edge, set[bytes]] = defaultdict(set)
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
        return shapes, others

    def _looked_into(self, targets: Collection[bytes], *, exact: bool) -> dict[bytes, Mapping[bytes, Into]]:
        shapes, others = self._shapes_into(targets)
        wanted = self._wanted(shapes)
        items, last_runs = [item for _, item in wanted], self._records.last_runs
        choices = choose(self.tenant, self.lookup, self.window, items, last_runs, exact=exact)
        found: dict[bytes, dict[bytes, Into]] = {target: {} for target in targets}
        fleeting: set[bytes] = set(others)
        partly: dict[bytes, tuple[()]] = {}
        for ((job, target), item), choice in zip(wanted, choices, strict=True):
            into = self._into_of(item, choice)
            if into is not None:
                found[target][job] = into
            else:
                partly[target] = ()
            if not choice.is_lasting:
                fleeting.add(target)
        self._resolve_sources(found)
        self._leave_out_hidden(found)
        self._into.update(found)
        if self._view is not None:
            self._view.graph.keep_into(
                self._view.version, {target: jobs for target, jobs in found.items() if target not in fleeting}
            )
            self._view.graph.keep(self._view.version, self._view.graph.partly, partly, len(partly))
        return dict(found)

    def _wanted(self, shapes: Mapping[tuple[bytes, bytes], set[bytes]]) -> list[tuple[Edge, WantedOutput]]:
        """Records of the jobs of these shapes, by (job, dataset)."""
        jobs = {job for job, _ in shapes}
        self._learn(jobs)
        of_large: dict[bytes, set[bytes]] = defaultdict(set)
        for (job, _), listed in shapes.items():
            if job not in self._whole:
                of_large[job] |= listed
        partial = self._records.partial({job: self._group(job) for job in of_large}, of_large) if of_large else {}
        return [
            ((job, target), WantedOutput(self._whole.get(job) or partial[job], self._group(target)))
            for job, target in shapes
        ]

    def _into_of(self, item: WantedOutput, choice: Choice) -> Into | None:
        parts = list(parts_of(item.record, item.targets, choice.counting))
        if not parts:
            return None
        types = 0
        for body in parts:
            done = item.record.said(body).types
            for target in item.targets:
                types |= done.get(target, 0)
        shapes = frozenset(body.shape for body in parts)
        sources = frozenset(sources_of(item.record, item.targets, choice.counting))
        return Into(sources, shapes, types, choice.is_settled, choice.is_exact)

    def _resolve_sources(self, found: dict[bytes, dict[bytes, Into]]) -> None:
        """Give the sources by the ids under which they are shown."""
        if not self._resolve:
            return
        self.aliases.learn({one for jobs in found.values() for into in jobs.values() for one in into.sources})
        for jobs in found.values():
            for job, into in jobs.items():
                jobs[job] = structs.replace(into, sources=frozenset(map(self._shown, into.sources)))

    def _leave_out_hidden(self, found: dict[bytes, dict[bytes, Into]]) -> None:
        """Leaves out what a person hid: a flow between two datasets, an input or an output of a job."""
        into_targets = self.hidden_into(found)
        into_jobs = self.hidden_into({job for jobs in found.values() for job in jobs})
        for target, jobs in found.items() if into_targets or into_jobs else ():
            hidden = into_targets.get(target, set())
            for job in [job for job in jobs if job in hidden]:
                del jobs[job]
            for job, into in jobs.items():
                gone = hidden | into_jobs.get(job, set())
                if not gone.isdisjoint(into.sources):
                    jobs[job] = structs.replace(into, sources=into.sources - gone)

    def _types_of(self, record: JobShapes, dataset: bytes) -> int:
        members, types = self._group(dataset), 0
        for body in (*record.runs.values(), *record.declared):
            done = record.said(body).types
            for member in members:
                types |= done.get(member, 0)
        return types

    def _has_hidden(self, job: bytes, record: JobShapes, shown: Mapping[bytes, bytes]) -> bool:
        """Whether somebody hid an input or output of a job, or a flow through it."""
        if not self.applying.by_hand.any:
            return False
        targets = {shown.get(node, node) for node in record.writing}
        reads = {shown.get(node, node) for body in record.runs.values() for node in body.reads}
        hidden = self.hidden_into({*targets, job})
        return any(job in ends or not reads.isdisjoint(ends) for ends in hidden.values())

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
        if self._view is not None:
            named = {row[0] for row in self.lookup.rows(_NAMED_AS_JOB, self.tenant, small)}
            self._keep_simple({job: self._whole[job] for job in small if job not in named})

    def _keep_simple(self, records: Mapping[bytes, JobShapes]) -> None:
        """Remember the jobs of which every input feeds every output."""
        if self._view is None:
            return
        graph, version = self._view
        sources: dict[bytes, tuple[bytes, ...]] = {}
        targets: dict[bytes, tuple[bytes, ...]] = {}
        types: dict[bytes, tuple[int, ...]] = {}
        several: dict[bytes, tuple[()]] = {}
        for job, record in records.items():
            named = {node for body in record.runs.values() for node in (*body.reads, *body.writes)}
            if self._resolve:
                self.aliases.learn(named)
            shown = {node: other for node in named if (other := self._shown(node)) != node} if self._resolve else {}
            if is_simple(record, shown) and not self._has_hidden(job, record, shown):
                reads = {node for body in record.runs.values() for node in body.reads}
                sources[job] = tuple({shown.get(node, node): None for node in reads})
                targets[job] = tuple({shown.get(node, node): None for node in record.writing})
                types[job] = tuple(self._types_of(record, target) for target in targets[job])
                if writes_in_several(record, shown):
                    several[job] = ()
        weight = sum(4 + len(sources[job]) + 2 * len(targets[job]) for job in sources)
        graph.keep(version, graph.sources, sources, 0)
        graph.keep(version, graph.types, types, 0)
        graph.keep(version, graph.several, several, 0)
        graph.keep(version, graph.targets, targets, weight)


def _is_exact(known: Mapping[bytes, Into] | None) -> bool:
    return known is not None and all(into.is_exact for into in known.values())
