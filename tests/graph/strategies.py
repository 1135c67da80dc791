"""Random facts, drawn from their declarations."""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import Any

from hypothesis import strategies as st

from headwater.graph.fact import Column, Fact, columns_of
from headwater.graph.facts import FACTS
from headwater.graph.merge_rules import Rule

texts = st.sampled_from(["", "a", "A", "a ", "b", "é", "\N{GRINNING FACE}", "z" * 300])


def _values(column: Column) -> st.SearchStrategy[Any]:
    if column.name == "tenant":
        return st.sampled_from([1, 2])
    if issubclass(column.kind, IntFlag):
        return st.integers(0, int(sum(column.kind)))
    if issubclass(column.kind, IntEnum):
        return st.sampled_from([int(member) for member in column.kind])
    if issubclass(column.kind, int):
        return st.integers(1, 4) if column.rule is None else st.integers(-(2**53), 2**53)
    if issubclass(column.kind, bytes):
        size = column.size or 3
        return st.sampled_from([bytes([value]) * size for value in (0, 1, 200, 255)])
    return st.sampled_from(["k", "K", "k ", "l"]) if column.rule is None else texts


def facts_of(kind: type[Fact]) -> st.SearchStrategy[Fact]:
    """Facts of one class; few keys, so that they meet."""
    parts = []
    for column in columns_of(kind):
        values = _values(column)
        if column.rule is Rule.LATEST:
            stamps = st.sampled_from([bytes([value]) * 24 for value in (1, 2, 255)])
            values = st.none() | st.tuples(stamps, values)
        elif column.rule is not None:
            values = st.none() | values
        parts.append(values)
    return st.tuples(*parts).map(lambda values: kind(*values))


any_facts = st.sampled_from(FACTS).flatmap(lambda kind: st.lists(facts_of(kind), max_size=12))
