"""Whether a dataset is there, and when it was last written: what failed did neither make nor drop it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from headwater.graph.annotations.notes import PERSON
from headwater.graph.facts import Evidence, OutputType, Role, Shape, ShapeDataset
from headwater.interpret.describe import ORIGIN
from headwater.openlineage.event import EventKind
from headwater.openlineage.identity import stamp_time
from headwater.store.read.runs.attempts import Outcome, is_write

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
    outcomes: Iterable[Outcome],
    parts: Iterable[ShapeDataset],
    shapes: Mapping[bytes, Shape],
    evidence: Mapping[bytes, Evidence],
) -> Existence:
    """By how the runs ended, and by the job and dataset events that declare the dataset."""
    used = [item for item in (*outcomes, *_declared(parts, shapes, evidence)) if item.role in _USES]
    done = [item for item in used if not item.failed]

    def newest(wanted: Callable[[Outcome], bool], *, stated: bool = False) -> int | None:
        return max((item.stated if stated else item.done for item in done if wanted(item)), default=None)

    def changed(kind: OutputType) -> int | None:
        return newest(lambda item: bool(item.types & kind), stated=True)

    dropped = changed(OutputType.DROP)
    alive = newest(lambda item: item.role != Role.INPUT and not item.types & OutputType.DROP)
    if dropped is None:
        exists = bool(done)
    else:
        exists = max(alive or dropped - 1, changed(OutputType.CREATE) or dropped - 1) > dropped
    return Existence(
        exists=exists if used else None,
        created_at=changed(OutputType.CREATE),
        dropped_at=dropped,
        truncated_at=changed(OutputType.TRUNCATE),
        written_at=newest(lambda item: is_write(item.role, item.types)),
        read_at=newest(lambda item: item.role == Role.INPUT),
    )


def _declared(
    parts: Iterable[ShapeDataset], shapes: Mapping[bytes, Shape], evidence: Mapping[bytes, Evidence]
) -> Iterable[Outcome]:
    """What no run did, but a job or dataset event says."""
    for part in parts:
        shape, item = shapes.get(part.shape), evidence.get(part.shape)
        if shape is None or item is None or not item.last:
            continue
        if shape.kind != EventKind.RUN and shape.origin in (ORIGIN, PERSON):
            time = stamp_time(item.last)
            yield Outcome(part.role, part.types or 0, failed=False, stated=time, done=time)
