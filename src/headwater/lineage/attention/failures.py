"""Failed runs with every dataset downstream, and whether the job has succeeded since."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from headwater.graph.facts import Run
from headwater.graph.walk import walk
from headwater.lineage.answer.records import RunItem
from headwater.lineage.answer.text_types import Instant
from headwater.lineage.entities.annotations import described_of
from headwater.lineage.entities.hidden import hidden_nodes
from headwater.lineage.entities.run_items import run_id, run_items
from headwater.lineage.errors import BadQuestion
from headwater.lineage.flows.collapsed_jobs import collapsed
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.flows.step import node_at
from headwater.lineage.names.node_refs import kind_of, node_refs
from headwater.lineage.picture.answer import NodeRef
from headwater.openlineage.times import format_time
from headwater.store.read.lookup import looking
from headwater.store.read.reader import Reader
from headwater.store.read.runs.recent_runs import RecentRun, failed_runs, newest_successes

__all__ = ["DEFAULT_SPAN", "MOST_ITEMS", "FailedRun", "FailureList", "Feeds", "failures"]

DEFAULT_SPAN = 86_400_000_000
MOST_ITEMS = 500
_MOST = 2_000
"""Failed runs and operations, the newest, that are looked at."""
_MOST_JOBS = 50
"""Greatest number of jobs whose downstream is computed."""
_MOST_NODES = 3_000
_DEPTH = 50
_NEAREST = 5


class Feeds(Struct, frozen=True, kw_only=True):
    """Datasets downstream, at any distance."""

    datasets: int
    """Without the charts and dashboards."""
    reports: int
    """Charts and dashboards."""
    nearest: list[NodeRef]
    """The first of them."""
    truncated: bool
    """There is more than was counted."""


class FailedRun(Struct, frozen=True, kw_only=True):
    run: RunItem
    """The part that failed. A run that failed only because of it is in `within`."""
    within: RunItem | None
    """The outermost run around it that failed too, such as that of a DAG."""
    recovered: str | None
    """A later run of the same job that succeeded."""
    feeds: Feeds | None
    """Null of a job beyond the first fifty, and of a run without a job."""


class FailureList(Struct, frozen=True, kw_only=True):
    items: list[FailedRun]
    """The newest first."""
    total: int
    recovered: int
    """How many of all have succeeded since."""
    feeds: Feeds
    """Of all that have not succeeded since, each thing counted once."""
    since: Instant
    until: Instant
    truncated: bool
    """There were more runs or jobs than are looked at."""


def failures(
    reader: Reader, tenant: int, *, since: int | None, until: int | None, now: int, limit: int = 100
) -> FailureList:
    """Runs that were first seen in the last day, or in another window, and failed or were killed."""
    if not 1 <= limit <= MOST_ITEMS:
        raise BadQuestion(f"limit must be a whole number from 1 to {MOST_ITEMS}, not {limit}.", path="?limit")
    last = now if until is None else until
    first = last - DEFAULT_SPAN if since is None else since
    if first > last:
        raise BadQuestion("since is after until.", path="?since", hint="Exchange the two.")
    with looking(reader.engine) as lookup:
        flow = Flow(reader, tenant, lookup=lookup)
        found = failed_runs(lookup, tenant, first, last, _MOST)
        outer = {run.run: run for run in found}
        around = {run.parent for run in found}
        innermost = [run for run in found if run.run not in around]
        jobs = list(dict.fromkeys(run.job for run in innermost if run.job is not None))
        later = newest_successes(lookup, tenant, jobs, last)
        recovered = {run.run for run in innermost if _has_recovered(run, later)}
        open_jobs = {run.job for run in innermost if run.run not in recovered and run.job is not None}
        counted = [job for job in jobs if job in open_jobs][:_MOST_JOBS]
        counted += [job for job in jobs if job not in open_jobs][: _MOST_JOBS - len(counted)]
        counting = _Counting(reader, flow, counted)
        shown = innermost[:limit]
        outermost = {run.run: _outermost(run, outer) for run in shown}
        wanted = {run.run for run in shown} | {other for other in outermost.values() if other is not None}
        facts = reader.facts(tenant, Run, run=wanted)
        items = dict(zip((fact.run for fact in facts), run_items(reader, tenant, facts), strict=True))
        return FailureList(
            items=[
                FailedRun(
                    run=items[run.run],
                    within=items.get(outermost[run.run] or b""),
                    recovered=run_id(later[run.job].run) if run.run in recovered and run.job is not None else None,
                    feeds=counting.of([run.job]) if run.job in counting.reached else None,
                )
                for run in shown
                if run.run in items
            ],
            total=len(innermost),
            recovered=len(recovered),
            feeds=counting.of(job for job in counted if job in open_jobs),
            since=format_time(first),
            until=format_time(last),
            truncated=len(found) >= _MOST or len(jobs) > _MOST_JOBS,
        )


def _has_recovered(run: RecentRun, later: dict[bytes, RecentRun]) -> bool:
    after = later.get(run.job) if run.job is not None else None
    return after is not None and (after.first_seen, after.run) > (run.first_seen, run.run)


def _outermost(run: RecentRun, failed: dict[bytes, RecentRun]) -> bytes | None:
    """The outermost of the runs around this one that failed too; a ring ends where it began."""
    met, at = {run.run}, run
    while at.parent is not None and at.parent in failed and at.parent not in met:
        at = failed[at.parent]
        met.add(at.run)
    return at.run if at is not run else None


class _Counting:
    """Counts what lies downstream of jobs; names and kinds are read once for all of them."""

    def __init__(self, reader: Reader, flow: Flow, jobs: list[bytes]) -> None:
        self.reached: dict[bytes | None, dict[bytes, int]] = {}
        self._cut: set[bytes | None] = set()
        flow.aliases.learn(jobs)
        for job in jobs:
            self._walk(flow, job)
        nodes = {node for found in self.reached.values() for node in found}
        hidden = hidden_nodes(reader, flow.tenant, flow.lookup, aliases=flow.aliases)
        self._about = described_of(
            flow.tenant, flow.lookup, {node: flow.aliases.group(node) for node in nodes - hidden}
        )
        refs = node_refs(flow, nodes - hidden, self._about)
        self._refs = {node: ref for node, ref in refs.items() if ref.kind != "job"}

    def _walk(self, flow: Flow, job: bytes) -> None:
        start = flow.aliases.canonical(job)
        whole = collapsed(flow, start)
        starts = sorted(whole.all_jobs) if whole is not None else [start]
        found = walk(starts, flow.downstream, depth=_DEPTH, node_limit=_MOST_NODES)
        inner = whole.inner if whole is not None else frozenset()
        nodes: dict[bytes, int] = {}
        for step, depth in found.depths.items():
            node = node_at(step)
            if depth and node not in inner:
                nodes[node] = min(depth, nodes.get(node, depth))
        self.reached[job] = nodes
        if found.truncated:
            self._cut.add(job)

    def of(self, jobs: Iterable[bytes | None]) -> Feeds:
        depths: dict[bytes, int] = {}
        truncated = False
        for job in jobs:
            truncated = truncated or job in self._cut
            for node, depth in self.reached.get(job, {}).items():
                if node in self._refs:
                    depths[node] = min(depth, depths.get(node, depth))
        ordered = sorted(depths, key=lambda node: (depths[node], self._refs[node].id))
        reports = sum(kind_of(self._about.get(node)) != "dataset" for node in depths)
        return Feeds(
            datasets=len(depths) - reports,
            reports=reports,
            nearest=[self._refs[node] for node in ordered[:_NEAREST]],
            truncated=truncated,
        )
