"""Pairs of shapes that one run stated.

A run of k shapes has up to k² pairs. Beyond `MOST_PAIRED` shapes it is paired with each of its shapes instead, as the
writer of those that read and as the reader of those that write, so that no run costs more than twice its shapes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from headwater.graph.facts import ShapePair, Sides
from headwater.openlineage.identity import stamp

__all__ = ["MOST_PAIRED", "ShapeOfRun", "by_run", "is_wide", "paired", "through_run"]

MOST_PAIRED = 64
"""Shapes that name data, of one run."""
_READS, _WRITES = int(Sides.READS), int(Sides.WRITES)


class ShapeOfRun(NamedTuple):
    """A shape with inputs or outputs, as one run stated it."""

    shape: bytes
    first_seen: int
    last_seen: int
    sides: int


def is_wide(run_shapes: Collection[ShapeOfRun]) -> bool:
    """Whether a run has too many shapes to pair each with each."""
    return len(run_shapes) > MOST_PAIRED


def paired(
    tenant: int, run: bytes, run_shapes: Collection[ShapeOfRun], changed: Collection[bytes] | None = None
) -> list[ShapePair]:
    """The pairs of a run's shapes; only those with one that changed, if that is given."""
    if is_wide(run_shapes):
        return through_run(tenant, run, run_shapes)
    readers = [item for item in run_shapes if item.sides & _READS]
    writers = [item for item in run_shapes if item.sides & _WRITES]
    return [
        ShapePair(
            tenant,
            reader.shape,
            writer.shape,
            max(reader.first_seen, writer.first_seen),
            stamp(max(reader.last_seen, writer.last_seen), run),
        )
        for reader in readers
        for writer in writers
        if reader.shape != writer.shape and (changed is None or reader.shape in changed or writer.shape in changed)
    ]


def through_run(tenant: int, run: bytes, run_shapes: Iterable[ShapeOfRun]) -> list[ShapePair]:
    """Each of these shapes paired with the run itself."""
    found = []
    for item in run_shapes:
        last = stamp(item.last_seen, run)
        if item.sides & _READS:
            found.append(ShapePair(tenant, item.shape, run, item.first_seen, last))
        if item.sides & _WRITES:
            found.append(ShapePair(tenant, run, item.shape, item.first_seen, last))
    return found


def by_run(rows: Iterable[tuple[bytes, bytes, int, int, int]]) -> Mapping[bytes, list[ShapeOfRun]]:
    """Rows of (run, shape, first seen, last seen, sides) by their run."""
    found: dict[bytes, list[ShapeOfRun]] = {}
    for run, shape, first_seen, last_seen, sides in rows:
        found.setdefault(run, []).append(ShapeOfRun(shape, first_seen, last_seen, sides))
    return found
