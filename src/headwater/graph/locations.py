"""Namespaces that are one location: those that share an address, unless decided otherwise."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from headwater.graph.facts import Address, LocationDecision, SameLocation

__all__ = ["locations_of"]


def locations_of(addresses: Iterable[Address], decisions: Iterable[LocationDecision]) -> list[frozenset[bytes]]:
    """Every location of more than one namespace, linked directly or through a third."""
    by_address: dict[bytes, set[bytes]] = defaultdict(set)
    for fact in addresses:
        by_address[fact.address].add(fact.namespace)
    links: dict[bytes, set[bytes]] = defaultdict(set)
    for members in by_address.values():
        if len(members) > 1:
            for member in members:
                links[member] |= members
    for decision in decisions:
        one, other = decision.one, decision.other
        same = SameLocation.UNDECIDED if decision.same is None else decision.same[1]
        if same == SameLocation.SAME:
            links[one].add(other)
            links[other].add(one)
        elif same == SameLocation.APART:
            links[one].discard(other)
            links[other].discard(one)
    found: list[frozenset[bytes]] = []
    done: set[bytes] = set()
    for location in links:
        if location in done:
            continue
        reached, queue = {location}, [location]
        while queue:
            for other in links[queue.pop()] - reached:
                reached.add(other)
                queue.append(other)
        done |= reached
        if len(reached) > 1:
            found.append(frozenset(reached))
    return found
