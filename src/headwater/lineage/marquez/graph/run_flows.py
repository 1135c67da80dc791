"""Inputs and outputs of runs and jobs, by the facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

from msgspec import Struct

from headwater.graph.annotations.notes import EDITS
from headwater.graph.facts import Evidence, Role, Run, RunShape, RunStatus, Shape, ShapeDataset
from headwater.interpret.describe import ORIGIN
from headwater.lineage.marquez.logged_event import API
from headwater.lineage.marquez.view import View
from headwater.openlineage.event import EventKind
from headwater.openlineage.identity import stamp_time

__all__ = ["LOOKED_AT", "CurrentJob", "Flows", "by_last_event", "flows_of_runs", "flows_of_shapes", "job_states"]

LOOKED_AT = 3
"""Number of a job's newest runs among which the deciding one is looked for."""


class Flows(Struct, frozen=True):
    inputs: frozenset[bytes] = frozenset()
    outputs: frozenset[bytes] = frozenset()

    @property
    def is_empty(self) -> bool:
        return not (self.inputs or self.outputs)


class CurrentJob(Struct, frozen=True):
    """Current inputs and outputs of a job, by its newest ended run or a job event."""

    flows: Flows
    version_run: bytes | None
    """The run that made the current version."""
    version_shape: bytes | None
    """The job event that did."""
    event_shape: bytes | None
    """The newest job event."""
    is_declared: bool
    """Declared through the older API, and no run since: there is no version yet."""
    latest_run: bytes | None
    updated: int
    streaming: bool


def flows_of_runs(view: View, runs: Collection[bytes], *, producers_only: bool = False) -> dict[bytes, Flows]:
    """All that the events of each run named as inputs and outputs."""
    run_shapes = view.facts(RunShape, run=set(runs))
    if producers_only:
        ids = {item.shape for item in run_shapes}
        of_producers = {shape.shape for shape in view.facts(Shape, shape=ids) if _is_of_producer(shape)}
        run_shapes = [item for item in run_shapes if item.shape in of_producers]
    parts = flows_of_shapes(view, {item.shape for item in run_shapes})
    found: dict[bytes, Flows] = {}
    for item in run_shapes:
        known, more = found.get(item.run, Flows()), parts.get(item.shape, Flows())
        found[item.run] = Flows(known.inputs | more.inputs, known.outputs | more.outputs)
    return found


def by_last_event(runs: Iterable[Run]) -> list[Run]:
    """Sorted by newest event, the newest first."""
    return sorted(runs, key=lambda run: (run.last_seen or 0, run.first_seen or 0, run.run), reverse=True)


def job_states(
    view: View,
    jobs: Collection[bytes],
    latest: dict[bytes, list[bytes]] | None = None,
    *,
    producers_only: bool = False,
) -> dict[bytes, CurrentJob]:
    """Current state of each of these jobs.

    Their newest runs may be given; with `producers`, from producers' events alone.
    """
    shapes = view.facts(Shape, job=set(jobs))
    if producers_only:
        shapes = [shape for shape in shapes if _is_of_producer(shape)]
    by_job: dict[bytes, list[Shape]] = defaultdict(list)
    for shape in shapes:
        by_job[shape.job or b""].append(shape)
    last = {item.shape: item.last or b"" for item in view.facts(Evidence, shape={shape.shape for shape in shapes})}
    latest = view.activity.latest_runs(view.tenant, jobs, LOOKED_AT) if latest is None else latest
    run_ids = {run for runs in latest.values() for run in runs}
    facts = {run.run: run for run in view.facts(Run, run=run_ids)}
    flows = flows_of_runs(view, run_ids, producers_only=producers_only)
    fixed = {shape.shape for shape in shapes if shape.kind == EventKind.JOB}
    stated = flows_of_shapes(view, fixed)
    found: dict[bytes, CurrentJob] = {}
    for job in jobs:
        runs = by_last_event(facts[run] for run in latest.get(job, ()) if run in facts)
        own = sorted(by_job[job], key=lambda shape: last.get(shape.shape, b""))
        newest = own[-1] if own else None
        streaming = newest is not None and (newest.processing or "").startswith("STREAM")
        event = next((shape.shape for shape in reversed(own) if shape.shape in fixed), None)
        event_time = stamp_time(last[event]) if event is not None else 0
        made = _version_run(runs, flows, streaming=streaming)
        by_event = event is not None and (made is None or (made.last_seen or 0) < event_time)
        if by_event and event is not None:
            does = stated.get(event, Flows())
        elif made is not None:
            does = flows.get(made.run, Flows())
        else:
            does = next((flows[run.run] for run in runs if not flows.get(run.run, Flows()).is_empty), Flows())
        found[job] = CurrentJob(
            does,
            made.run if made is not None and not by_event else None,
            event if by_event else None,
            event,
            by_event and next(shape for shape in own if shape.shape == event).producer == API,
            runs[0].run if runs else None,
            stamp_time(last[newest.shape]) if newest is not None and last.get(newest.shape) else 0,
            streaming,
        )
    return found


def _is_of_producer(shape: Shape) -> bool:
    """Whether a producer stated it in an event: it is neither inferred nor made by hand."""
    return shape.origin == ORIGIN and shape.producer not in (API, EDITS)


def _version_run(runs: list[Run], flows: dict[bytes, Flows], *, streaming: bool) -> Run | None:
    """The newest run that ended; a stream never ends, so any of its runs that names a dataset will do."""
    for run in runs:
        ended = (run.status or 0) >= RunStatus.SUCCEEDED
        if ended or (streaming and not flows.get(run.run, Flows()).is_empty):
            return run
    return None


def flows_of_shapes(view: View, shapes: set[bytes]) -> dict[bytes, Flows]:
    """Inputs and outputs of each of these shapes."""
    inputs: dict[bytes, set[bytes]] = defaultdict(set)
    outputs: dict[bytes, set[bytes]] = defaultdict(set)
    parts = [part for part in view.facts(ShapeDataset, shape=shapes) if part.role in (Role.INPUT, Role.OUTPUT)]
    shown = view.shown({part.dataset for part in parts})
    for part in parts:
        (inputs if part.role == Role.INPUT else outputs)[part.shape].add(shown[part.dataset])
    return {shape: Flows(frozenset(inputs[shape]), frozenset(outputs[shape])) for shape in shapes}
