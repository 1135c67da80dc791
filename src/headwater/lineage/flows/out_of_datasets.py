"""Flows out of datasets: candidate outputs, checked by the rule."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from headwater.graph.current.flows import targets_named
from headwater.lineage.flows.into_datasets import IntoDatasets
from headwater.lineage.flows.step import Step, behalf_of, node_at

__all__ = ["OutOfDatasets"]


Edge = tuple[bytes, bytes]


class OutOfDatasets(IntoDatasets):
    """Flows out of datasets, by the rule for flows into a dataset."""

    def possible_targets(self, sources: Collection[bytes]) -> tuple[set[bytes], set[bytes]]:
        """The jobs that ever read these datasets, and all that they may have made of them."""
        reading: dict[bytes, dict[bytes, set[bytes]]] = {source: {} for source in sources}
        members, rows = self.uses_of(sources, down=True)
        bodies = self.applying.bodies({shape for _, shape in rows})
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

    def targets_of(self, pairs: Collection[Edge]) -> dict[Edge, frozenset[bytes]]:
        """By dataset and job, the flows out of the dataset through the job."""
        found = self._targets_of({job + source for source, job in pairs})
        return {(source, job): found[job + source] for source, job in pairs}

    def _targets_of(
        self, steps: Collection[Step], reading: Mapping[bytes, Mapping[bytes, set[bytes]]] | None = None
    ) -> dict[Step, frozenset[bytes]]:
        """By step to a job from a dataset, the flows out of the dataset through the job."""
        graph = self._view.graph if self._view is not None else None
        found: dict[Step, frozenset[bytes]] = {}
        unknown: list[Step] = []
        for step in steps:
            known = graph.out.get(step) if graph is not None else None
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
            if graph is not None and all(target in graph.into for target in targets):
                lasting[step] = found[step]
        if graph is not None and self._view is not None:
            graph.keep_out(self._view.version, lasting)
        return found

    def _candidates(
        self, steps: Collection[Step], reading: Mapping[bytes, Mapping[bytes, set[bytes]]] | None
    ) -> dict[Step, set[bytes]]:
        """Candidates for flows of these jobs out of these datasets."""
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
        members, rows = self.uses_of({behalf_of(step) or b"" for step in steps}, down=True)
        bodies = self.applying.bodies({shape for _, shape in rows})
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
            bodies = self.applying.bodies(shapes | {writer for shape in shapes for writer in writers.get(shape, ())})
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

    def _count_cut(self, step: Step, left: int) -> None:
        if left > 0:
            self.cut[step] = left
