"""Sources of the value of one column."""

from collections.abc import Iterable
from typing import NamedTuple

from sqlglot import exp

from headwater.sql.walk.expression.transformation import IDENTITY, TRANSFORMATION, Effect, compose

__all__ = ["Flow", "Origin", "OriginStep", "Rows", "add_path", "followed_by", "merge_into", "read", "unresolved"]


class Origin(NamedTuple):
    """A column of a stored table; `table` is None if the table is unknown."""

    table: str | None
    column: str


class OriginStep(NamedTuple):
    """One origin and its transformation."""

    origin: Origin
    effect: Effect


Flow = dict[OriginStep, exp.Expr | None]
"""Every origin of one column, with the expression that computed it (None: taken over as it is)."""

Rows = dict[OriginStep, None]
"""Columns that affect rows: joins, filters, grouping, sorting."""


def read(table: str, column: str) -> Flow:
    return {OriginStep(Origin(table, column), IDENTITY): None}


def unresolved(column: str) -> Flow:
    return {OriginStep(Origin(None, column), IDENTITY): None}


def followed_by(flow: Flow, effect: Effect, expression: exp.Expr | None) -> Flow:
    """`flow` seen through an expression that has `effect` on it."""
    if effect is IDENTITY and expression is None:
        return flow
    return {
        OriginStep(origin, compose(inner, effect)): expression if expression is not None else earlier
        for (origin, inner), earlier in flow.items()
    }


def merge_into(target: Flow, flow: Flow) -> None:
    for step, expression in flow.items():
        target.setdefault(step, expression)


def add_path(flow: Flow, path: Iterable[str]) -> Flow:
    """Narrow a structured column to one of its fields: `address` becomes `address.city`."""
    suffix = "." + ".".join(path)
    return {
        OriginStep(
            Origin(origin.table, origin.column + suffix) if _takes_path(origin, effect) else origin, effect
        ): node
        for (origin, effect), node in flow.items()
    }


def _takes_path(origin: Origin, effect: Effect) -> bool:
    return origin.column != "*" and effect in (IDENTITY, TRANSFORMATION)
