"""Which dataset flows into which, by job and in all.

Taken from the edges that a shape states; where a `lineage` facet does not speak for an output, from the inputs of the
same shape too. A job whose events name inputs or outputs only (START the ones, COMPLETE the others) flows from the
former to the latter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from headwater.graph.derived import JobFlow, TableFlow
from headwater.graph.facts import Evidence, OutputType, Role, Shape, ShapeDataset, ShapeEdge
from headwater.graph.rollup.totals import INFERRED
from headwater.openlineage.event import EventKind
from headwater.openlineage.identity import stamp_time

__all__ = ["current_shapes", "job_flows", "table_flows"]

Pair = tuple[bytes, bytes]


class _Said(NamedTuple):
    """What one shape says."""

    inputs: set[bytes]
    outputs: dict[bytes, OutputType | None]
    edges: list[Pair]
    first_seen: int | None
    last_seen: int | None


def current_shapes(shapes: Iterable[Shape], evidence: Mapping[bytes, Evidence]) -> list[Shape]:
    """Run events add up; of the job events of a job, and the dataset events of a dataset, the newest holds."""
    current: list[Shape] = []
    newest: dict[tuple[str | None, str | None, bytes], Shape] = {}

    def recency(shape: Shape) -> tuple[bytes, bytes]:
        said = evidence.get(shape.shape)
        return (said.last if said is not None else None) or b"", shape.shape

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


def job_flows(
    tenant: int,
    shapes: Iterable[Shape],
    parts: Iterable[ShapeDataset],
    edges: Iterable[ShapeEdge],
    evidence: Mapping[bytes, Evidence],
) -> list[JobFlow]:
    """All flows of the jobs (and of the subjects of dataset events) whose shapes these are."""
    owners: dict[bytes, list[bytes]] = defaultdict(list)
    for shape in current_shapes(shapes, evidence):
        owners[shape.job or shape.subject or b""].append(shape.shape)
    parts_of: dict[bytes, list[ShapeDataset]] = defaultdict(list)
    for part in parts:
        parts_of[part.shape].append(part)
    edges_of: dict[bytes, list[Pair]] = defaultdict(list)
    for edge in edges:
        edges_of[edge.shape].append((edge.source, edge.target))
    rows: list[JobFlow] = []
    for owner, ids in owners.items():
        explicit = {
            part.dataset for shape in ids for part in parts_of[shape] if part.role == Role.OUTPUT and part.explicit
        }
        said = [_said(owner, parts_of[shape], edges_of[shape], evidence.get(shape)) for shape in ids]
        rows += _merged(tenant, owner, _flows(said, explicit))
    return rows


def table_flows(tenant: int, flows: Iterable[JobFlow]) -> list[TableFlow]:
    grouped: dict[Pair, list[JobFlow]] = defaultdict(list)
    for flow in flows:
        grouped[flow.source, flow.target].append(flow)
    return [
        TableFlow(
            tenant,
            *pair,
            sum(flow.job not in pair for flow in found),
            _united(flow.types for flow in found),
            min((flow.first_seen for flow in found if flow.first_seen is not None), default=None),
            max((flow.last_seen for flow in found if flow.last_seen is not None), default=None),
        )
        for pair, found in grouped.items()
    ]


def _said(owner: bytes, parts: list[ShapeDataset], edges: list[Pair], evidence: Evidence | None) -> _Said:
    """Edges to and from the job itself tell its inputs and outputs; those with other jobs are left out."""
    inputs = {part.dataset for part in parts if part.role == Role.INPUT}
    outputs = {part.dataset: part.types for part in parts if part.role == Role.OUTPUT}
    jobs = {part.dataset for part in parts if part.role == Role.JOB}
    stated: list[Pair] = []
    for source, target in edges:
        if source in jobs or target in jobs:
            continue
        if target == owner:
            inputs.add(source)
        elif source == owner:
            outputs.setdefault(target, None)
        else:
            stated.append((source, target))
    last = evidence.last if evidence is not None else None
    first_seen = evidence.first_seen if evidence is not None else None
    return _Said(inputs, outputs, stated, first_seen, stamp_time(last) if last is not None else None)


def _flows(said: list[_Said], explicit: set[bytes]) -> Iterator[tuple[Pair, OutputType | None, _Said]]:
    only_inputs = {source for shape in said if not shape.outputs for source in shape.inputs}
    for shape in said:
        for source, target in shape.edges:
            yield (source, target), shape.outputs.get(target), shape
        for target, types in shape.outputs.items():
            if target not in explicit:
                for source in shape.inputs or only_inputs:
                    yield (source, target), types, shape


def _merged(tenant: int, owner: bytes, flows: Iterable[tuple[Pair, OutputType | None, _Said]]) -> Iterator[JobFlow]:
    grouped: dict[Pair, list[tuple[OutputType | None, _Said]]] = defaultdict(list)
    for (source, target), types, shape in flows:
        if source != target:
            grouped[source, target].append((types, shape))
    for pair, found in grouped.items():
        yield JobFlow(
            tenant,
            owner,
            *pair,
            _united(types for types, _ in found),
            min((shape.first_seen for _, shape in found if shape.first_seen is not None), default=None),
            max((shape.last_seen for _, shape in found if shape.last_seen is not None), default=None),
        )


def _united(types: Iterable[OutputType | None]) -> OutputType | None:
    united: OutputType | None = None
    for flags in types:
        if flags is not None:
            united = OutputType(flags if united is None else united | flags)
    return united
