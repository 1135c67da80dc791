"""The sentence for an edge: a word for it, and its arguments. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.lineage.edge.answer import EdgeColumn, Explanation, Reason

__all__ = ["explained"]

_OF_SUBTYPE: dict[str, Reason] = {
    "IDENTITY": "identity",
    "TRANSFORMATION": "transformation",
    "AGGREGATION": "aggregation",
    "FILTER": "filter",
    "JOIN": "join",
    "GROUP_BY": "group_by",
    "SORT": "sort",
    "WINDOW": "window",
    "CONDITIONAL": "conditional",
}
_LONGEST = 500


def explained(
    columns: Sequence[EdgeColumn], *, job: str | None, last_seen: str | None, runs: int, one: bool
) -> Explanation:
    """`one`: whether one column was asked about; otherwise it is about the datasets.

    A way by which values get there goes before one by which they only decide over rows.
    """
    arguments: dict[str, str | int | bool | None] = {"job": job, "last_seen": last_seen, "runs": runs}
    if not columns:
        return Explanation(code="table_only", arguments=arguments)
    direct = [column for column in columns if column.type == "DIRECT"]
    if not one:
        code: Reason = "copy" if _is_copy(columns) else _common(direct or columns)
        explained_columns = {column.to_column for column in columns}
        sources = {column.from_column for column in columns}
        return Explanation(
            code=code, arguments=arguments | {"columns": len(explained_columns), "sources": len(sources)}
        )
    chosen = (direct or list(columns))[0]
    code = _code(chosen)
    arguments |= {
        "column": chosen.to_column or None,
        "sources": ", ".join(dict.fromkeys(column.from_column for column in direct or columns))[:_LONGEST],
        "subtype": chosen.subtype,
        "expression": chosen.expression[:_LONGEST] if chosen.expression else None,
    }
    return Explanation(code=code, arguments=arguments)


def _code(column: EdgeColumn) -> Reason:
    if column.masked and column.type == "DIRECT":
        return "masked"
    return _OF_SUBTYPE.get(column.subtype, "unknown")


def _common(columns: Sequence[EdgeColumn]) -> Reason:
    """The transformation that most of the columns share."""
    counts: dict[Reason, int] = {}
    for column in columns:
        code = _code(column)
        counts[code] = counts.get(code, 0) + 1
    return max(sorted(counts), key=lambda code: counts[code])


def _is_copy(columns: Sequence[EdgeColumn]) -> bool:
    """Whether all columns are handed on as they are, under the same name."""
    return all(column.subtype == "IDENTITY" and column.from_column == column.to_column for column in columns)
