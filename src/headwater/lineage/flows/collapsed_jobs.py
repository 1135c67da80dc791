"""A job and its parts as one node: an application, a DAG, a dbt invocation.

The node reads and writes what its parts do. A dataset that one part writes and only other parts read is inside it: it
is counted, not shown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from msgspec import Struct, field

from headwater.graph.current.paired_operations import Doing, pairs_of
from headwater.graph.current.sums import total
from headwater.graph.current.window import Window
from headwater.graph.facts import OutputType, Role
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.flows.shared_measures import counted_twice
from headwater.lineage.flows.step import Step, node_at
from headwater.lineage.names.start import Start
from headwater.store.read.aliases import Aliases
from headwater.store.read.lookup import Lookup
from headwater.store.read.runs.part_runs import PartRun, newest_runs, runs_below
from headwater.store.read.runs.totals import Key, Total

__all__ = ["Collapsed", "collapsed", "collapsed_start", "jobs_inside", "merged", "twice"]

_MOST_PARTS = 1_000


class Collapsed(Struct):
    job: bytes
    parts: frozenset[bytes]
    """The jobs inside it, without itself."""
    is_cut: bool
    """Not all of its runs, or not all parts, were looked at."""
    runs_left_out: int = 0
    ends: dict[bool, dict[bytes, set[bytes]]] = field(default_factory=dict)
    """Downstream (True) and upstream: by dataset, the jobs of the node that write (or read) it."""
    others: dict[bool, dict[bytes, set[bytes]]] = field(default_factory=dict)
    """The same for jobs outside, where a `lineage` facet states a flow from job to job."""
    inner: frozenset[bytes] = frozenset()
    acts: list[tuple[bytes, bytes]] = field(default_factory=list)
    """Pairs of runs that are one act."""
    jobs_of_acts: set[bytes] = field(default_factory=set)
    """Jobs that are only the creating half of acts."""

    @property
    def all_jobs(self) -> frozenset[bytes]:
        return self.parts | {self.job}

    def beyond(self, *, down: bool) -> set[Step]:
        """Outputs (or inputs) of the node, without those inside it."""
        return {*self.datasets(down=down), *self.others[down]}

    def datasets(self, *, down: bool) -> set[bytes]:
        return self.ends[down].keys() - self.inner

    def pairs(self, edges: Iterable[tuple[Step, Step]]) -> list[tuple[Step, Step]]:
        """Edges (from, to) with each part in place of the node, all parts of one dataset together."""
        own = self.all_jobs
        found: dict[tuple[Step, Step], None] = {}
        for one, other in edges:
            source, target = node_at(one), node_at(other)
            if source in self.inner or target in self.inner:
                continue
            if source in own:
                doers = self.ends[True].get(target) or self.others[True].get(target) or {source}
                found.update(dict.fromkeys((doer, target) for doer in doers))
            elif target in own:
                doers = self.ends[False].get(source) or self.others[False].get(source) or {target}
                found.update(dict.fromkeys((source, doer) for doer in doers))
            else:
                found[one, other] = None
        return list(found)

    def texts(self, texts: Mapping[bytes, str]) -> dict[bytes, str]:
        """The node under which each node is shown: parts as the whole; None for nodes inside it."""
        own = texts.get(self.job)
        found = {node: text for node, text in texts.items() if node not in self.inner and node not in self.parts}
        return found if own is None else found | dict.fromkeys(self.parts, own)

    def edges(
        self, edges: Mapping[tuple[str, str], dict[str, Any]], texts: Mapping[bytes, str], less: Mapping[Key, Total]
    ) -> dict[tuple[str, str], dict[str, Any]]:
        """Edges from and to parts as edges of the whole."""
        own = texts.get(self.job)
        parts = {texts[job] for job in self.all_jobs if job in texts}
        found: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
        for (one, other), edge in edges.items():
            ends = own if one in parts else one, own if other in parts else other
            if ends[0] is not None and ends[1] is not None and ends[0] != ends[1]:
                found[ends[0], ends[1]].append(edge)
        off = {
            (own, texts[dataset]) if role == Role.OUTPUT else (texts[dataset], own): figure
            for (_, dataset, role), figure in less.items()
            if dataset in texts
        }
        return {
            ends: listed[0] if own not in ends else merged(listed, off.get(ends)) | {"from": ends[0], "to": ends[1]}
            for ends, listed in found.items()
        }

    @property
    def members(self) -> dict[str, Any]:
        """Members of the node in an answer."""
        found: dict[str, Any] = {"parts": len(self.parts - self.jobs_of_acts), "inner": len(self.inner)}
        if self.is_cut:
            found["parts_cut"] = True
        if self.runs_left_out:
            found["runs_left_out"] = self.runs_left_out
        return found


class Inside(Struct, frozen=True):
    """Parts of the runs of a job."""

    jobs: list[bytes]
    runs: Collection[PartRun]
    is_cut: bool
    runs_left_out: int
    """Older runs of the job, which were not looked at."""


def collapsed_start(flow: Flow, start: Start, nodes: list[bytes]) -> Collapsed | None:
    """The collapsed node of a start; None if it is no job or run with parts."""
    return collapsed(flow, nodes[0]) if start.kind in ("job", "run", "operation") else None


def collapsed(flow: Flow, job: bytes) -> Collapsed | None:
    """A job with the jobs inside it; None if none is."""
    inside = jobs_inside(flow.lookup, flow.tenant, flow.aliases, job, flow.window)
    if not inside.jobs:
        return None
    is_cut = inside.is_cut or len(inside.jobs) > _MOST_PARTS
    whole = Collapsed(job, frozenset(inside.jobs[:_MOST_PARTS]), is_cut, inside.runs_left_out)
    _read(flow, whole)
    _find_acts(flow, whole, inside.runs)
    return whole


def jobs_inside(lookup: Lookup, tenant: int, aliases: Aliases, job: bytes, window: Window) -> Inside:
    """The jobs that ran inside the newest runs of a job."""
    aliases.learn([job])
    runs, left = newest_runs(lookup, tenant, sorted(aliases.group(job)), window)
    below = runs_below(lookup, tenant, runs, window)
    named = {part.job for part in below.parts.values() if part.job is not None}
    aliases.learn(named)
    jobs = sorted({aliases.canonical(part) for part in named} - {job})
    return Inside(jobs, below.parts.values(), below.is_cut or left > 0, left)


def _read(flow: Flow, whole: Collapsed) -> None:
    own = whole.all_jobs
    steps = sorted(own)
    flow.classify(steps)
    for down, found in ((True, flow.downstream(steps)), (False, flow.upstream(steps))):
        nodes = {node_at(other) for others in found.values() for other in others}
        flow.classify(nodes)
        ends: dict[bytes, set[bytes]] = defaultdict(set)
        others_: dict[bytes, set[bytes]] = defaultdict(set)
        for step, others in found.items():
            for other in map(node_at, others):
                if not flow.is_job(other):
                    ends[other].add(step)
                elif other not in own:
                    others_[other].add(step)
        whole.ends[down], whole.others[down] = dict(ends), dict(others_)
    candidates = [
        dataset
        for dataset, writers in whole.ends[True].items()
        if len(writers | whole.ends[False].get(dataset, writers)) > 1 and dataset in whole.ends[False]
    ]
    whole.inner = frozenset(candidates) - _reaching_out(flow, candidates, own)


def _reaching_out(flow: Flow, datasets: list[bytes], own: Collection[bytes]) -> set[bytes]:
    """Those that somebody else reads or writes."""
    if not datasets:
        return set()
    return {
        dataset
        for found in (flow.downstream(datasets), flow.upstream(datasets))
        for dataset, others in found.items()
        if not all(node_at(other) in own for other in others)
    }


def _find_acts(flow: Flow, whole: Collapsed, runs: Iterable[PartRun]) -> None:
    names = flow.names(whole.parts)
    doings: list[Doing] = []
    jobs: dict[bytes, bytes] = {}
    for part in runs:
        job = flow.aliases.canonical(part.job) if part.job is not None else None
        if job is not None and job in names and job in whole.parts:
            jobs[part.run] = job
            doings.append(Doing(part.run, part.parent, names[job].name, part.began, part.ended))
    written: dict[bytes, list[bytes]] = defaultdict(list)
    for dataset, writers in whole.ends[True].items():
        for job in writers:
            written[job].append(dataset)
    whole.acts = pairs_of(doings, {run: written.get(job, ()) for run, job in jobs.items()})
    halves = {creation for creation, _ in whole.acts}
    whole.jobs_of_acts = {jobs[run] for run in halves} - {job for run, job in jobs.items() if run not in halves}


def twice(flow: Flow, whole: Collapsed) -> dict[Key, Total]:
    """By node, figures that both halves of one act report."""
    return counted_twice(flow, {creation: (insert, whole.job) for creation, insert in whole.acts})


def merged(edges: Iterable[dict[str, Any]], less: Total | None) -> dict[str, Any]:
    """Edges of parts with one dataset as one: figures summed, types combined, times from the first to the last.

    >>> one = {"from": "a", "kind": "OUTPUT", "rows": 2, "types": ["APPEND"], "last_seen": "2026-01-01"}
    >>> merged([one, {"kind": "OUTPUT", "rows": None, "types": ["CREATE"], "last_seen": None}], None)
    {'from': 'a', 'kind': 'OUTPUT', 'rows': 2, 'types': ['APPEND', 'CREATE'], 'last_seen': '2026-01-01'}
    """
    found: dict[str, Any] = {}
    for edge in edges:
        for name, value in edge.items():
            known = found.get(name)
            if known is None:
                found[name] = value
            elif value is not None:
                found[name] = _together(name, known, value)
    for name in ("rows", "bytes", "files"):
        amount = getattr(less, name, None)
        if amount is not None and found.get(name) is not None:
            found[name] = max(0, found[name] - amount)
    return found


def _together(name: str, one: Any, other: Any) -> Any:
    if name in ("rows", "bytes", "files"):
        return total((one, other))
    if name == "types":
        return [member.name for member in OutputType if member.name in one or member.name in other]
    if name == "first_seen":
        return min(one, other)
    if name == "last_seen":
        return max(one, other)
    return one or other if isinstance(one, bool) else one
