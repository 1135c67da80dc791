"""Which way the values of columns flow. A walk over (dataset, column), never over paths: diamonds cost nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from headwater.graph.walk import Walk
from headwater.lineage.fields import field_names
from headwater.lineage.flow import Flow
from headwater.store.read import Reader
from headwater.store.shapes import Column, ShapeBody, ShapeColumns, Way

__all__ = ["ColumnFlow", "How", "masked_of"]

How = tuple[str, str, bool]
"""Type (DIRECT, INDIRECT), subtype, and whether it masks."""
_SCHEMA_FIELDS = "SELECT [schema], [fields] FROM schema_version WHERE tenant = ? AND [schema] {ids}"


class ColumnFlow:
    """The neighbours of columns, for one question. All names of a dataset are one."""

    def __init__(self, reader: Reader, tenant: int, flow: Flow, *, indirect: bool = True) -> None:
        self._reader, self._tenant, self._flow, self._indirect = reader, tenant, flow, indirect
        self.hows: dict[tuple[Column, Column], set[How]] = defaultdict(set)
        """By source and target, in the direction of the data: how one gets into the other."""
        self.jobs: dict[tuple[Column, Column], set[bytes]] = defaultdict(set)
        self.opaque: dict[bytes, set[bytes]] = defaultdict(set)
        """By dataset: jobs that read (or write) it without saying anything of its columns."""

    def downstream(self, columns: list[Column]) -> Mapping[Column, set[Column]]:
        return self._neighbours(columns, down=True)

    def upstream(self, columns: list[Column]) -> Mapping[Column, set[Column]]:
        return self._neighbours(columns, down=False)

    def of_dataset(self, dataset: bytes) -> set[str]:
        """All columns that schemas and column edges name."""
        flow = self._flow
        touching = [row for down in (True, False) for row in flow.touching([dataset], down=down)[1]]
        members = set(flow.aliases.group(dataset))
        shapes = {shape for _, shape in touching}
        bodies = flow.held.bodies(shapes)
        parts = [part for body in bodies.values() for part in (*body.inputs, *body.outputs, *body.subjects)]
        schemas = {part.schema for part in parts if part.dataset in members and part.schema is not None}
        found = schema_columns(self._tenant, flow, schemas)
        for listed in self._reader.shapes.columns(self._tenant, flow.lookup, shapes).values():
            found |= {column for node, column in (*listed.down, *listed.up) if node in members and column}
        return found

    def _neighbours(self, columns: list[Column], *, down: bool) -> Mapping[Column, set[Column]]:
        flow = self._flow
        # What happens to every row of a dataset is told; what that does to each column beyond is anybody's guess.
        asked = [column for column in columns if column[1]] if down else columns
        gone = flow.dropped({dataset for dataset, _ in asked})
        asked = [column for column in asked if column[0] not in gone]
        members, touching = flow.touching({dataset for dataset, _ in asked}, down=down)
        bodies = flow.held.bodies({shape for _, shape in touching})
        holding = flow.holding(bodies.values())
        listed = self._reader.shapes.columns(self._tenant, flow.lookup, holding)
        wanted: dict[bytes, list[str]] = defaultdict(list)
        for dataset, column in asked:
            wanted[dataset].append(column)
        raw: dict[Column, list[tuple[Way, bytes | None]]] = defaultdict(list)
        for shape in {shape for _, shape in touching} & holding:
            job, edges = bodies[shape].job, listed[shape]
            ways, ends = (edges.down, edges.sources) if down else (edges.up, edges.targets)
            for member in ends:
                for column in wanted.get(members.get(member, b""), ()):
                    for key in (column,) if down or not column else (column, ""):
                        raw[members[member], column] += [(way, job) for way in ways.get((member, key), ())]
        self._note_opaque(members, touching, bodies, listed, down=down)
        return self._resolved(raw, columns, down=down)

    def _resolved(
        self, raw: Mapping[Column, list[tuple[Way, bytes | None]]], columns: list[Column], *, down: bool
    ) -> dict[Column, set[Column]]:
        flow = self._flow
        others = {way[0] for ways in raw.values() for way, _ in ways}
        flow.aliases.learn(others)
        shown = {other: flow.aliases.canonical(other) for other in others}
        gone = flow.dropped(set(shown.values()))
        found: dict[Column, set[Column]] = {column: set() for column in columns}
        for column, ways in raw.items():
            for (dataset, other_column, kind, subtype, masking, _), job in ways:
                other = shown[dataset], other_column
                if other == column or other[0] in gone or (kind == "INDIRECT" and not self._indirect):
                    continue
                found[column].add(other)
                edge = (column, other) if down else (other, column)
                self.hows[edge].add((kind, subtype, masking))
                if job is not None:
                    self.jobs[edge].add(job)
        return found

    def _note_opaque(
        self,
        members: Mapping[bytes, bytes],
        touching: Collection[tuple[bytes, bytes]],
        bodies: Mapping[bytes, ShapeBody],
        listed: Mapping[bytes, ShapeColumns],
        *,
        down: bool,
    ) -> None:
        for member, shape in touching:
            body, edges = bodies.get(shape), listed.get(shape)
            if body is None or body.job is None or edges is None:
                continue
            told = edges.sources if down else edges.targets
            others = body.outputs if down else body.inputs
            if others and member not in told:
                self.opaque[members[member]].add(body.job)


def schema_columns(tenant: int, flow: Flow, schemas: Collection[bytes]) -> set[str]:
    """The names of the columns of these schemas; nested ones as `outer.inner`."""
    rows = flow.lookup.rows(_SCHEMA_FIELDS, tenant, schemas)
    return {name for _, fields in rows if fields for name in field_names(fields)}


def masked_of(
    found: Walk[Column], starts: Collection[Column], hows: Mapping[tuple[Column, Column], set[How]], *, down: bool
) -> dict[Column, bool | None]:
    """Of every column reached: False if its values get there (or come from there) bare, True if only masked.

    None is for columns that no value flows to: they are reached by filters, joins and the like alone.
    """
    bare: set[Column] = set(starts)
    carried: set[Column] = set(starts)
    following: dict[Column, list[Column]] = defaultdict(list)
    for near, far in found.edges:
        following[near].append(far)
    for reached, masking_too in ((bare, False), (carried, True)):
        queue = list(reached)
        while queue:
            near = queue.pop()
            for far in following[near]:
                ways = hows.get((near, far) if down else (far, near), ())
                passes = any(kind == "DIRECT" and (masking_too or not masks) for kind, _, masks in ways)
                if passes and far not in reached:
                    reached.add(far)
                    queue.append(far)
    return {column: False if column in bare else True if column in carried else None for column in found.depths}
