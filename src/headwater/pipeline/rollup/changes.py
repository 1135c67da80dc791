"""Keeps derived tables up to date: only rows that a batch of events affects are computed again.

By the same functions as for whole tables (`headwater.graph.rollup`), on the rows of the affected keys: some lookups by
key, no Spark. Planning takes Spark a second, this takes a few milliseconds.
"""

from __future__ import annotations

from msgspec import Struct

from headwater.graph.derived import (
    DatasetDay,
    JobDataset,
    JobDatasetDay,
    JobDay,
    RunSummary,
    RunTotal,
    SqlUse,
)
from headwater.graph.facts import RunShape, Shape
from headwater.graph.rollup.totals import dataset_days, job_dataset_days, job_datasets
from headwater.graph.rollup.usage import job_days, sql_uses
from headwater.pipeline.rollup.affected_runs import AffectedRuns, affected_runs, singles
from headwater.store.read.reader import Reader
from headwater.store.write.derived import DerivedStore, Replacement

__all__ = ["Refreshed", "refresh"]

Unit = tuple[bytes, int]
"""A job and a day: the smallest that statistics of jobs are worked out for."""


class Refreshed(Struct, frozen=True):
    """How much was worked out again."""

    runs: int
    job_days: int
    rows: int


def refresh(reader: Reader, derived: DerivedStore, tenant: int, changed: set[bytes]) -> Refreshed:
    """Bring all derived rows up to date with the facts about these runs, in one transaction."""
    runs = affected_runs(reader, derived, tenant, changed)
    units = _units(runs)
    replacements = [
        Replacement(RunSummary, ("run",), singles(runs.summaries), list(runs.summaries.values())),
        Replacement(RunTotal, ("run",), singles(runs.summaries), runs.totals),
        *_by_job_and_day(reader, derived, tenant, runs, units),
    ]
    derived.replace(tenant, replacements)
    return Refreshed(len(runs.summaries), len(units), sum(len(item.rows) for item in replacements))


def _units(runs: AffectedRuns) -> set[Unit]:
    """Where the affected runs counted, and where they do now."""
    found = [*runs.before.values(), *runs.summaries.values()]
    # Whether an operation counts by itself depends on the job of the run around it.
    found += [other for other in runs.others.values() if _changed_job(runs, other.inside or b"")]
    return {(summary.job, summary.day) for summary in found if summary.job is not None and summary.day is not None}


def _changed_job(runs: AffectedRuns, run: bytes) -> bool:
    old, new = runs.before.get(run), runs.summaries.get(run)
    return (old.job if old is not None else None) != (new.job if new is not None else None)


def _by_job_and_day(
    reader: Reader, derived: DerivedStore, tenant: int, runs: AffectedRuns, units: set[Unit]
) -> list[Replacement]:
    stored = derived.rows(tenant, RunSummary, ("job", "day"), units)
    kept = {summary.run: summary for summary in stored if summary.run not in runs.summaries}
    counted = {run: summary for run, summary in runs.summaries.items() if (summary.job, summary.day) in units}
    chosen = {**kept, **counted}
    known = {**runs.others, **runs.summaries, **chosen}
    around = {summary.inside or b"" for summary in chosen.values()} - set(known)
    known |= {summary.run: summary for summary in derived.rows(tenant, RunSummary, ("run",), singles(around))}

    totals = derived.rows(tenant, RunTotal, ("run",), singles(kept))
    totals += [total for total in runs.totals if total.run in counted]
    days = job_dataset_days(tenant, totals, known)
    links = reader.facts(tenant, RunShape, run=set(chosen))
    shapes = {shape.shape: shape for shape in reader.facts(tenant, Shape, shape={link.shape for link in links})}
    return [
        Replacement(JobDatasetDay, ("job", "day"), units, days),
        Replacement(
            JobDay, ("job", "day"), units, [row for row in job_days(tenant, known, days) if (row.job, row.day) in units]
        ),
        Replacement(SqlUse, ("job", "day"), units, sql_uses(tenant, chosen, links, shapes)),
        *_of_days(derived, tenant, units, days),
    ]


def _of_days(derived: DerivedStore, tenant: int, units: set[Unit], days: list[JobDatasetDay]) -> list[Replacement]:
    """Summed from days of jobs: jobs over all days, and days of datasets over all jobs."""
    gone = derived.rows(tenant, JobDatasetDay, ("job", "day"), units)
    pairs = {(day.job, day.dataset) for day in (*gone, *days)}
    dates = {(day.dataset, day.day) for day in (*gone, *days)}
    by_job = derived.rows(tenant, JobDatasetDay, ("job", "dataset"), pairs)
    by_date = derived.rows(tenant, JobDatasetDay, ("dataset", "day"), dates)
    kept = [day for day in by_job if (day.job, day.day) not in units]
    other_rows = [day for day in by_date if (day.job, day.day) not in units]
    return [
        Replacement(JobDataset, ("job", "dataset"), pairs, job_datasets(tenant, [*kept, *days])),
        Replacement(DatasetDay, ("dataset", "day"), dates, dataset_days(tenant, [*other_rows, *days])),
    ]
