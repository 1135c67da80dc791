"""How often and for how long: jobs by day, and statements by job and day."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from headwater.graph.current.sums import total
from headwater.graph.derived import JobDatasetDay, JobDay, RunSummary, SqlUse
from headwater.graph.facts import Role, RunShape, RunStatus, Shape
from headwater.graph.rollup.summarize import counts
from headwater.graph.rollup.totals import INFERRED

__all__ = ["job_days", "percentile", "sql_uses"]


def percentile(values: Iterable[int], percent: int) -> int | None:
    """Percentile by nearest rank: always one of the values.

    >>> percentile([10, 20, 30, 40], 50), percentile([10, 20, 30, 40], 95), percentile([], 50)
    (20, 40, None)
    """
    ordered = sorted(values)
    return ordered[(len(ordered) * percent + 99) // 100 - 1] if ordered else None


def job_days(tenant: int, summaries: Mapping[bytes, RunSummary], days: Iterable[JobDatasetDay]) -> list[JobDay]:
    """Runs of a job by day, with the figures of `job_dataset_days`."""
    runs: dict[tuple[bytes, int], list[RunSummary]] = defaultdict(list)
    for summary in summaries.values():
        if summary.job is not None and summary.day is not None and counts(summary, summaries):
            runs[summary.job, summary.day].append(summary)
    moved: dict[tuple[bytes, int], list[JobDatasetDay]] = defaultdict(list)
    for row in days:
        moved[row.job, row.day].append(row)
    rows = []
    for key, found in runs.items():
        durations = [summary.duration for summary in found if summary.duration is not None]
        reads = [row for row in moved.get(key, ()) if row.role == Role.INPUT]
        writes = [row for row in moved.get(key, ()) if row.role == Role.OUTPUT]
        rows.append(
            JobDay(
                tenant,
                *key,
                runs=len(found),
                succeeded=sum(summary.status == RunStatus.SUCCEEDED for summary in found),
                failures=sum(summary.status == RunStatus.FAILED for summary in found),
                killed=sum(summary.status == RunStatus.KILLED for summary in found),
                duration_p50=percentile(durations, 50),
                duration_p95=percentile(durations, 95),
                rows_read=total(row.rows for row in reads),
                rows_written=total(row.rows for row in writes),
                bytes_read=total(row.bytes for row in reads),
                bytes_written=total(row.bytes for row in writes),
            )
        )
    return rows


def sql_uses(
    tenant: int, summaries: Mapping[bytes, RunSummary], links: Iterable[RunShape], shapes: Mapping[bytes, Shape]
) -> list[SqlUse]:
    """Each statement a run named counts once for it, however many of its events named it."""
    spans: dict[tuple[bytes, bytes], list[RunShape]] = defaultdict(list)
    for link in links:
        shape = shapes.get(link.shape)
        if shape is not None and shape.sql is not None and shape.origin != INFERRED and link.run in summaries:
            spans[shape.sql, link.run].append(link)
    grouped: dict[tuple[bytes, bytes, int], list[tuple[RunSummary, list[RunShape]]]] = defaultdict(list)
    for (sql, run), found in spans.items():
        summary = summaries[run]
        if summary.job is not None and summary.day is not None:
            grouped[sql, summary.job, summary.day].append((summary, found))
    return [_sql_use(tenant, key, found) for key, found in grouped.items()]


def _sql_use(tenant: int, key: tuple[bytes, bytes, int], runs: list[tuple[RunSummary, list[RunShape]]]) -> SqlUse:
    durations = [summary.duration for summary, _ in runs if summary.duration is not None]
    firsts = [link.first_seen for _, links in runs for link in links if link.first_seen is not None]
    lasts = [link.last_seen for _, links in runs for link in links if link.last_seen is not None]
    return SqlUse(
        tenant,
        *key,
        runs=len(runs),
        failures=sum(summary.status == RunStatus.FAILED for summary, _ in runs),
        duration_total=total(durations),
        duration_p95=percentile(durations, 95),
        first_seen=min(firsts, default=None),
        last_seen=max(lasts, default=None),
    )
