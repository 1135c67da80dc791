"""Runs that a batch affects, and their new summaries.

An operation affects the run around it. A run that turns out to be an operation, or to have another parent, affects all
operations below it.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from headwater.graph.current.run_around import CLIMB_LIMIT, parent_of
from headwater.graph.derived import RunSummary, RunTotal
from headwater.graph.facts import Activity, Run, RunDataset, RunShape, Shape, ShapeDataset
from headwater.graph.rollup.summarize import summarize
from headwater.graph.rollup.totals import own_totals, run_totals, totals_of
from headwater.store.read.reader import Reader
from headwater.store.write.derived import DerivedStore

__all__ = ["AffectedRuns", "affected_runs", "singles"]


class AffectedRuns(Struct):
    """Summaries and totals of the runs that a batch affects."""

    before: dict[bytes, RunSummary]
    """As they are in the store."""
    summaries: dict[bytes, RunSummary]
    """As they are to be."""
    totals: list[RunTotal]
    others: dict[bytes, RunSummary]
    """Unaffected operations inside affected runs."""


def singles(values: Iterable[bytes]) -> list[tuple[bytes]]:
    return [(value,) for value in values]


def affected_runs(reader: Reader, derived: DerivedStore, tenant: int, changed: set[bytes]) -> AffectedRuns:
    """Work out the summaries and totals of all runs that the touched ones have to do with."""
    runs, before = _with_descendants(reader, derived, tenant, changed)
    affected = set(runs)
    runs |= _ancestors(reader, tenant, runs)
    around = {run: summary.inside or run for run, summary in summarize(runs.values()).items() if run in affected}
    containers = set(around.values()) | {summary.inside or run for run, summary in before.items()}
    missing = containers - set(runs)
    runs |= {run.run: run for run in reader.facts(tenant, Run, run=missing)}
    chosen = affected | (containers & set(runs))
    known = derived.rows(tenant, RunSummary, ("run",), singles(chosen - set(before)))
    before |= {summary.run: summary for summary in known}
    inside = derived.rows(tenant, RunSummary, ("inside",), singles(containers))
    others = {summary.run: summary for summary in inside if summary.run not in chosen}
    summaries = _summaries(runs, chosen, others)
    totals = _totals(reader, derived, tenant, summaries, others)
    return AffectedRuns(before, summaries, totals, others)


def _with_descendants(
    reader: Reader, derived: DerivedStore, tenant: int, changed: set[bytes]
) -> tuple[dict[bytes, Run], dict[bytes, RunSummary]]:
    """The touched runs, and the operations below those that changed their place."""
    runs: dict[bytes, Run] = {}
    before: dict[bytes, RunSummary] = {}
    level = {run.run: run for run in reader.facts(tenant, Run, run=changed)}
    for depth in range(CLIMB_LIMIT + 2):
        runs |= level
        stored = derived.rows(tenant, RunSummary, ("run",), singles(level))
        before |= {summary.run: summary for summary in stored}
        moved = {
            run
            for run, fact in level.items()
            if depth > 0 or run not in before or before[run].parent != parent_of(fact)
        }
        children = reader.facts(tenant, Run, parent_run=moved) if moved else []
        level = {run.run: run for run in children if parent_of(run) is not None and run.run not in runs}
        if not level:
            break
    return runs, before


def _ancestors(reader: Reader, tenant: int, runs: dict[bytes, Run]) -> dict[bytes, Run]:
    """All that is met on the way up from these runs."""
    found: dict[bytes, Run] = {}
    wanted = {parent for run in runs.values() if (parent := parent_of(run)) is not None} - set(runs)
    for _ in range(CLIMB_LIMIT + 1):
        if not wanted:
            break
        level = {run.run: run for run in reader.facts(tenant, Run, run=wanted)}
        found |= level
        parents = {parent for run in level.values() if (parent := parent_of(run)) is not None}
        wanted = parents - set(runs) - set(found)
    return found


def _summaries(runs: dict[bytes, Run], chosen: set[bytes], others: dict[bytes, RunSummary]) -> dict[bytes, RunSummary]:
    """Of the chosen runs. A run without events of its own began with the first operation inside it."""
    # An operation that is not read again takes part by its first event, which is all that its run needs of it.
    stand_ins = [
        Run(summary.tenant, run, activity=Activity.OPERATION, parent_run=summary.inside, first_seen=summary.first_seen)
        for run, summary in others.items()
        if run not in runs
    ]
    found = summarize([*runs.values(), *stand_ins])
    return {run: found[run] for run in chosen}


def _totals(
    reader: Reader,
    derived: DerivedStore,
    tenant: int,
    summaries: dict[bytes, RunSummary],
    others: dict[bytes, RunSummary],
) -> list[RunTotal]:
    """Totals of the chosen runs by themselves, and the stored totals of the other operations inside them."""
    chosen = set(summaries)
    links = reader.facts(tenant, RunShape, run=chosen)
    shapes = {shape.shape: shape for shape in reader.facts(tenant, Shape, shape={link.shape for link in links})}
    parts = reader.facts(tenant, ShapeDataset, shape=set(shapes))
    own = own_totals(links, shapes, parts, reader.facts(tenant, RunDataset, run=chosen))
    rows = derived.rows(tenant, RunTotal, ("run",), singles(others))
    stored = {(row.run, row.dataset, row.role): totals_of(row) for row in rows}
    found = run_totals(tenant, {**stored, **own}, {**others, **summaries})
    return [total for total in found.values() if total.run in chosen]
