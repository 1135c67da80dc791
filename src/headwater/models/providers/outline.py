"""Summary of a statement from its analysis: reads, joins, filters, computed columns, writes. No model is called.

It names tables and columns, never a literal, so it may be given to a foreign model for its embedding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct
from sqlglot import exp

from headwater.sql.analysis import analyze
from headwater.sql.dialects.profiles import profile_of
from headwater.sql.limits import Budget, Limits, OverLimit
from headwater.sql.parse.parse import parse_script

__all__ = ["MOST_TAGS", "Summary", "outline"]

_LIMITS = Limits(seconds=5.0)
MOST_TAGS = 12
_MOST_NAMES = 8
_MOST_COLUMNS = 12
_LONGEST = 1_800


class Summary(Struct, frozen=True):
    """Description of a statement, and tags for it."""

    summary: str
    tags: list[str]


def outline(sql: str, dialect: str) -> Summary:
    """The summary of a script.

    >>> outline("INSERT INTO t SELECT s.a, max(s.b) m FROM s JOIN u ON s.k = u.k WHERE s.c = 'x' GROUP BY s.a", "ansi")
    ... # doctest: +NORMALIZE_WHITESPACE
    Summary(summary='INSERT: reads s and u; joins on k; filters by c; groups by a; computes m from s.b; writes t.',
            tags=['aggregation', 'filter', 'insert', 'join'])
    """
    analysis = analyze(sql, dialect=dialect, limits=_LIMITS)
    told = analysis.lineage()
    kinds = list(dict.fromkeys(statement.kind for statement in analysis.statements if statement.kind != "EMPTY"))
    trees = list(_trees(sql, dialect))
    parts, tags = [], {kind.lower() for kind in kinds[:3]}
    if told.sources:
        parts.append(f"reads {_names(told.sources)}")
    for words, tag, names in _clauses(trees):
        tags.add(tag)
        parts.append(f"{words} {_names(names)}" if names else words)
    computed = _computed(told.columns)
    if computed:
        parts.append(f"computes {computed}")
    if any(edge.masking and edge.subtype != "AGGREGATION" for edge in told.columns):  # a count hides values, too
        parts.append("masks values")
        tags.add("masking")
    if told.targets:
        parts.append(f"writes {_names(told.targets)}")
    if analysis.failed:
        parts.append("could not be read as a whole")
        tags.add("not analysed")
    begin = ", ".join(kinds[:3]) or "Statement"
    return Summary(f"{begin}: {'; '.join(parts) or 'no tables'}."[:_LONGEST], sorted(tags)[:MOST_TAGS])


def _trees(sql: str, dialect: str) -> Iterator[exp.Expr]:
    try:
        for parsed in parse_script(sql, profile_of(dialect), Budget(_LIMITS)):
            for one in (parsed, *(parsed.routine or ())):
                if one.node is not None:
                    yield one.node
    except (OverLimit, RecursionError):
        return


def _clauses(trees: list[exp.Expr]) -> Iterator[tuple[str, str, list[str]]]:
    """Clauses that process rows: their words, tag, and columns."""
    found: dict[type[exp.Expr], list[exp.Expr]] = {}
    for tree in trees:
        for node in tree.walk():
            found.setdefault(type(node), []).append(node)
    joins = found.get(exp.Join, [])
    if joins:
        conditions = [node for join in joins for node in (join.args.get("on"), *(join.args.get("using") or ())) if node]
        names = _columns(conditions)
        yield ("joins on" if names else "joins"), "join", names
    for kind, words, tag in (
        (exp.Where, "filters by", "filter"),
        (exp.Group, "groups by", "aggregation"),
        (exp.Having, "keeps groups by", "aggregation"),
        (exp.Window, "works over windows of", "window"),
        (exp.Qualify, "keeps rows by", "window"),
    ):
        if kind in found:
            names = _columns(found[kind])
            yield (words if names else words.rpartition(" ")[0]), tag, names
    if exp.Group not in found and any(issubclass(kind, exp.AggFunc) for kind in found):
        yield "aggregates all rows", "aggregation", []
    for other, words, tag in (
        (exp.Distinct, "removes duplicates", "distinct"),
        (exp.Union, "unites rows", "union"),
        (exp.Lateral, "unfolds nested values", "unnest"),
        (exp.Unnest, "unfolds nested values", "unnest"),
        (exp.Limit, "takes some rows", "limit"),
    ):
        if other in found:
            yield words, tag, []


def _columns(nodes: Iterable[exp.Expr]) -> list[str]:
    names: dict[str, None] = {}
    for node in nodes:
        if isinstance(node, exp.Identifier):
            names[node.name] = None
        for column in node.find_all(exp.Column):
            names[column.name] = None
    return [name for name in names if name]


def _computed(edges: Iterable[object]) -> str:
    """Columns that are more than copies, with the sources of each."""
    made: dict[str, dict[str, None]] = {}
    for edge in edges:
        target, kind = getattr(edge, "target_column", None), getattr(edge, "subtype", "")
        if target and kind not in ("IDENTITY", "") and getattr(edge, "type", "") == "DIRECT":
            table = getattr(edge, "source_table", None)
            source = getattr(edge, "source_column", "")
            made.setdefault(target, {})[f"{_short(table)}.{source}" if table else source] = None
    told = [f"{target} from {_names(list(sources), 4)}" for target, sources in list(made.items())[:_MOST_COLUMNS]]
    more = len(made) - len(told)
    return ", ".join(told) + (f" and {more} more" if more > 0 else "")


def _short(table: str) -> str:
    return table.rpartition(".")[2]


def _names(names: Iterable[str], most: int = _MOST_NAMES) -> str:
    """Names with commas between them, the last after an and.

    >>> _names(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    unique = list(dict.fromkeys(names))
    shown = [" ".join(name.split())[:100] for name in unique[:most]]
    if len(unique) > most:
        return f"{', '.join(shown)} and {len(unique) - most} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
