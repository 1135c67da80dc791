"""Inputs and outputs added up: operation to run, run to job and day, those to job and to dataset.

Every level adds up the one below in the same way (`add_up`), so that a sum can be worked out again from its parts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from headwater.graph.current.sums import total
from headwater.graph.derived import DatasetDay, JobDataset, JobDatasetDay, Relevance, RunSummary, RunTotal
from headwater.graph.fact import Id
from headwater.graph.facts import OutputType, Role, RunDataset, RunShape, RunStatus, Shape, ShapeDataset
from headwater.graph.rollup.summarize import counts

__all__ = [
    "INFERRED",
    "Totals",
    "add_up",
    "dataset_days",
    "greatest",
    "job_dataset_days",
    "job_datasets",
    "own_totals",
    "run_totals",
    "totals_of",
]

INFERRED = "sql"
"""The origin of inferred shapes. They repeat an event's inputs and outputs, so totals leave them out."""

Key = tuple[bytes, bytes, int]
"""Run, dataset and role."""


class Totals(NamedTuple):
    """Totals of reads or writes of a dataset. An unknown figure is None and stays None."""

    rows: int | None = None
    bytes: int | None = None
    files: int | None = None
    types: OutputType | None = None
    schema: Id | None = None
    schema_seen: int | None = None
    relevance: Relevance | None = None
    first_seen: int | None = None
    last_seen: int | None = None


def own_totals(
    links: Iterable[RunShape],
    shapes: Mapping[bytes, Shape],
    parts: Iterable[ShapeDataset],
    measured: Iterable[RunDataset],
) -> dict[Key, Totals]:
    """Totals of each run or operation by itself, also where no figures were sent."""
    by_shape: dict[bytes, list[ShapeDataset]] = defaultdict(list)
    for part in parts:
        if part.role in (Role.INPUT, Role.OUTPUT) and part.shape in shapes and shapes[part.shape].origin != INFERRED:
            by_shape[part.shape].append(part)
    totals_by_place: dict[Key, list[Totals]] = defaultdict(list)
    for link in links:
        for part in by_shape.get(link.shape, ()):
            named = part.schema is not None
            totals_by_place[link.run, part.dataset, part.role].append(
                Totals(
                    types=part.types,
                    schema=part.schema,
                    schema_seen=link.last_seen if named else None,
                    relevance=Relevance.EXACT_MATCH if named else None,
                    first_seen=link.first_seen,
                    last_seen=link.last_seen,
                )
            )
    for fact in measured:
        if fact.role in (Role.INPUT, Role.OUTPUT):
            totals_by_place[fact.run, fact.dataset, fact.role].append(Totals(fact.rows, fact.bytes, fact.files))
    return {totals_key: add_up(found) for totals_key, found in totals_by_place.items()}


def run_totals(tenant: int, own: Mapping[Key, Totals], summaries: Mapping[bytes, RunSummary]) -> dict[Key, RunTotal]:
    """Of a run with all operations inside it; of an operation by itself."""
    grouped: dict[Key, list[Totals]] = defaultdict(list)
    for (run, dataset, role), totals in own.items():
        summary = summaries.get(run)
        if summary is None or summary.inside is None:
            continue
        grouped[summary.inside, dataset, role].append(totals)
        if summary.inside != run:
            grouped[run, dataset, role].append(totals)
    return {
        totals_key: RunTotal(tenant, *totals_key, summaries[totals_key[0]].job, **add_up(found)._asdict())
        for totals_key, found in grouped.items()
    }


def job_dataset_days(
    tenant: int, totals: Iterable[RunTotal], summaries: Mapping[bytes, RunSummary]
) -> list[JobDatasetDay]:
    grouped: dict[tuple[bytes, int, bytes, int, int], list[RunTotal]] = defaultdict(list)
    for item in totals:
        summary = summaries[item.run]
        if summary.job is not None and summary.day is not None and counts(summary, summaries):
            within = int(summary.inside != summary.run)
            grouped[summary.job, summary.day, item.dataset, item.role, within].append(item)
    return [
        JobDatasetDay(
            tenant,
            *key,
            len(found),
            sum(summaries[item.run].status == RunStatus.FAILED for item in found),
            greatest(
                summaries[item.run].ended_at for item in found if summaries[item.run].status == RunStatus.SUCCEEDED
            ),
            **add_up(map(totals_of, found))._asdict(),
        )
        for key, found in grouped.items()
    ]


def job_datasets(tenant: int, days: Iterable[JobDatasetDay]) -> list[JobDataset]:
    grouped: dict[Key, list[JobDatasetDay]] = defaultdict(list)
    for day in days:
        grouped[day.job, day.dataset, day.role].append(day)
    return [
        JobDataset(tenant, *key, total(day.runs for day in found), **add_up(map(totals_of, found))._asdict())
        for key, found in grouped.items()
    ]


def dataset_days(tenant: int, days: Iterable[JobDatasetDay]) -> list[DatasetDay]:
    """Runs of all jobs together; operations inside them are in their runs' totals already."""
    grouped: dict[tuple[bytes, int], list[JobDatasetDay]] = defaultdict(list)
    for day in days:
        if not day.within:
            grouped[day.dataset, day.day].append(day)
    rows = []
    for key, found in grouped.items():
        reads = [day for day in found if day.role == Role.INPUT]
        writes = [day for day in found if day.role == Role.OUTPUT]
        rows.append(
            DatasetDay(
                tenant,
                *key,
                reads=sum(day.runs or 0 for day in reads),
                writes=sum(day.runs or 0 for day in writes),
                failures=sum(day.failures or 0 for day in writes),
                rows_read=total(day.rows for day in reads),
                rows_written=total(day.rows for day in writes),
                bytes_read=total(day.bytes for day in reads),
                bytes_written=total(day.bytes for day in writes),
                last_written=greatest(day.last_succeeded for day in writes),
            )
        )
    return rows


def add_up(parts: Iterable[Totals]) -> Totals:
    """Sums of counters, union of types, the latest schema and whether it was the only one, first and last time.

    >>> add_up([Totals(rows=2, types=OutputType.APPEND), Totals(rows=3, types=OutputType.CREATE)]).rows
    5
    >>> add_up([Totals(), Totals()]).rows is None
    True
    """
    found = list(parts)
    named = [part for part in found if part.schema is not None]
    latest = max(named, key=_recency, default=Totals())
    several = any(part.relevance == Relevance.LATEST_KNOWN or part.schema != latest.schema for part in named)
    types = [part.types for part in found if part.types is not None]
    united = None
    for flags in types:
        united = OutputType(flags if united is None else united | flags)
    return Totals(
        total(part.rows for part in found),
        total(part.bytes for part in found),
        total(part.files for part in found),
        united,
        latest.schema,
        latest.schema_seen,
        (Relevance.LATEST_KNOWN if several else Relevance.EXACT_MATCH) if named else None,
        min((part.first_seen for part in found if part.first_seen is not None), default=None),
        greatest(part.last_seen for part in found),
    )


def _recency(part: Totals) -> tuple[bool, int, bytes]:
    """Two schemas of one time are ordered by their ids, so that there is always one answer."""
    return part.schema_seen is not None, part.schema_seen or 0, part.schema or b""


def totals_of(row: RunTotal | JobDatasetDay) -> Totals:
    """The part of a row that adds up."""
    return Totals(
        row.rows,
        row.bytes,
        row.files,
        row.types,
        row.schema,
        row.schema_seen,
        row.relevance,
        row.first_seen,
        row.last_seen,
    )


def greatest(values: Iterable[int | None]) -> int | None:
    return max((value for value in values if value is not None), default=None)
