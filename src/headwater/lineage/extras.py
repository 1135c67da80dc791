"""What an answer may carry besides nodes and edges: the column edges between its datasets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from headwater.lineage.completion import completed_columns
from headwater.lineage.flow import Flow
from headwater.lineage.side import Side
from headwater.store.read import Reader

__all__ = ["column_lineage"]

Pair = tuple[str, str]


def column_lineage(
    reader: Reader, tenant: int, flow: Flow, sides: Mapping[str, Side], *, indirect: bool
) -> list[dict[str, Any]]:
    """How columns of one dataset of the answer get into those of another, as the jobs of the answer say."""
    ids = _datasets(sides)
    counting = flow.shapes_into(ids)
    shapes = {shape for listed in counting.values() for shape in listed}
    direct: dict[Pair, dict[str, dict[str, set[str]]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(set)))
    whole: dict[Pair, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    shown = flow.aliases.canonical
    columns, _ = completed_columns(reader, tenant, flow.lookup, flow.aliases, shapes)
    for shape, listed in columns.items():
        for (source, column), ways in listed.down.items():
            for (target, target_column), hows in ways:
                one, other = ids.get(shown(source)), ids.get(shown(target))
                if one is None or other is None or shape not in counting[shown(target)]:
                    continue
                words = {
                    f"{how.subtype}_MASKING" if how.masking else how.subtype
                    for how in hows
                    if how.type != "INDIRECT" or indirect
                }
                if words and target_column:
                    direct[one, other][target_column][column] |= words
                elif words:
                    whole[one, other][column] |= words
    return [
        {
            "from": one,
            "to": other,
            "fields": {
                target: [{"field": column, "types": sorted(types)} for column, types in sorted(sources.items())]
                for target, sources in sorted(direct.get((one, other), {}).items())
            },
            "every_row": [
                {"field": column, "types": sorted(types)}
                for column, types in sorted(whole.get((one, other), {}).items())
            ],
        }
        for one, other in sorted({*direct, *whole})
    ]


def _datasets(sides: Mapping[str, Side]) -> dict[bytes, str]:
    """The answer's datasets by their ids."""
    return {
        node: text
        for side in sides.values()
        for text, node in side.keys.items()
        if text in side.nodes and side.nodes[text]["kind"] == "dataset"
    }
