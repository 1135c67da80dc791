"""Which columns a column comes from, in one shape's edges, with the transformation in Marquez' two words for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

import msgspec
from msgspec import Struct

from headwater.graph.facts import ShapeEdge
from headwater.lineage.marquez.view import View

__all__ = ["ROWS", "Source", "column_sources", "render_source", "source_order", "transformation"]

_columns = msgspec.json.Decoder(list[tuple[str, str, str, str, bool, str]])

ROWS = "*"
"""The column that stands for all of a dataset's, where too many would have to be named."""
_MOST_COPIES = 20_000
"""Greatest number of column pairs from the entries of one event about a dataset as a whole."""


class Source(Struct, frozen=True, order=True):
    """A column that another one comes from."""

    dataset: bytes
    column: str
    kind: str | None
    description: str | None


def source_order(source: Source) -> tuple[bytes, str, str, str]:
    """The order in which sources are shown."""
    return source.dataset, source.column, source.kind or "", source.description or ""


def column_sources(
    view: View, edges: Iterable[ShapeEdge], fields: dict[bytes, list[str]]
) -> dict[tuple[bytes, str], set[Source]]:
    """By dataset and column, its sources.

    Entries about a dataset as a whole count for each of its columns, unless that is too many.
    """
    edges = [edge for edge in edges if edge.columns]
    shown = view.shown({end for edge in edges for end in (edge.source, edge.target)})
    found: dict[tuple[bytes, str], set[Source]] = defaultdict(set)
    for edge in edges:
        source, target = shown[edge.source], shown[edge.target]
        pairs: dict[tuple[str, str], list[tuple[str, bool, str]]] = defaultdict(list)
        stated = _columns.decode(edge.columns or b"[]")
        named = {column for _, column, *_ in stated if column} | set(fields.get(target, ()))
        if sum(not other for _, other, *_ in stated) * len(named) > _MOST_COPIES:
            named = {ROWS}
        for one, other, _, subtype, masking, description in stated:
            for column in (other,) if other else named:
                if one:
                    pairs[one, column].append((subtype, masking, description))
        for (one, column), kinds in pairs.items():
            found[target, column].add(Source(source, one, *transformation(kinds)))
    return found


def transformation(kinds: Collection[tuple[str, bool, str]]) -> tuple[str | None, str | None]:
    """Type and description: `MASKED`, or the subtypes of OpenLineage's transformations.

    >>> transformation([("FILTER", False, ""), ("AGGREGATION", False, "sum")])
    ('AGGREGATION, FILTER', 'sum')
    """
    words = {"MASKED" if masking else subtype for subtype, masking, _ in kinds} - {"UNKNOWN"}
    texts = {description for _, _, description in kinds if description}
    return ", ".join(sorted(words)) or None, ", ".join(sorted(texts)) or None


def render_source(source: Source, names: dict[bytes, Any]) -> dict[str, Any]:
    name = names[source.dataset]
    return {
        "namespace": name.namespace,
        "dataset": name.name,
        "field": source.column,
        "transformationDescription": source.description,
        "transformationType": source.kind,
    }
