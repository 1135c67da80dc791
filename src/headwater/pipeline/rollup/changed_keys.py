"""Runs and shapes that a batch of facts changed."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from headwater.graph.fact import Fact
from headwater.graph.facts import Evidence, Run, RunDataset, RunShape

__all__ = ["ChangedKeys", "changed_keys_of"]


class ChangedKeys(Struct):
    """Ids of one tenant."""

    runs: set[bytes]
    shapes: set[bytes]


def changed_keys_of(facts: Iterable[Fact]) -> dict[int, ChangedKeys]:
    """By tenant.

    >>> changed_keys_of([Run(1, b"r"), Evidence(1, b"s")])
    {1: ChangedKeys(runs={b'r'}, shapes={b's'})}
    """
    found: dict[int, ChangedKeys] = {}
    for fact in facts:
        if isinstance(fact, Run | RunShape | RunDataset):
            found.setdefault(fact.tenant, ChangedKeys(set(), set())).runs.add(fact.run)
        elif isinstance(fact, Evidence):
            found.setdefault(fact.tenant, ChangedKeys(set(), set())).shapes.add(fact.shape)
    return found
