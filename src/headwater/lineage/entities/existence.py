"""Existence of a dataset and its last write; failed runs do not count."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from headwater.graph.annotations.notes import PERSON
from headwater.graph.current.existence import is_there, shows_it_is_there
from headwater.graph.current.sides import is_written
from headwater.graph.facts import Evidence, OutputType, Role, Shape, ShapeDataset
from headwater.interpret.describe import ORIGIN
from headwater.openlineage.event import EventKind
from headwater.openlineage.identity import stamp_time
from headwater.store.read.runs.attempts import RunOutcome

__all__ = ["Existence", "existence_of"]

_USES = (Role.INPUT, Role.OUTPUT, Role.SUBJECT)


class Existence(Struct, frozen=True):
    """All times are those of the newest success."""

    exists: bool | None
    """None when nobody ever read or wrote it."""
    created_at: int | None
    dropped_at: int | None
    truncated_at: int | None
    written_at: int | None
    read_at: int | None


def existence_of(
    outcomes: Iterable[RunOutcome],
    parts: Iterable[ShapeDataset],
    shapes: Mapping[bytes, Shape],
    evidence: Mapping[bytes, Evidence],
) -> Existence:
    """By how the runs ended, and by the job and dataset events that declare the dataset."""
    used = [item for item in (*outcomes, *_declared(parts, shapes, evidence)) if item.role in _USES]
    done = [item for item in used if not item.failed]

    def newest(wanted: Callable[[RunOutcome], bool], *, stated: bool = False) -> int | None:
        return max((item.stated if stated else item.done for item in done if wanted(item)), default=None)

    def changed(kind: OutputType) -> int | None:
        return newest(lambda item: bool(item.types & kind), stated=True)

    dropped, created = changed(OutputType.DROP), changed(OutputType.CREATE)
    written = newest(lambda item: shows_it_is_there(item.role, item.types), stated=True)
    return Existence(
        exists=bool(done) and is_there(dropped, created, written) if used else None,
        created_at=created,
        dropped_at=dropped,
        truncated_at=changed(OutputType.TRUNCATE),
        written_at=newest(lambda item: item.role == Role.OUTPUT and is_written(item.types)),
        read_at=newest(lambda item: item.role == Role.INPUT),
    )


def _declared(
    parts: Iterable[ShapeDataset], shapes: Mapping[bytes, Shape], evidence: Mapping[bytes, Evidence]
) -> Iterable[RunOutcome]:
    """Writes that only a job or dataset event states, and no run."""
    for part in parts:
        shape, item = shapes.get(part.shape), evidence.get(part.shape)
        if shape is None or item is None or not item.last:
            continue
        if shape.kind != EventKind.RUN and shape.origin in (ORIGIN, PERSON):
            time = stamp_time(item.last)
            yield RunOutcome(part.role, part.types or 0, failed=False, stated=time, done=time)
