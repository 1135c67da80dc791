"""Runs that apply at a moment: for each dataset the deciding ones, for each job its newest."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from headwater.graph.current.flows import JobShapes, sources_of
from headwater.graph.facts import Role
from headwater.graph.walk import Walk
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.walk.run_row import RunStep
from headwater.lineage.walk.run_walk import RunFlow
from headwater.store.read.shapes.as_of import newest_runs

__all__ = ["RunMoment", "newest_of"]

_MOST_KEPT = 500_000
"""Sources of outputs of runs that are remembered, in all: each output of a run may have all of its inputs."""


def newest_of(flow: Flow, jobs: Collection[bytes]) -> set[bytes]:
    """The newest run of each of these jobs that had named data or ended by the moment of a flow."""
    flow.aliases.learn(jobs)
    shown = flow.aliases.canonical
    members = {member: shown(job) for job in jobs for member in flow.aliases.group(job)}
    found = newest_runs(flow.tenant, flow.lookup, members, flow.window.bounds[1], flow.applying.bodies)
    newest: dict[bytes, tuple[int, bytes]] = {}
    for member, (order, _) in found.items():
        newest[members[member]] = max(order, newest.get(members[member], order))
    return {run for _, run in newest.values()}


class RunMoment:
    """What runs did that is part of what fed what at the moment of a flow.

    A run counts for an output if it decides what fed it; for an input, if it counts for an output that this flows into.
    All that the newest run of a job did counts, as on the page of the job.
    """

    def __init__(self, runs: RunFlow, flow: Flow, reached: Collection[bytes]) -> None:
        self._runs, self._flow, self._shown = runs, flow, flow.aliases.canonical
        runs.learn_members(reached)
        members = {member for run in reached for member in runs.members[run]}
        records = runs.records_of(members)
        targets = {end for record in records.values() for end in runs.all_ends(record.runs.values(), down=True)}
        flow.aliases.learn(targets)
        self._deciding = flow.deciding_runs(set(map(self._shown, targets)))
        jobs = {row.job for member in members if (row := runs.rows.get(member)) is not None and row.job is not None}
        self._newest = newest_of(flow, jobs)
        self._ends: dict[tuple[bytes, Role], set[bytes]] = {}
        self._sources: dict[tuple[bytes, bytes], set[bytes]] = {}
        self._kept = 0
        self._counted: dict[bytes, set[bytes]] = {}

    def learn(self, steps: Iterable[RunStep]) -> None:
        """Look up at once which datasets among these were dropped."""
        self._flow.dropped({step.node for step in steps if not step.is_run})

    def counts(self, run: bytes, dataset: bytes, role: Role, behalf: bytes | None = None) -> bool:
        """Whether a run's write (or read) of a dataset applies; `behalf`: because of the other side."""
        if dataset in self._flow.dropped([dataset]):
            return False
        return any(self._does(member, dataset, role, behalf) for member in self._runs.members[run])

    def restricted(self, found: Walk[RunStep], *, down: bool) -> Walk[RunStep]:
        """The edges of a walk that apply; a run that was asked for applies itself."""
        beyond: dict[RunStep, list[RunStep]] = {}
        self.learn(found.depths)
        for near, far in found.edges:
            run, dataset = (near, far) if near.is_run else (far, near)
            role = Role.OUTPUT if near.is_run == down else Role.INPUT
            behalf = near.behalf if near.is_run else None
            is_asked = near.is_run and behalf is None
            if is_asked or self.counts(run.node, dataset.node, role, behalf):
                beyond.setdefault(near, []).append(far)
        depths = {step: 0 for step, depth in found.depths.items() if depth == 0}
        edges: list[tuple[RunStep, RunStep]] = []
        waiting = list(depths)
        for near in waiting:
            for far in beyond.get(near, ()):
                edges.append((near, far))
                if far not in depths:
                    depths[far] = depths[near] + 1
                    waiting.append(far)
        left_out = {step: count for step, count in found.left_out.items() if step in depths}
        return Walk(depths, edges, left_out, [step for step in found.unasked if step in depths])

    def _does(self, member: bytes, dataset: bytes, role: Role, behalf: bytes | None) -> bool:
        record = self._runs.records_of([member]).get(member)
        if record is None:
            return False
        ends = self._ends.get((member, role))
        if ends is None:
            named = self._runs.all_ends(record.runs.values(), down=role is Role.OUTPUT)
            ends = self._ends[member, role] = set(map(self._shown, named))
        if dataset not in ends:
            return False
        if role is Role.OUTPUT:
            if behalf is not None and not self._feeds(record, behalf, dataset):
                return False
            deciding = self._deciding.get(dataset)
            return member in (deciding or self._newest)  # what was dropped or altered was not written
        if behalf is not None:
            return member in self._deciding.get(behalf, ()) and self._feeds(record, dataset, behalf)
        return member in self._newest or not self._counting(record).isdisjoint(self._flow.aliases.group(dataset))

    def _feeds(self, record: JobShapes, source: bytes, target: bytes) -> bool:
        """Whether a run makes one dataset of another."""
        group = self._flow.aliases.group
        own = group(source)
        return any(not self._sources_of(record, one).isdisjoint(own) for one in group(target))

    def _counting(self, record: JobShapes) -> set[bytes]:
        """Flows into outputs of a run that it decides."""
        run = record.job
        if run not in self._counted:
            outputs = self._runs.all_ends(record.runs.values(), down=True)
            decided = {one for one in outputs if run in self._deciding.get(self._shown(one), ())}
            stated = decided & record.explicit  # they take nothing else, so they are asked for by themselves
            self._counted[run] = sources_of(record, decided - stated) | sources_of(record, stated)
        return self._counted[run]

    def _sources_of(self, record: JobShapes, target: bytes) -> set[bytes]:
        key = record.job, target
        found = self._sources.get(key)
        if found is None:
            found = sources_of(record, [target])
            if self._kept + len(found) <= _MOST_KEPT:
                self._kept += len(found)
                self._sources[key] = found
        return found
