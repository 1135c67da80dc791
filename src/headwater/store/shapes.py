"""What shapes say, remembered: a shape never changes, since its id is the digest of its content.

Only a shape that has evidence is remembered. Evidence is written after all else that a shape consists of, so a reader
that sees it sees the rest; without this a bulk load could be caught half-way and believed for ever.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Struct

from headwater.graph.facts import Role
from headwater.store.lookup import Lookup
from headwater.store.memory import Memory

__all__ = ["Column", "How", "Part", "ShapeBody", "ShapeColumns", "ShapeMemory", "Way"]

ColumnEdge = tuple[str, str, str, str, bool, str]
"""Source column, target column ("" for every row), type, subtype, masking, description."""
Column = tuple[bytes, str]
"""A dataset and a column of it; "" stands for every row."""
How = tuple[str, str, bool]
"""Type (DIRECT, INDIRECT), subtype, and whether it masks."""
Way = tuple[Column, tuple[How, ...]]
"""What a column leads to, and how."""

_SAID = "EXISTS (SELECT 1 FROM evidence e WHERE e.tenant = s.tenant AND e.shape = s.shape)"
_HEADERS = (
    f"SELECT s.shape, s.kind, s.job, s.subject, s.origin, s.job_type, s.[sql], {_SAID} FROM shape s "
    "WHERE s.tenant = ? AND s.shape {ids}"
)
_KINDS = f"SELECT s.shape, s.kind, {_SAID} FROM shape s WHERE s.tenant = ? AND s.shape {{ids}}"
_PARTS = "SELECT shape, dataset, [role], [schema], types, explicit FROM shape_dataset WHERE tenant = ? AND shape {ids}"
_EDGES = "SELECT shape, source, target FROM shape_edge WHERE tenant = ? AND shape {ids}"
_COLUMNS = "SELECT shape, source, target, [columns] FROM shape_edge WHERE tenant = ? AND shape {ids}"

_decode = msgspec.json.Decoder(list[ColumnEdge]).decode


class Part(Struct, frozen=True, gc=False):
    """One dataset in a shape."""

    dataset: bytes
    schema: bytes | None
    types: int
    explicit: bool


class ShapeBody(Struct, frozen=True, gc=False):
    """What a shape says, but for columns and facets."""

    shape: bytes
    kind: str
    job: bytes | None
    subject: bytes | None
    origin: str | None
    job_type: str | None
    sql: bytes | None
    inputs: tuple[Part, ...]
    outputs: tuple[Part, ...]
    subjects: tuple[Part, ...]
    references: tuple[bytes, ...]
    jobs: tuple[bytes, ...]
    edges: tuple[tuple[bytes, bytes], ...]

    @property
    def names_data(self) -> bool:
        return bool(self.inputs or self.outputs or self.subjects or self.references or self.edges)


class ShapeColumns(Struct, frozen=True, gc=False):
    """The column edges of a shape, from either end. Tuples only: of those the garbage collector soon lets go."""

    kind: str
    """Of the shape."""
    down: dict[Column, tuple[Way, ...]]
    up: dict[Column, tuple[Way, ...]]
    sources: tuple[bytes, ...]
    targets: tuple[bytes, ...]
    size: int

    @classmethod
    def of(cls, kind: str, edges: Sequence[tuple[bytes, bytes, list[ColumnEdge]]]) -> ShapeColumns:
        down: dict[Column, list[Way]] = {}
        up: dict[Column, list[Way]] = {}
        for source, target, columns in edges:
            for near, far, type_, subtype, masking, _ in columns:
                one, other, how = (source, near), (target, far), _alone(type_, subtype, masking)
                down.setdefault(one, []).append((other, how))
                up.setdefault(other, []).append((one, how))
        return cls(
            kind,
            {column: tuple(ways) for column, ways in down.items()},
            {column: tuple(ways) for column, ways in up.items()},
            tuple({source for source, _, _ in edges}),
            tuple({target for _, target, _ in edges}),
            sum(len(columns) for _, _, columns in edges),
        )


@lru_cache(maxsize=1024)
def _alone(type_: str, subtype: str, masking: bool) -> tuple[How, ...]:
    """There are few, and answers have many of each."""
    return ((type_, subtype, masking),)


class ShapeMemory:
    """Bounded memory of shapes, for all questions of a process."""

    def __init__(self, parts: int = 600_000, columns: int = 400_000) -> None:
        self._bodies: Memory[bytes, ShapeBody] = Memory(parts)
        self._columns: Memory[bytes, ShapeColumns] = Memory(columns)

    def bodies(self, tenant: int, lookup: Lookup, shapes: Collection[bytes]) -> dict[bytes, ShapeBody]:
        """What these shapes say."""
        found = self._bodies.known(tenant, shapes)
        unknown = [shape for shape in shapes if shape not in found]
        if not unknown:
            return found
        headers = lookup.rows(_HEADERS, tenant, unknown)  # before the rest, which is there if evidence is
        parts: dict[bytes, dict[int, list[Part]]] = {}
        for shape, dataset, role, schema, types, explicit in lookup.rows(_PARTS, tenant, unknown):
            parts.setdefault(shape, {}).setdefault(role, []).append(Part(dataset, schema, types or 0, bool(explicit)))
        edges: dict[bytes, list[tuple[bytes, bytes]]] = {}
        for shape, source, target in lookup.rows(_EDGES, tenant, unknown):
            edges.setdefault(shape, []).append((source, target))
        for *header, said in headers:
            body = _body(header, parts.get(header[0], {}), edges.get(header[0], ()))
            found[body.shape] = body
            if said:
                weight = 4 + len(body.edges) + sum(map(len, parts.get(body.shape, {}).values()))
                self._bodies.put(tenant, body.shape, body, weight)
        return found

    def columns(self, tenant: int, lookup: Lookup, shapes: Collection[bytes]) -> dict[bytes, ShapeColumns]:
        """The column edges of these shapes."""
        found = self._columns.known(tenant, shapes)
        unknown = [shape for shape in shapes if shape not in found]
        if not unknown:
            return found
        kinds = lookup.rows(_KINDS, tenant, unknown)  # before the rest, which is there if evidence is
        edges: dict[bytes, list[tuple[bytes, bytes, list[ColumnEdge]]]] = {shape: [] for shape in unknown}
        for shape, source, target, columns in lookup.rows(_COLUMNS, tenant, unknown):
            if columns:
                edges[shape].append((source, target, _decode(columns)))
        for shape, kind, said in kinds:
            found[shape] = ShapeColumns.of(kind, edges[shape])
            if said:
                self._columns.put(tenant, shape, found[shape], 8 + found[shape].size)
        return found

    def forget(self, tenant: int) -> None:
        """Forget a tenant's shapes: some may have been caught half-way, or are gone."""
        self._bodies.forget(tenant)
        self._columns.forget(tenant)

    def forget_all(self) -> None:
        self._bodies.forget_all()
        self._columns.forget_all()


def _body(header: list[Any], parts: dict[int, list[Part]], edges: Iterable[tuple[bytes, bytes]]) -> ShapeBody:
    shape, kind, job, subject, origin, job_type, sql = header
    return ShapeBody(
        shape,
        kind,
        job,
        subject,
        origin,
        job_type,
        sql,
        inputs=tuple(parts.get(Role.INPUT, ())),
        outputs=tuple(parts.get(Role.OUTPUT, ())),
        subjects=tuple(parts.get(Role.SUBJECT, ())),
        references=tuple(part.dataset for part in parts.get(Role.REFERENCE, ())),
        jobs=tuple(part.dataset for part in parts.get(Role.JOB, ())),
        edges=tuple(edges),
    )
