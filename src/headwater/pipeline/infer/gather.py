"""Input of the inference for some jobs: statements, and known schemas of the tables in them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable

from msgspec import Struct

from headwater.graph.current.schemas import current_schema, schema_uses
from headwater.graph.current.shapes import current_shapes
from headwater.graph.facts import (
    Evidence,
    Role,
    SchemaVersion,
    Shape,
    ShapeDataset,
    ShapeEdge,
    SqlText,
    Symlink,
)
from headwater.graph.rollup.totals import INFERRED
from headwater.infer.dialect import dialect_of
from headwater.infer.statement import StatementQuestion
from headwater.infer.tables import KnownTable, aliases_of
from headwater.store.read.reader import Name, Reader

__all__ = ["Candidate", "gather"]

Columns = tuple[tuple[str, str], ...]


class Candidate(Struct, frozen=True):
    """A shape with a statement, and the edges that an engine has reported for its job."""

    original: Shape
    evidence: Evidence
    question: StatementQuestion
    reported: frozenset[bytes]
    """Datasets whose columns the job's engine itself reported, by any of their names."""


def gather(reader: Reader, tenant: int, jobs: set[bytes]) -> list[Candidate]:
    """All statements of these jobs, in the order of their shapes."""
    shapes = [shape for shape in reader.facts(tenant, Shape, job=jobs) if shape.origin != INFERRED]
    evidence = {item.shape: item for item in reader.facts(tenant, Evidence, shape={shape.shape for shape in shapes})}
    originals = [shape for shape in current_shapes(shapes, evidence) if shape.sql and shape.shape in evidence]
    if not originals:
        return []
    parts: dict[bytes, list[ShapeDataset]] = defaultdict(list)
    for part in reader.facts(tenant, ShapeDataset, shape={shape.shape for shape in originals}):
        if part.role in (Role.INPUT, Role.OUTPUT):
            parts[part.shape].append(part)
    datasets = {part.dataset for found in parts.values() for part in found}
    others = _symlinks(reader, tenant, datasets)
    names = reader.names(tenant, datasets | {other for found in others.values() for other in found})
    columns = _columns(reader, tenant, set(names))
    texts = {item.sql: item for item in reader.facts(tenant, SqlText, sql={shape.sql for shape in originals})}
    reported = _reported(reader, tenant, shapes, others)

    def table(dataset: bytes) -> KnownTable:
        known = [dataset, *sorted(others[dataset])]
        spelled = [names[item].name for item in known if item in names]
        return KnownTable(dataset, aliases_of(spelled), next((columns[item] for item in known if item in columns), ()))

    candidates = []
    for shape in sorted(originals, key=lambda shape: shape.shape):
        statement = texts.get(shape.sql or b"")
        if statement is None or not statement.text:
            continue
        found = sorted(parts[shape.shape], key=lambda part: part.dataset)
        dialect = dialect_of(statement.dialect, shape.job_type, _places(names, found))
        inputs, outputs = (
            tuple(table(part.dataset) for part in found if part.role == role) for role in (Role.INPUT, Role.OUTPUT)
        )
        question = StatementQuestion(statement.text, dialect, inputs, outputs)
        candidates.append(
            Candidate(shape, evidence[shape.shape], question, reported.get(shape.job or b"", frozenset()))
        )
    return candidates


def _places(names: dict[bytes, Name], parts: Iterable[ShapeDataset]) -> set[str]:
    return {names[part.dataset].namespace for part in parts if part.dataset in names}


def _symlinks(reader: Reader, tenant: int, datasets: set[bytes]) -> dict[bytes, set[bytes]]:
    """The other names of each dataset, one link away."""
    found: dict[bytes, set[bytes]] = defaultdict(set)
    for link in reader.facts(tenant, Symlink, source=datasets):
        found[link.source].add(link.target)
    return found


def _columns(reader: Reader, tenant: int, datasets: set[bytes]) -> dict[bytes, Columns]:
    """The columns of each dataset by the schema that holds."""
    parts = [part for part in reader.facts(tenant, ShapeDataset, dataset=datasets) if part.schema is not None]
    ids = {part.shape for part in parts}
    evidence = {item.shape: item for item in reader.facts(tenant, Evidence, shape=ids)}
    by_dataset: dict[bytes, list[ShapeDataset]] = defaultdict(list)
    for part in parts:
        by_dataset[part.dataset].append(part)
    holding = {dataset: current_schema(schema_uses(uses, evidence)) for dataset, uses in by_dataset.items()}
    latest = {dataset: current_fields[0] for dataset, current_fields in holding.items() if current_fields is not None}
    versions = reader.facts(tenant, SchemaVersion, schema=set(latest.values()))
    fields = {version.schema: _fields(version.fields) for version in versions}
    return {dataset: fields[schema] for dataset, schema in latest.items() if fields.get(schema)}


def _fields(fields: bytes | None) -> Columns:
    return tuple((field["name"], field.get("type") or "") for field in json.loads(fields or b"[]"))


def _reported(
    reader: Reader, tenant: int, shapes: list[Shape], others: dict[bytes, set[bytes]]
) -> dict[bytes, frozenset[bytes]]:
    """By job, the datasets to which an event led column edges, under all of their names."""
    jobs = {shape.shape: shape.job or b"" for shape in shapes}
    found: dict[bytes, set[bytes]] = defaultdict(set)
    for edge in reader.facts(tenant, ShapeEdge, shape=set(jobs)):
        if edge.columns:
            found[jobs[edge.shape]] |= {edge.target, *others.get(edge.target, ())}
            found[jobs[edge.shape]] |= {dataset for dataset, names in others.items() if edge.target in names}
    return {job: frozenset(targets) for job, targets in found.items()}
