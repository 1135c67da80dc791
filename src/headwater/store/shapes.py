"""What shapes say, remembered: a shape never changes, since its id is the digest of its content.

Only a shape that has evidence is remembered. Evidence is written after all else that a shape consists of, so a reader
that sees it sees the rest; without this a bulk load could be caught half-way and believed for ever.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import msgspec
from msgspec import Struct

from headwater.graph.facts import Role
from headwater.interpret.memo import Memo
from headwater.store.lookup import Lookup

__all__ = ["Column", "Part", "ShapeBody", "ShapeColumns", "ShapeMemory", "Way"]

ColumnEdge = tuple[str, str, str, str, bool, str]
"""Source column, target column ("" for every row), type, subtype, masking, description."""
Column = tuple[bytes, str]
"""A dataset and a column of it; "" stands for every row."""
Way = tuple[bytes, str, str, str, bool, str]
"""What a column leads to, and how: dataset, column, type, subtype, masking, description."""

_HEADERS = "SELECT shape, kind, job, subject, origin, job_type, [sql] FROM shape WHERE tenant = ? AND shape {ids}"
_PARTS = "SELECT shape, dataset, [role], [schema], types, explicit FROM shape_dataset WHERE tenant = ? AND shape {ids}"
_EDGES = "SELECT shape, source, target FROM shape_edge WHERE tenant = ? AND shape {ids}"
_COLUMNS = "SELECT shape, source, target, [columns] FROM shape_edge WHERE tenant = ? AND shape {ids}"
_SAID = "SELECT shape FROM evidence WHERE tenant = ? AND shape {ids}"

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


class ShapeColumns:
    """The column edges of a shape, from either end."""

    __slots__ = ("down", "size", "sources", "targets", "up")

    def __init__(self, edges: Iterable[tuple[bytes, bytes, list[ColumnEdge]]]) -> None:
        self.down: dict[Column, list[Way]] = {}
        self.up: dict[Column, list[Way]] = {}
        self.sources: set[bytes] = set()
        self.targets: set[bytes] = set()
        self.size = 0
        for source, target, columns in edges:
            self.sources.add(source)
            self.targets.add(target)
            for near, far, kind, subtype, masking, description in columns:
                self.size += 1
                self.down.setdefault((source, near), []).append((target, far, kind, subtype, masking, description))
                self.up.setdefault((target, far), []).append((source, near, kind, subtype, masking, description))


class ShapeMemory:
    """Bounded memory of shapes, for all questions of a process."""

    def __init__(self, parts: int = 600_000, columns: int = 400_000) -> None:
        self._bodies: Memo[ShapeBody] = Memo(parts)
        self._columns: Memo[ShapeColumns] = Memo(columns)

    def bodies(self, tenant: int, lookup: Lookup, shapes: Collection[bytes]) -> dict[bytes, ShapeBody]:
        """What these shapes say."""
        found, unknown = _known(self._bodies, tenant, shapes)
        if not unknown:
            return found
        said = {row[0] for row in lookup.rows(_SAID, tenant, unknown)}
        parts: dict[bytes, dict[int, list[Part]]] = {}
        for shape, dataset, role, schema, types, explicit in lookup.rows(_PARTS, tenant, unknown):
            parts.setdefault(shape, {}).setdefault(role, []).append(Part(dataset, schema, types or 0, bool(explicit)))
        edges: dict[bytes, list[tuple[bytes, bytes]]] = {}
        for shape, source, target in lookup.rows(_EDGES, tenant, unknown):
            edges.setdefault(shape, []).append((source, target))
        for header in lookup.rows(_HEADERS, tenant, unknown):
            body = _body(header, parts.get(header[0], {}), edges.get(header[0], ()))
            found[body.shape] = body
            if body.shape in said:
                weight = 4 + len(body.edges) + sum(map(len, parts.get(body.shape, {}).values()))
                self._bodies.put((tenant, body.shape), body, weight)
        return found

    def columns(self, tenant: int, lookup: Lookup, shapes: Collection[bytes]) -> dict[bytes, ShapeColumns]:
        """The column edges of these shapes."""
        found, unknown = _known(self._columns, tenant, shapes)
        if not unknown:
            return found
        said = {row[0] for row in lookup.rows(_SAID, tenant, unknown)}
        edges: dict[bytes, list[tuple[bytes, bytes, list[ColumnEdge]]]] = {shape: [] for shape in unknown}
        for shape, source, target, columns in lookup.rows(_COLUMNS, tenant, unknown):
            if columns:
                edges[shape].append((source, target, _decode(columns)))
        for shape, listed in edges.items():
            found[shape] = ShapeColumns(listed)
            if shape in said:
                self._columns.put((tenant, shape), found[shape], 8 + found[shape].size)
        return found


def _known(memory: Memo[Any], tenant: int, shapes: Collection[bytes]) -> tuple[dict[bytes, Any], list[bytes]]:
    found, unknown = {}, []
    for shape in shapes:
        known = memory.get((tenant, shape))
        if known is None:
            unknown.append(shape)
        else:
            found[shape] = known
    return found, unknown


def _body(header: tuple[Any, ...], parts: dict[int, list[Part]], edges: Iterable[tuple[bytes, bytes]]) -> ShapeBody:
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
