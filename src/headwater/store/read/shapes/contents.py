"""Cache of decoded shapes: a shape never changes, since its id is the digest of its content.

Only shapes with evidence are cached. Evidence is written after all other rows of a shape, so a reader that sees it sees
the rest; without this rule half of a bulk-loaded shape could stay in the cache.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from headwater.graph.assets.column_kinds import How, how_of
from headwater.graph.current.hand_edges import body_of_edge, columns_of_edge
from headwater.graph.current.shape_body import ShapeBody, ShapePart
from headwater.graph.facts import Role
from headwater.openlineage.event import EventKind
from headwater.store.cache.tenant_cache import TenantCache
from headwater.store.read.lookup import Lookup
from headwater.store.read.shapes.edge_rows import edges_by_id

__all__ = ["Column", "ShapeBody", "ShapeCache", "ShapeColumns", "ShapePart", "StoredEdge", "Untold", "Way"]

ColumnEdge = tuple[str, str, str, str, bool, str]
"""Source column, target column ("" for every row), type, subtype, masking, description."""
Column = tuple[bytes, str]
"""A dataset and a column of it; "" stands for every row."""
StoredEdge = tuple[bytes, bytes, bytes]
"""Source, target, and their column edges as JSON."""
Way = tuple[Column, tuple[How, ...]]
"""A column downstream, and the transformation on the way."""
Untold = tuple[bytes, str, bytes, str]
"""An edge without a stated transformation: source and its column, target and its column."""

_HAS_EVIDENCE = "EXISTS (SELECT 1 FROM evidence e WHERE e.tenant = s.tenant AND e.shape = s.shape)"
_HEADERS = (
    f"SELECT s.shape, s.kind, s.job, s.subject, s.origin, s.job_type, s.[sql], {_HAS_EVIDENCE} FROM shape s "
    "WHERE s.tenant = ? AND s.shape {ids}"
)
_PARTS = "SELECT shape, dataset, [role], [schema], types, explicit FROM shape_dataset WHERE tenant = ? AND shape {ids}"
_EDGES = "SELECT shape, source, target FROM shape_edge WHERE tenant = ? AND shape {ids}"
_COLUMNS = (
    f"SELECT s.shape, s.kind, {_HAS_EVIDENCE}, e.source, e.target, e.[columns] FROM shape s "
    "LEFT JOIN shape_edge e ON e.tenant = s.tenant AND e.shape = s.shape AND e.[columns] IS NOT NULL "
    "WHERE s.tenant = ? AND s.shape {ids}"
)

_decode = msgspec.json.Decoder(list[ColumnEdge]).decode
_UNTOLD = b'"UNKNOWN",false'


class ShapeColumns:
    """The column edges of a shape, as they are stored; from either end once somebody asks."""

    __slots__ = ("_completed", "_down", "_stored", "_up", "kind", "may_be_untold", "size", "sources", "targets")

    def __init__(self, kind: str, stored: Sequence[StoredEdge]) -> None:
        self.kind = kind
        """Of the shape."""
        self._stored = tuple(stored)
        self.sources = tuple({source for source, _, _ in stored})
        self.targets = tuple({target for _, target, _ in stored})
        self.size = 1 + sum(columns.count(b"[") - 1 for _, _, columns in stored)
        """How much there is to remember."""
        self.may_be_untold = any(_UNTOLD in columns for _, _, columns in stored)
        """Whether it may have edges without a stated transformation."""
        self._completed: Mapping[Untold, tuple[How, ...]] = {}
        self._down: dict[Column, tuple[Way, ...]] | None = None
        self._up: dict[Column, tuple[Way, ...]] | None = None

    @property
    def down(self) -> dict[Column, tuple[Way, ...]]:
        """By column, those that it flows into."""
        if self._down is None:
            self._down = self._from(down=True)
        return self._down

    @property
    def up(self) -> dict[Column, tuple[Way, ...]]:
        """By column, those that flow into it."""
        if self._up is None:
            self._up = self._from(down=False)
        return self._up

    def from_source(self, dataset: bytes) -> set[bytes]:
        """Columns downstream of a dataset's columns."""
        return {target for source, target, _ in self._stored if source == dataset}

    def untold(self) -> set[Untold]:
        """Edges without a stated transformation."""
        found: set[Untold] = set()
        for source, target, columns in self._stored if self.may_be_untold else ():
            for near, far, type_, subtype, masking, text in _decode(columns):
                if near and far and how_of(type_, subtype, masking, text, whole_row=False).is_untold:
                    found.add((source, near, target, far))
        return found

    def complete(self, from_sql: Mapping[Untold, tuple[How, ...]]) -> None:
        """Add the transformations of edges that have none; nothing more can be added later."""
        self._completed, self._down, self._up = from_sql, None, None
        self.may_be_untold = False

    def is_completed_by_sql(self, source: bytes, column: str, target: bytes, target_column: str) -> bool:
        """Whether the transformation is known from the SQL of the job alone."""
        return (source, column, target, target_column) in self._completed

    def edges(self) -> Iterable[tuple[Column, Column, How]]:
        """Every edge, with the ways in which it comes about."""
        for source, target, columns in self._stored:
            for near, far, type_, subtype, masking, text in _decode(columns):
                how = how_of(type_, subtype, masking, text, whole_row=not far)
                from_sql = self._completed.get((source, near, target, far), ()) if how.is_untold else ()
                for completed in from_sql or (how,):
                    yield (source, near), (target, far), completed

    def _from(self, *, down: bool) -> dict[Column, tuple[Way, ...]]:
        found: dict[Column, list[Way]] = {}
        for source, target, how in self.edges():
            one, other = (source, target) if down else (target, source)
            found.setdefault(one, []).append((other, (how,)))
        return {column: tuple(transformations_of) for column, transformations_of in found.items()}


class ShapeCache:
    """Bounded memory of shapes, for all questions of a process."""

    def __init__(self, parts: int = 600_000, columns: int = 1_200_000) -> None:
        self._bodies: TenantCache[bytes, ShapeBody] = TenantCache(parts)
        self._columns: TenantCache[bytes, ShapeColumns] = TenantCache(columns)

    def bodies(self, tenant: int, lookup: Lookup, shapes: Collection[bytes]) -> dict[bytes, ShapeBody]:
        """Contents of these shapes."""
        found = self._bodies.known(tenant, shapes)
        unknown = [shape for shape in shapes if shape not in found]
        if not unknown:
            return found
        headers = lookup.rows(_HEADERS, tenant, unknown)  # before the rest, which is there if evidence is
        parts: dict[bytes, dict[int, list[ShapePart]]] = {}
        for shape, dataset, role, schema, types, explicit in lookup.rows(_PARTS, tenant, unknown):
            parts.setdefault(shape, {}).setdefault(role, []).append(
                ShapePart(dataset, schema, types or 0, bool(explicit))
            )
        edges: dict[bytes, list[tuple[bytes, bytes]]] = {}
        for shape, source, target in lookup.rows(_EDGES, tenant, unknown):
            edges.setdefault(shape, []).append((source, target))
        if len(headers) < len(unknown):
            strangers = set(unknown) - {header[0] for header in headers}
            stated = edges_by_id(tenant, lookup, strangers)
            found.update((edge, body_of_edge(row)) for edge, row in stated.items())
        for *header, has_evidence in headers:
            body = _body(header, parts.get(header[0], {}), edges.get(header[0], ()))
            found[body.shape] = body
            if has_evidence:
                weight = 4 + len(body.edges) + sum(map(len, parts.get(body.shape, {}).values()))
                self._bodies.put(tenant, body.shape, body, weight)
        return found

    def columns(self, tenant: int, lookup: Lookup, shapes: Collection[bytes]) -> dict[bytes, ShapeColumns]:
        """The column edges of these shapes."""
        found = self._columns.known(tenant, shapes)
        unknown = [shape for shape in shapes if shape not in found]
        if not unknown:
            return found
        stored: dict[bytes, tuple[str, bool, list[StoredEdge]]] = {}
        for shape, kind, has_evidence, source, target, columns in lookup.rows(_COLUMNS, tenant, unknown):
            edges = stored.setdefault(shape, (kind, bool(has_evidence), []))[2]
            if columns:
                edges.append((source, target, columns))
        if len(stored) < len(unknown):
            strangers = set(unknown) - stored.keys()
            for edge in edges_by_id(tenant, lookup, strangers).values():
                found[edge.edge] = ShapeColumns(EventKind.DATASET.value, columns_of_edge(edge))
        for shape, (kind, has_evidence, edges) in stored.items():
            found[shape] = ShapeColumns(kind, edges)
            if has_evidence:
                self._columns.put(tenant, shape, found[shape], found[shape].size)
        return found

    @property
    def is_nearly_full(self) -> bool:
        """Whether column edges had better be remembered only when somebody asks for them."""
        return self._columns.is_nearly_full

    def take_columns(self, tenant: int, shape: bytes, kind: str, stored: Sequence[StoredEdge]) -> ShapeColumns:
        """Cache the column edges of a shape, from a reader that knows them to be complete."""
        edges = ShapeColumns(kind, stored)
        self._columns.put(tenant, shape, edges, edges.size)
        return edges

    def forget(self, tenant: int) -> None:
        """Forget a tenant's shapes: some may have been caught half-way, or are gone."""
        self._bodies.forget(tenant)
        self._columns.forget(tenant)

    def forget_all(self) -> None:
        self._bodies.forget_all()
        self._columns.forget_all()


def _body(header: list[Any], parts: dict[int, list[ShapePart]], edges: Iterable[tuple[bytes, bytes]]) -> ShapeBody:
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
