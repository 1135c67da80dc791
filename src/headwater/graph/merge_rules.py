"""Merges of two values of one column. Every rule is the join of a semilattice: commutative, associative, idempotent.

A rule is declared once, on the column; three engines run it: Python (`join`, here), SQL (`store/write/upsert.py`) and
Spark. Null means "unknown" and never wins.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from operator import or_
from typing import Annotated, Any, TypeAlias, TypeVar

__all__ = ["JOINS", "WRITTEN", "AnyOf", "Flags", "Latest", "Max", "Min", "Precedence", "Rule", "join"]

_T = TypeVar("_T")


class Rule(Enum):
    """Which join merges a column."""

    MIN = "min"
    MAX = "max"
    FLAGS = "flags"
    """Bitwise or."""
    LATEST = "latest"
    """The value with the greatest (stamp, value)."""


Min: TypeAlias = Annotated[_T | None, Rule.MIN]
"""The smallest value: the first time something was seen."""
Max: TypeAlias = Annotated[_T | None, Rule.MAX]
"""The greatest value: a counter, the last time something was seen."""
AnyOf: TypeAlias = Annotated[_T | None, Rule.MAX]
"""A value that does not change; should sources disagree all the same, the greatest is taken."""
Precedence: TypeAlias = Annotated[_T | None, Rule.MAX]
"""An IntEnum whose members are numbered by precedence."""
Flags: TypeAlias = Annotated[_T | None, Rule.FLAGS]
"""An IntFlag: the union of all flags."""
Latest: TypeAlias = Annotated[tuple[bytes, _T] | None, Rule.LATEST]
"""The latest value, as (stamp, value); for equal stamps the greater value."""


JOINS: dict[Rule, Callable[[Any, Any], Any]] = {Rule.MIN: min, Rule.MAX: max, Rule.FLAGS: or_, Rule.LATEST: max}
"""Merge two known values. LATEST compares (stamp, value)."""

WRITTEN: dict[Rule, str] = {
    Rule.MIN: "if new is not None and ({0} is None or new < {0}): {0} = new",
    Rule.MAX: "if new is not None and ({0} is None or new > {0}): {0} = new",
    Rule.FLAGS: "if new is not None and new is not {0}: {0} = new if {0} is None else {0} | new",
    Rule.LATEST: "if new is not None and ({0} is None or new > {0}): {0} = new",
}
"""`join` as a statement of Python: {0} is the present value, and then the merged one."""


def join(rule: Rule, left: Any, right: Any) -> Any:
    """Merge two values of a column.

    >>> join(Rule.MIN, 3, 5), join(Rule.MAX, None, 5), join(Rule.FLAGS, 1, 4)
    (3, 5, 5)
    """
    if left is None:
        return right
    if right is None:
        return left
    return JOINS[rule](left, right)
