"""Datasets that are overdue, by the usual interval of the jobs that write them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Literal

from msgspec import Struct

from headwater.graph.annotations.described import Described
from headwater.graph.current.window import ALWAYS, Window
from headwater.graph.facts import RunStatus
from headwater.graph.rhythm import usual_gap
from headwater.lineage.answer.text_types import Instant
from headwater.lineage.answer.values import moment as shown_moment
from headwater.lineage.entities.annotations import described_of
from headwater.lineage.entities.hidden import hidden_nodes
from headwater.lineage.entities.run_items import run_id
from headwater.lineage.errors import BadQuestion
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.flows.step import node_at
from headwater.lineage.names.node_refs import node_refs
from headwater.lineage.picture.answer import NodeRef
from headwater.openlineage.times import format_time
from headwater.store.read.lookup import looking
from headwater.store.read.reader import Reader
from headwater.store.read.runs.recent_runs import RecentRun, jobs_that_ran, newest_successes, starts_of_jobs

__all__ = ["MOST_ITEMS", "OverdueItem", "OverdueList", "OverdueReason", "due_of", "overdue"]

OverdueReason = Literal["failed", "running", "not_started"]
MOST_ITEMS = 500
_MOST_JOBS = 20_000
_MOST_DUE = 1_000
_DAY = 86_400_000_000
_SPAN = 45 * _DAY
"""A job that has not run for this long counts as given up."""
_SLACK = 600_000_000
"""Nobody is late before ten minutes are over."""


class OverdueItem(Struct, frozen=True, kw_only=True):
    dataset: NodeRef
    job: NodeRef
    """Which should have written it."""
    reason: OverdueReason
    """`failed`: the newest run did; `running`: it has not ended; `not_started`: no run has begun since."""
    run: str
    """The newest one of the job."""
    last_written: Instant | None
    """When a run last succeeded that writes it, whichever job it was of."""
    every_ms: int
    """The usual time from one run of the job to the next."""
    expected_at: Instant
    late_ms: int
    owners: list[str]


class OverdueList(Struct, frozen=True, kw_only=True):
    items: list[OverdueItem]
    """The one that became due last comes first."""
    total: int
    at: Instant
    """The moment at which this was so."""
    truncated: bool
    """There are more jobs than are looked at."""


class Due(Struct, frozen=True):
    """That a job should have written by now."""

    run: RecentRun
    reason: OverdueReason
    every: int
    expected_at: int


def overdue(reader: Reader, tenant: int, *, now: int, as_of: int | None = None, limit: int = 100) -> OverdueList:
    """At this moment, or as it was at another one."""
    if not 1 <= limit <= MOST_ITEMS:
        raise BadQuestion(f"limit must be a whole number from 1 to {MOST_ITEMS}, not {limit}.", path="?limit")
    at = now if as_of is None else as_of
    with looking(reader.engine) as lookup:
        flow = Flow(reader, tenant, lookup=lookup, window=ALWAYS if as_of is None else Window(as_of=as_of))
        newest, is_cut = jobs_that_ran(lookup, tenant, at - _SPAN, at, _MOST_JOBS)
        late = {run.job: run for run in newest if run.job is not None and at - run.first_seen >= _SLACK}
        starts = starts_of_jobs(lookup, tenant, late, at)
        due = {job: one for job, run in late.items() if (one := due_of(run, starts.get(job, []), at)) is not None}
        chosen = sorted(due, key=lambda job: (-due[job].expected_at, job))
        found = _datasets(flow, {job: due[job] for job in chosen[:_MOST_DUE]}, at)
        hidden = hidden_nodes(reader, tenant, lookup, as_of=as_of, aliases=flow.aliases)
        waiting = {dataset: item for dataset, item in found.items() if dataset not in hidden}
        ordered = sorted(waiting, key=lambda dataset: (-waiting[dataset][0].expected_at, dataset))
        shown = {dataset: waiting[dataset] for dataset in ordered[:limit]}
        items = _items(flow, shown, at)
    return OverdueList(items=items, total=len(waiting), at=format_time(at), truncated=is_cut or len(chosen) > _MOST_DUE)


def due_of(run: RecentRun, starts: Collection[int], at: int) -> Due | None:
    """Why a job with this newest run is overdue; None if it is not, or was given up long ago."""
    every = usual_gap(starts)
    if every is None:
        return None
    has_ended = run.ended_at is not None and run.ended_at <= at
    following = run.first_seen + every
    is_late = at > following + max(every // 4, _SLACK)
    found: Due | None = None
    if has_ended and run.has_failed:
        found = Due(run, "failed", every, run.ended_at or run.first_seen)
    elif is_late:
        is_over = has_ended or (run.ended_at is None and run.status >= RunStatus.SUCCEEDED)
        found = Due(run, "not_started" if is_over else "running", every, following)
    return found if found is not None and at - found.expected_at <= max(10 * every, 7 * _DAY) else None


def _datasets(flow: Flow, due: Mapping[bytes, Due], at: int) -> dict[bytes, tuple[Due, bytes, int | None]]:
    """By dataset, the job that has been due for longest and the time of its last write;

    without datasets that other jobs wrote meanwhile.
    """
    flow.aliases.learn(due)
    owner = {flow.aliases.canonical(job): job for job in due}
    written = _ends(flow, list(owner), down=True)
    datasets = sorted({dataset for found in written.values() for dataset in found})
    writers = _ends(flow, datasets, down=False)
    others = {member for found in writers.values() for job in found for member in flow.aliases.group(job)} | set(due)
    successes = newest_successes(flow.lookup, flow.tenant, others, at)
    found: dict[bytes, tuple[Due, bytes, int | None]] = {}
    for job, outputs in written.items():
        item = due[owner[job]]
        for dataset in outputs:
            doers = {member for doer in writers.get(dataset, ()) for member in flow.aliases.group(doer)} | {owner[job]}
            ends = [_end(successes[doer], at) for doer in doers if doer in successes]
            last = max(ends, default=None)
            since = item.run.first_seen if item.reason == "failed" else item.expected_at
            known = found.get(dataset)
            if last is not None and last >= since:
                continue
            if known is None or item.expected_at < known[0].expected_at:
                found[dataset] = item, job, last
    return found


def _ends(flow: Flow, nodes: list[bytes], *, down: bool) -> dict[bytes, set[bytes]]:
    """Neighbours on one side: datasets of jobs, or jobs of datasets."""
    found: dict[bytes, set[bytes]] = defaultdict(set)
    for step, others in (flow.downstream(list(nodes)) if down else flow.upstream(list(nodes))).items():
        found[node_at(step)] |= {node_at(other) for other in others}
    flow.classify({other for others in found.values() for other in others})
    return {node: {other for other in others if flow.is_job(other) is not down} for node, others in found.items()}


def _end(run: RecentRun, at: int) -> int:
    return run.first_seen if run.ended_at is None or run.ended_at > at else run.ended_at


def _items(flow: Flow, shown: Mapping[bytes, tuple[Due, bytes, int | None]], at: int) -> list[OverdueItem]:
    groups = {dataset: flow.aliases.group(dataset) for dataset in shown}
    about = described_of(flow.tenant, flow.lookup, groups)
    refs = node_refs(flow, {*shown, *(job for _, job, _ in shown.values())}, about)
    return [
        OverdueItem(
            dataset=refs[dataset],
            job=refs[job],
            reason=due.reason,
            run=run_id(due.run.run),
            last_written=shown_moment(last),
            every_ms=due.every // 1000,
            expected_at=format_time(due.expected_at),
            late_ms=max(0, at - due.expected_at) // 1000,
            owners=sorted((about.get(dataset) or Described()).owners),
        )
        for dataset, (due, job, last) in shown.items()
        if dataset in refs and job in refs
    ]
