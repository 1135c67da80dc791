"""Column edges between the datasets of an answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from headwater.lineage.flows.column_times import column_times
from headwater.lineage.flows.completion import completed_columns
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.walk.direction import Side
from headwater.store.read.reader import Reader

__all__ = ["column_lineage"]

Pair = tuple[bytes, bytes]


class _Field(Struct):
    """A column that gets into another."""

    words: set[str] = msgspec.field(default_factory=set)
    shapes: dict[bytes, None] = msgspec.field(default_factory=dict)
    """The shapes that state it."""


def column_lineage(
    reader: Reader, tenant: int, flow: Flow, sides: Mapping[str, Side], *, indirect: bool
) -> list[dict[str, Any]]:
    """Column edges from one dataset of the answer into another, by the jobs of the answer."""
    ids = _datasets(sides)
    counting = flow.shapes_into(ids)
    shapes = {shape for listed in counting.values() for shape in listed}
    direct: dict[Pair, dict[str, dict[str, _Field]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(_Field)))
    whole: dict[Pair, dict[str, _Field]] = defaultdict(lambda: defaultdict(_Field))
    shown = flow.aliases.canonical
    columns, _ = completed_columns(reader, tenant, flow.lookup, flow.aliases, shapes)
    for shape, listed in columns.items():
        for (source, column), transformations_of in listed.down.items():
            for (target, target_column), hows in transformations_of:
                one, other = shown(source), shown(target)
                if one not in ids or other not in ids or shape not in counting[other]:
                    continue
                words = {
                    f"{how.subtype}_MASKING" if how.masking else how.subtype
                    for how in hows
                    if how.type != "INDIRECT" or indirect
                }
                if words:
                    into = direct[one, other][target_column] if target_column else whole[one, other]
                    into[column].words |= words
                    into[column].shapes[shape] = None
    every = [
        (*pair, tuple(field.shapes))
        for pair, into in (*direct.items(), *((pair, {"": fields}) for pair, fields in whole.items()))
        for fields in into.values()
        for field in fields.values()
    ]
    times = dict(zip(every, column_times(reader, flow, every), strict=True))

    def listed_of(pair: Pair, fields: Mapping[str, _Field]) -> list[dict[str, Any]]:
        return [
            {"field": column, "types": sorted(field.words), **times[(*pair, tuple(field.shapes))]}
            for column, field in sorted(fields.items())
        ]

    return [
        {
            "from": ids[pair[0]],
            "to": ids[pair[1]],
            "fields": {target: listed_of(pair, sources) for target, sources in sorted(direct.get(pair, {}).items())},
            "every_row": listed_of(pair, whole.get(pair, {})),
        }
        for pair in sorted({*direct, *whole}, key=lambda pair: (ids[pair[0]], ids[pair[1]]))
    ]


def _datasets(sides: Mapping[str, Side]) -> dict[bytes, str]:
    """The answer's datasets by their ids."""
    return {
        node: text
        for side in sides.values()
        for text, node in side.keys.items()
        if text in side.nodes and side.nodes[text]["kind"] == "dataset"
    }
