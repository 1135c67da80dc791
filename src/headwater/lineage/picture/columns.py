"""Columns of a picture: all of them, or those on the path of one column, up and down."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct, field

from headwater.graph.annotations.described import Described
from headwater.graph.walk import walk
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.names.keys import column_key, read_key
from headwater.lineage.names.start import Start, find_start
from headwater.lineage.picture.answer import ColumnEdge, PictureColumn
from headwater.lineage.picture.flows import ColumnWay
from headwater.lineage.walk.by_column import column_starts
from headwater.lineage.walk.columns.column_walk import ColumnFlow
from headwater.store.read.reader import Reader

__all__ = ["MOST_COLUMNS", "MOST_EDGES", "Lit", "column_edges", "lit_path", "picture_columns"]

Column = tuple[bytes, str]
MOST_COLUMNS, MOST_EDGES, _MOST_LIT = 200, 5_000, 5_000
_DEEPEST = 50
_MOST_VIA, _MOST_TAGS = 20, 20


class Lit(Struct):
    """The path of a column. `ways`: (source, target) pairs of columns, the way the values go."""

    columns: set[Column] = field(default_factory=set)
    shortest: set[tuple[Column, Column]] = field(default_factory=set)
    left_out: int = 0


def lit_path(reader: Reader, flow: Flow, start: Start, column: str, sides: Iterable[bool]) -> Lit:
    """All columns that values of this one come from and go to, as lineage by columns has them."""
    columns = ColumnFlow(reader, flow.tenant, flow)
    first = column_starts(flow, columns, _start_of(reader, flow.tenant, start, column))
    found = Lit(set(first))
    for down in sides:
        ask = columns.downstream if down else columns.upstream
        reached = walk(first, ask, depth=_DEEPEST, node_limit=_MOST_LIT)
        found.columns |= reached.depths.keys()
        found.shortest |= {(near, far) if down else (far, near) for near, far in reached.edges}
        found.left_out += sum(reached.left_out.values())
    return found


def _start_of(reader: Reader, tenant: int, start: Start, column: str) -> Start:
    """A column of the start by its name, or any column by DATASET#COLUMN or its key."""
    key = read_key(column)
    if key is not None and key.column is not None:
        return find_start(reader, tenant, column)
    if start.kind in ("dataset", "column"):
        shown = start.shown.removesuffix(f"#{start.column}") if start.kind == "column" else start.shown
        own = Start("column", start.id, f"{shown}#{column}", column)
        if "#" not in column:
            return own
        found = find_start(reader, tenant, column)
        return found if found.kind == "column" else own
    return find_start(reader, tenant, column)


def picture_columns(
    dataset: bytes, types: Mapping[str, str | None], about: Described, lit: Collection[str], *, only_lit: bool
) -> list[PictureColumn]:
    """In the order of the schema; those that only column edges name come last."""
    names = [name for name in types if not only_lit or name in lit]
    names += sorted(name for name in lit if name and name not in types)
    return [
        PictureColumn(
            name=name,
            key=column_key(dataset, name),
            type=types.get(name),
            tags=about.column_tags.get(name, [])[:_MOST_TAGS],
            lit=name in lit,
        )
        for name in names[:MOST_COLUMNS]
    ]


def column_edges(
    shortest: Iterable[ColumnWay],
    keys: Mapping[bytes, str],
    jobs: Mapping[bytes, bytes],
    current: Mapping[bytes, Collection[bytes]],
    lit: Lit | None,
) -> tuple[list[ColumnEdge], int]:
    """Edges between columns, and how many are left out.

    `jobs`: the job of each shape; `current`: by dataset, the shapes that count as of now. `lit`: only those.
    """
    found: dict[tuple[Column, Column, str, str], list[ColumnWay]] = defaultdict(list)
    for way in shortest:
        ends = (way.pair[0], way.source_column), (way.pair[1], way.target_column)
        if lit is None or ends in lit.shortest or (not way.target_column and ends[0] in lit.columns):
            found[(*ends, way.how.type, way.how.subtype)].append(way)
    ordered = sorted(found, key=lambda key: (keys[key[0][0]], keys[key[1][0]], key[0][1], key[1][1], key[2:]))
    edges = []
    for source, target, kind, subtype in ordered[:MOST_EDGES]:
        shapes = found[source, target, kind, subtype]
        via = sorted({keys[jobs[way.shape]] for way in shapes if jobs.get(way.shape) in keys})
        edges.append(
            ColumnEdge(
                source=keys[source[0]],
                source_column=source[1],
                target=keys[target[0]],
                target_column=target[1],
                type="INDIRECT" if kind == "INDIRECT" else "DIRECT",
                subtype=subtype,
                masked=_masked({way.how.masking for way in shapes}),
                via=via[:_MOST_VIA],
                current=any(way.shape in current.get(target[0], ()) for way in shapes),
            )
        )
    return edges, len(found) - len(edges)


def _masked(masks: set[bool | None]) -> bool | None:
    return False if False in masks else None if None in masks else True
