"""Steps of pipe syntax that sqlglot does not parse yet: |> DROP, |> SET, |> RENAME."""

from collections.abc import Callable
from typing import Any

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

__all__ = ["PIPE_STEPS"]


def _drop(parser: Any, query: exp.Select) -> exp.Select:
    parser._match_text_seq("DROP")  # noqa: SLF001 - a step of the parser itself
    names = parser._parse_csv(parser._parse_id_var)  # noqa: SLF001
    return _starred(parser, query, exp.Star(except_=names))


def _set(parser: Any, query: exp.Select) -> exp.Select:
    parser._match(TokenType.SET)  # noqa: SLF001
    assigned = parser._parse_csv(parser._parse_update_assignment)  # noqa: SLF001
    replaced = [exp.alias_(item.expression, item.this.name) for item in assigned if isinstance(item, exp.EQ)]
    return _starred(parser, query, exp.Star(replace=replaced))


def _rename(parser: Any, query: exp.Select) -> exp.Select:
    parser._match_text_seq("RENAME")  # noqa: SLF001
    return _starred(parser, query, exp.Star(rename=parser._parse_expressions()))  # noqa: SLF001


def _starred(parser: Any, query: exp.Select, star: exp.Star) -> exp.Select:
    """The next step may replace the SELECT list, so the star goes into a CTE of its own."""
    inner = parser._build_pipe_cte(query=query, expressions=[star])  # noqa: SLF001
    result: exp.Select = parser._build_pipe_cte(query=inner, expressions=[exp.Star()])  # noqa: SLF001
    return result


PIPE_STEPS: dict[str, Callable[[Any, exp.Select], exp.Select]] = {"DROP": _drop, "SET": _set, "RENAME": _rename}
