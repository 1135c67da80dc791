"""Columns of tables, and their derivations."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from typing import Any

from headwater.graph.assets.asset import Owned, edge, node, times_of
from headwater.graph.assets.by_hand import Derivations
from headwater.graph.assets.names import AssetNames
from headwater.graph.assets.shapes import Shapes

__all__ = ["columns_and_derivations"]

_Column = tuple[str, str]
"""A table and a name."""


class _Seen:
    """One column: first and last time it was stated, type and description from the newest schema."""

    __slots__ = ("field", "first", "newest", "schema")

    def __init__(self) -> None:
        self.first: int | None = None
        self.newest: int | None = None
        self.schema: tuple[int, bytes] = (-1, b"")
        self.field: dict[str, Any] = {}

    def add(self, since: int) -> None:
        self.first = since if self.first is None else min(self.first, since)
        self.newest = since if self.newest is None else max(self.newest, since)


def columns_and_derivations(names: AssetNames, shapes: Shapes, by_hand: Derivations) -> Iterator[Owned]:
    """Columns of tables that no catalog describes, and the derivations of all."""
    columns: dict[str, dict[str, _Seen]] = defaultdict(lambda: defaultdict(_Seen))
    for part in shapes.parts:
        if part.schema is None:
            continue
        since = shapes.since(part.shape)
        for field in shapes.fields.get(part.schema, ()):
            for table, name in names.columns(part.dataset, field["name"], part.shape):
                seen = columns[table][name]
                seen.add(since)
                if (since, part.schema) > seen.schema:
                    seen.schema, seen.field = (since, part.schema), field
    derivations = _derivations(names, shapes, columns)
    for target, source, kind, since in by_hand.stated:
        derivations[target, source].add(kind)
        for table, name in (target, source):
            columns[table][name].add(since)
    for hidden in by_hand.hidden:
        derivations.pop(hidden, None)
    for table, found in columns.items():
        for name, seen in found.items() if not names.is_stated(table) else ():
            own = f"{table}#{name}"
            values = {"dataType": seen.field.get("type"), "description": seen.field.get("description")}
            yield table, node("Column", own, name, **values, **times_of(seen.first, seen.newest))
            yield table, edge("HAS_COLUMN", table, own)
    for (target, source), kinds in derivations.items():
        yield target[0], edge("DERIVES_FROM", "#".join(target), "#".join(source), transformations=sorted(kinds))


def _derivations(
    names: AssetNames, shapes: Shapes, columns: dict[str, dict[str, _Seen]]
) -> dict[tuple[_Column, _Column], set[tuple[str, str]]]:
    """Kinds of transformation by target and source; the columns they name are noted."""
    found: dict[tuple[_Column, _Column], set[tuple[str, str]]] = defaultdict(set)
    for flow in shapes.edges:
        since = shapes.since(flow.shape)
        for source_column, target_column, kind, subtype, *_ in json.loads(flow.columns) if flow.columns else ():
            sources = names.columns(flow.source, source_column, flow.shape) if source_column else set()
            targets = names.columns(flow.target, target_column, flow.shape) if target_column else set()
            for table, name in sources | targets:
                columns[table][name].add(since)
            for source, target in product(sources, targets):
                found[target, source].add((kind, subtype))
    return found
