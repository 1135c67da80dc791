"""Shapes of a job or dataset that apply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from headwater.graph.facts import Evidence, Shape
from headwater.graph.rollup.totals import INFERRED
from headwater.openlineage.event import EventKind

__all__ = ["current_shapes"]


def current_shapes(shapes: Iterable[Shape], evidence: Mapping[bytes, Evidence]) -> list[Shape]:
    """Run events add up; of the job events of a job, and the dataset events of a dataset, the newest holds."""
    current: list[Shape] = []
    newest: dict[tuple[str | None, str | None, bytes], Shape] = {}

    def recency(shape: Shape) -> tuple[bytes, bytes]:
        own_evidence = evidence.get(shape.shape)
        return (own_evidence.last if own_evidence is not None else None) or b"", shape.shape

    for shape in shapes:
        owner = shape.job or shape.subject
        if shape.origin == INFERRED or owner is None:
            continue
        if shape.kind == EventKind.RUN:
            current.append(shape)
        else:
            key = shape.kind, shape.origin, owner
            newest[key] = max(newest.get(key, shape), shape, key=recency)
    return [*current, *newest.values()]
