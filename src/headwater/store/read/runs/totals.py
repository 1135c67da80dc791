"""Totals read and written: from derived tables, or summed from up to 2,000 runs."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from msgspec import Struct

from headwater.graph.current.sums import total
from headwater.store.read.lookup import Lookup
from headwater.store.read.shapes.current_shapes import Window

__all__ = ["Key", "RunTotals", "Total", "measured", "progress", "totals_of_jobs", "totals_of_runs"]

Key = tuple[bytes, bytes, int]
"""Job or run, dataset, role."""
_MOST_RUNS = 2_000
"""Number of runs up to which a request sums them itself; more are left to the pipeline."""

_TOTALS = (
    "SELECT job, dataset, [role], [rows], bytes, files, types, last_seen FROM job_dataset "
    "WHERE tenant = ? AND job {ids}"
)
_RUN_TOTALS = (
    "SELECT run, dataset, [role], [rows], bytes, files, types, last_seen FROM run_total WHERE tenant = ? AND run {ids}"
)
_RUN_TOTALS_OF_JOBS = (
    "SELECT job, dataset, [role], [rows], bytes, files, types, last_seen FROM run_total "
    "WHERE tenant = ? AND job {ids} AND last_seen >= ? AND first_seen <= ?"
)
_ANY_RUN = "SELECT COUNT(*) FROM run WHERE tenant = ? AND job {ids} AND first_seen <= ?"
_MEASURED_JOBS = (
    "SELECT r.job, d.dataset, d.[role], d.[rows], d.bytes, d.files, 0, r.last_seen FROM run r "
    "JOIN run_dataset d ON d.tenant = r.tenant AND d.run = r.run "
    "WHERE r.tenant = ? AND r.job {ids} AND r.last_seen >= ? AND r.first_seen <= ?"
)
_MEASURED = (
    "SELECT d.run, d.dataset, d.[role], d.[rows], d.bytes, d.files, 0, r.last_seen FROM run_dataset d "
    "JOIN run r ON r.tenant = d.tenant AND r.run = d.run WHERE d.tenant = ? AND d.run {ids}"
)
_PROGRESS = "SELECT job, position, updated_at, event_received_at FROM pipeline_progress ORDER BY updated_at DESC"


class Total(Struct, gc=False):
    """A sum; None where nothing was ever measured."""

    rows: int | None = None
    bytes: int | None = None
    files: int | None = None
    types: int = 0
    last_seen: int | None = None

    def add(self, rows: int | None, size: int | None, files: int | None, types: int | None, last: int | None) -> None:
        self.rows, self.bytes = total((self.rows, rows)), total((self.bytes, size))
        self.files, self.types = total((self.files, files)), self.types | (types or 0)
        if last is not None:
            self.last_seen = last if self.last_seen is None else max(last, self.last_seen)


class RunTotals(Struct, frozen=True):
    """Sums, and where they come from."""

    sums: dict[Key, Total]
    summed: set[bytes]
    """Jobs whose sums are the pipeline's; those of others change with every run."""
    unknown: set[bytes]
    """Jobs of which is not known how much they read and wrote."""


def totals_of_jobs(tenant: int, lookup: Lookup, jobs: Collection[bytes], window: Window) -> RunTotals:
    """Inputs and outputs of jobs in a window, in figures.

    The pipeline's sums count. Where it has none, and there are few enough runs, the runs themselves are summed.
    """
    far = 1 << 62
    until = window.until if window.as_of is None else window.as_of
    bounds = -far if window.since is None else window.since, far if until is None else until
    if window.is_always:
        rows = lookup.rows(_TOTALS, tenant, jobs)
    else:
        rows = lookup.rows(_RUN_TOTALS_OF_JOBS, tenant, jobs, *bounds)
    summed = {row[0] for row in rows}
    missing = set(jobs) - summed
    if missing and sum(row[0] for row in lookup.rows(_ANY_RUN, tenant, missing, bounds[1])) <= _MOST_RUNS:
        rows += lookup.rows(_MEASURED_JOBS, tenant, missing, *bounds)
        missing = set()
    return RunTotals(_summed(rows), summed, missing)


def totals_of_runs(tenant: int, lookup: Lookup, runs: Collection[bytes]) -> dict[Key, Total]:
    """Figures of runs with all operations inside them, as summed by the pipeline."""
    return _summed(lookup.rows(_RUN_TOTALS, tenant, runs))


def measured(tenant: int, lookup: Lookup, operations: Collection[bytes]) -> dict[Key, Total]:
    """Figures that each of these runs reported itself."""
    return _summed(lookup.rows(_MEASURED, tenant, operations))


def progress(lookup: Lookup) -> dict[str, Any] | None:
    """How far the pipeline is with its sums; None when it never ran."""
    rows = lookup.all(_PROGRESS)
    if not rows:
        return None
    job, position, updated_at, received_at = rows[0]
    return {"job": job, "position": position, "updated_at": updated_at, "event_received_at": received_at}


def _summed(rows: list[tuple[Any, ...]]) -> dict[Key, Total]:
    found: dict[Key, Total] = {}
    for owner, dataset, role, amount, size, files, types, last in rows:
        key = owner, dataset, role
        if key in found:
            found[key].add(amount, size, files, types, last)
        else:
            found[key] = Total(amount, size, files, types or 0, last)
    return found
