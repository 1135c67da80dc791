"""The schemas a dataset had, since when and until when, and which of them holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from headwater.graph.derived import Relevance, SchemaUse
from headwater.graph.facts import Evidence, Role, Shape, ShapeDataset
from headwater.graph.rollup.totals import INFERRED
from headwater.openlineage.identity import stamp_time

__all__ = ["latest_schemas", "schema_uses"]

_Said = tuple[ShapeDataset, int | None, int | None]
"""A dataset with its schema in a shape, and when that shape was first and last said."""


def schema_uses(
    tenant: int, shapes: Mapping[bytes, Shape], parts: Iterable[ShapeDataset], evidence: Mapping[bytes, Evidence]
) -> list[SchemaUse]:
    """What run, job and dataset events say, in whatever role."""
    by_dataset: dict[bytes, list[_Said]] = defaultdict(list)
    for said in _named(shapes, parts, evidence):
        by_dataset[said[0].dataset].append(said)
    rows: list[SchemaUse] = []
    for dataset, found in by_dataset.items():
        latest = max(found, key=_recency)[0].schema
        by_schema: dict[bytes, list[_Said]] = defaultdict(list)
        for said in found:
            by_schema[said[0].schema or b""].append(said)
        relevance = Relevance.EXACT_MATCH if len(by_schema) == 1 else Relevance.LATEST_KNOWN
        for schema, uses in by_schema.items():
            jobs = {shapes[part.shape].job for part, _, _ in uses} - {None}
            rows.append(
                SchemaUse(
                    tenant,
                    dataset,
                    schema,
                    min((first for _, first, _ in uses if first is not None), default=None),
                    max((last for _, _, last in uses if last is not None), default=None),
                    len(jobs),
                    relevance if schema == latest else None,
                )
            )
    return rows


def latest_schemas(uses: Iterable[SchemaUse]) -> dict[bytes, bytes]:
    """The schema that holds, by dataset."""
    return {use.dataset: use.schema for use in uses if use.relevance is not None}


def _named(
    shapes: Mapping[bytes, Shape], parts: Iterable[ShapeDataset], evidence: Mapping[bytes, Evidence]
) -> Iterable[_Said]:
    for part in parts:
        shape, said = shapes.get(part.shape), evidence.get(part.shape)
        if part.schema is None or shape is None or said is None or shape.origin == INFERRED:
            continue
        yield part, said.first_seen, stamp_time(said.last) if said.last is not None else None


def _recency(said: _Said) -> tuple[bool, int, bool, bytes]:
    """Of two at one time an output's comes first, for it has the columns' types; then the ids decide."""
    part, _, last = said
    return last is not None, last or 0, part.role == Role.OUTPUT, part.schema or b""
