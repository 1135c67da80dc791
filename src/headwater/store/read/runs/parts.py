"""Parts of a run: its operations, the runs it started, and theirs, at any depth."""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa
from msgspec import Struct

from headwater.graph.current.run_around import MOST_LEVELS
from headwater.graph.facts import RunStatus
from headwater.store.read.lookup import Lookup

__all__ = ["FailureReason", "parts_of", "reasons_of_parts"]

_BELOW = "SELECT run FROM run WHERE tenant = ? AND parent_run {ids} LIMIT ?"
_UNFINISHED = (
    "SELECT run, parent_run, status, end_reason, ended_at, last_seen FROM run "
    f"WHERE tenant = ? AND parent_run {{ids}} AND (status IS NULL OR status <> {int(RunStatus.SUCCEEDED)}) LIMIT ?"
)
_MOST_REASONS = 10_000
"""Parts of the failed runs of one page that are looked at for a reason."""
_BAD = (int(RunStatus.KILLED), int(RunStatus.FAILED))


class FailureReason(Struct, frozen=True, order=True):
    """Why a part failed; the greatest is the one that ended last."""

    ended_at: int
    part: bytes
    text: str


def parts_of(engine: sa.Engine, tenant: int, run: bytes, most: int) -> tuple[set[bytes], bool]:
    """Runs and operations below a run, up to a limit, and whether there are more."""
    lookup, found, level = Lookup(engine), {run}, {run}
    for _ in range(MOST_LEVELS):
        rows = lookup.rows(_BELOW, tenant, level, most + 2)
        level = {row[0] for row in rows} - found
        found |= level
        if len(found) > most + 1:
            return set(sorted(found - {run})[:most]), True
        if not level:
            break
    return found - {run}, False


def reasons_of_parts(engine: sa.Engine, tenant: int, runs: Collection[bytes]) -> dict[bytes, FailureReason]:
    """By run, the failure reason of the part that failed last. Succeeded parts, and all inside them, give none."""
    lookup, reached = Lookup(engine), {run: {run} for run in runs}
    level, found = dict(reached), dict[bytes, FailureReason]()
    for _ in range(MOST_LEVELS):
        following: dict[bytes, set[bytes]] = {}
        for part, parent, status, text, ended_at, last_seen in lookup.rows(_UNFINISHED, tenant, level, _MOST_REASONS):
            new = level[parent] - reached.get(part, set())
            if text and status in _BAD:
                reason = FailureReason(ended_at or last_seen or 0, part, text)
                found |= {owner: max(found.get(owner, reason), reason) for owner in new}
            if new:
                following.setdefault(part, set()).update(new)
        for part, owners in following.items():
            reached[part] = reached.get(part, set()) | owners
        level = following
        if not level or len(reached) > _MOST_REASONS:
            break
    return found
