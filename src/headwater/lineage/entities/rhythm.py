"""How often jobs run."""

from __future__ import annotations

from collections.abc import Collection

from headwater.graph.rhythm import usual_gap
from headwater.store.read.lookup import Lookup
from headwater.store.read.runs.recent_runs import starts_of_jobs

__all__ = ["rhythm_of"]

_EVER = 1 << 62


def rhythm_of(lookup: Lookup, tenant: int, jobs: Collection[bytes]) -> int | None:
    """Milliseconds from one run to the next, of the job among these that runs most often; None without a rhythm."""
    starts = starts_of_jobs(lookup, tenant, jobs, _EVER)
    found = [gap for times in starts.values() if (gap := usual_gap(times)) is not None]
    return min(found) // 1000 if found else None
