"""Facts that this process knows to be in the store, so that it need not write them again.

Correct by the order of the merge rules: a fact committed as of some time adds nothing when it is stated again for that
time or a later one. That holds with any number of processes on one database, since merging only adds. Facts are added
after the commit only; all are dropped after a deletion, and after a lost connection: the database may have come back as
an older copy.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from msgspec.structs import replace

from headwater.bounded_cache import BoundedCache
from headwater.graph.fact import Fact
from headwater.graph.facts import Address, Namespace, Node, Note, Run, Symlink
from headwater.interpret.interpret import Interpretation

__all__ = ["Known"]

_NAMES: frozenset[type[Fact]] = frozenset((Node, Namespace, Address, Symlink, Note))
_MAY_LAST = _NAMES | {Run}
"""The others need not be looked at, and most facts are others."""
_TIMELESS = 1 << 63
"""Time of a fact without one: later than any, since a known name says nothing of when."""


class Known:
    """Bounded memory of committed shapes and names, each with its earliest time."""

    def __init__(self, shapes: int = 200_000, facts: int = 100_000) -> None:
        self._shapes: BoundedCache[int] = BoundedCache(shapes)
        self._facts: BoundedCache[int] = BoundedCache(facts)

    def new_facts(self, interpretation: Interpretation) -> list[Fact]:
        """The facts of an event that may change the store."""
        known, time, description = self._facts, interpretation.time, interpretation.description
        facts = [fact for fact in interpretation.own if not (type(fact) in _MAY_LAST and self._is_known(fact))]
        if not _has(self._shapes, _shape(interpretation), time):
            # Without the names that are there already: a new shape mostly speaks of old tables.
            facts += [fact for fact in description.lasting if not (type(fact) in _MAY_LAST and self._is_known(fact))]
            facts += [replace(fact, first_seen=time) for fact in description.dated if not _has(known, fact, time)]
        return facts

    def learn(self, interpretations: Iterable[Interpretation], written: Iterable[Fact]) -> None:
        """Add committed facts: `new_facts` of these."""
        for interpretation in interpretations:
            _put(self._shapes, _shape(interpretation), interpretation.time)
        for fact in written:
            if type(fact) not in _MAY_LAST or not _lasts(fact):
                continue
            since: int | None = getattr(fact, "first_seen", None)
            if since is None:
                _put(self._facts, fact, _TIMELESS)
            else:
                _put(self._facts, replace(fact, first_seen=None), since)

    def _is_known(self, fact: Fact) -> bool:
        return _lasts(fact) and _has(self._facts, fact, _TIMELESS)

    def forget(self) -> None:
        self._shapes.clear()
        self._facts.clear()


def _has(known: BoundedCache[int], key: Hashable, time: int) -> bool:
    since = known.get(key)
    return since is not None and since <= time


def _put(known: BoundedCache[int], key: Hashable, time: int) -> None:
    if not _has(known, key, time):
        known.put(key, time)


def _lasts(fact: Fact) -> bool:
    """Worth remembering: names, and the bare mention of a run that is not the event's own."""
    return type(fact) in _NAMES or (isinstance(fact, Run) and fact.last_seen is None)


def _shape(interpretation: Interpretation) -> tuple[int, bytes]:
    description = interpretation.description
    return description.lasting[0].tenant, description.shape
