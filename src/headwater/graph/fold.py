"""Fold: many facts to one per key, whatever their order, repetition and grouping."""

from __future__ import annotations

from collections.abc import Iterable

from headwater.graph.fact import Fact, Key

__all__ = ["Graph", "fold", "fold_into"]

Graph = dict[type[Fact], dict[Key, Fact]]
"""All facts by table and key."""


def fold(facts: Iterable[Fact]) -> Graph:
    """Merge facts that share a key.

    >>> from headwater.graph.facts import Evidence
    >>> fold([Evidence(1, b"s", first_seen=9), Evidence(1, b"s", first_seen=5)])[Evidence]
    {(1, b's'): Evidence(tenant=1, shape=b's', first_seen=5, last=None)}
    """
    graph: Graph = {}
    fold_into(graph, facts)
    return graph


def fold_into(graph: Graph, facts: Iterable[Fact]) -> None:
    """Merge facts into a graph that is there already."""
    for fact in facts:
        kind = type(fact)
        table = graph.get(kind)
        if table is None:
            table = graph[kind] = {}
        key = kind.key_of(fact)
        known = table.setdefault(key, fact)
        if known is not fact:
            table[key] = known.merge(fact)
