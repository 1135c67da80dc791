"""The shapes of a job, all of them or, of a job with very many, those of its newest runs."""

from __future__ import annotations

from collections.abc import Collection

from headwater.store.read.lookup import Lookup

__all__ = ["MOST_SHOWN", "count_shapes", "newest_shapes"]

MOST_SHOWN = 2_000
"""Shapes of a job that are looked at where all of it is asked for."""
_COUNT = "SELECT COUNT(*) FROM shape WHERE tenant = ? AND job {ids}"
_ANY = "SELECT shape FROM shape WHERE tenant = ? AND job {ids} ORDER BY shape LIMIT ?"
_OF_NEWEST_RUNS = (
    "SELECT r.shape FROM run u JOIN run_shape r ON r.tenant = u.tenant AND r.run = u.run "
    "WHERE u.tenant = ? AND u.job {ids} AND u.first_seen IS NOT NULL ORDER BY u.first_seen DESC LIMIT ?"
)


def count_shapes(lookup: Lookup, tenant: int, members: Collection[bytes]) -> int:
    """How many there are; a job may have several ids."""
    return sum(count for (count,) in lookup.rows(_COUNT, tenant, members))


def newest_shapes(lookup: Lookup, tenant: int, members: Collection[bytes]) -> tuple[list[bytes], int]:
    """Those that are looked at, and how many are not."""
    count = count_shapes(lookup, tenant, members)
    if count <= MOST_SHOWN:
        return [shape for (shape,) in lookup.rows(_ANY, tenant, members, MOST_SHOWN)], 0
    # Runs repeat shapes, so the newest may have few; others fill up.
    newest = dict.fromkeys(shape for (shape,) in lookup.rows(_OF_NEWEST_RUNS, tenant, members, 2 * MOST_SHOWN))
    rest = dict.fromkeys(shape for (shape,) in lookup.rows(_ANY, tenant, members, MOST_SHOWN))
    chosen = list({**newest, **rest})[:MOST_SHOWN]
    return chosen, count - len(chosen)
