"""Figures by day, as the pipeline has worked them out: of a dataset, and of a job."""

from __future__ import annotations

from collections.abc import Iterable

from headwater.graph.current.sums import total
from headwater.graph.derived import DatasetDay, JobDay
from headwater.graph.rollup.totals import greatest
from headwater.store.read.lookup import Lookup

__all__ = ["FIRST_DAY", "LAST_DAY", "dataset_series", "job_series"]

FIRST_DAY, LAST_DAY = -719_162, 2_932_896
"""The years 1 to 9999, as days since 1970."""
_DATASET = (
    "SELECT tenant, dataset, day, [reads], writes, failures, rows_read, rows_written, bytes_read, bytes_written, "
    "last_written FROM dataset_day WHERE tenant = ? AND dataset {ids} AND day >= ? AND day <= ? "
    "ORDER BY day DESC LIMIT ?"
)
_JOB = (
    "SELECT tenant, job, day, runs, succeeded, failures, killed, duration_p50, duration_p95, rows_read, rows_written, "
    "bytes_read, bytes_written FROM job_day WHERE tenant = ? AND job {ids} AND day >= ? AND day <= ? "
    "ORDER BY day DESC LIMIT ?"
)


def job_series(lookup: Lookup, tenant: int, job: bytes, first: int, last: int, most: int) -> list[JobDay]:
    """The newest days on which a run of the job began, the newest first."""
    return [JobDay(*row) for row in lookup.rows(_JOB, tenant, [job], first, last, most)]


def dataset_series(
    lookup: Lookup, tenant: int, names: Iterable[bytes], first: int, last: int, most: int
) -> list[DatasetDay]:
    """The newest days on which a run began that used the dataset under any of its names, the newest first."""
    found: dict[int, DatasetDay] = {}
    for name in names:  # one by one, so that each is read by its key, from its newest day
        for row in lookup.rows(_DATASET, tenant, [name], first, last, most):
            day = DatasetDay(*row)
            found[day.day] = _together(found[day.day], day) if day.day in found else day
    return [found[day] for day in sorted(found, reverse=True)[:most]]


def _together(one: DatasetDay, other: DatasetDay) -> DatasetDay:
    """Combines the rows of two names."""
    both = (one, other)
    return DatasetDay(
        one.tenant,
        one.dataset,
        one.day,
        reads=total(day.reads for day in both),
        writes=total(day.writes for day in both),
        failures=total(day.failures for day in both),
        rows_read=total(day.rows_read for day in both),
        rows_written=total(day.rows_written for day in both),
        bytes_read=total(day.bytes_read for day in both),
        bytes_written=total(day.bytes_written for day in both),
        last_written=greatest(day.last_written for day in both),
    )
