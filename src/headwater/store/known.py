"""What this process knows to be in the store already, so that it need not write it again.

Sound by the order of the merge rules: a fact that an already committed one includes changes nothing. That holds with
any number of processes on one database, since merging only ever adds to what is there. Learn only after the commit;
forget all of it when anything was deleted, and when the connection was lost: what comes back may be an older copy.
"""

from __future__ import annotations

from collections.abc import Iterable

from headwater.graph.fact import Fact
from headwater.graph.facts import Address, Namespace, Node, Note, Run, Symlink
from headwater.graph.fold import Graph
from headwater.interpret.interpret import Interpretation
from headwater.interpret.memo import Memo

__all__ = ["Known"]

_NAMES: frozenset[type[Fact]] = frozenset((Node, Namespace, Address, Symlink, Note))


class Known:
    """Bounded memory of shapes and names that were committed."""

    def __init__(self, shapes: int = 200_000, facts: int = 100_000) -> None:
        self._shapes: Memo[int] = Memo(shapes)
        self._facts: Memo[Fact] = Memo(facts)

    def new_facts(self, interpretation: Interpretation) -> list[Fact]:
        """The facts of an event that may change the store."""
        facts = [fact for fact in interpretation.own if not (_lasts(fact) and self._has(fact))]
        first_seen = self._shapes.get(_shape(interpretation))
        if first_seen is None or interpretation.time < first_seen:
            # Without the names that are there already: a new shape mostly speaks of old tables.
            said = interpretation.description.facts(interpretation.time)
            facts += [fact for fact in said if not (type(fact) in _NAMES and self._has(fact))]
        return facts

    def learn(self, interpretations: Iterable[Interpretation], written: Graph) -> None:
        """Remember what was committed."""
        for interpretation in interpretations:
            shape = _shape(interpretation)
            known = self._shapes.get(shape)
            if known is None or interpretation.time < known:
                self._shapes.put(shape, interpretation.time)
        kinds: tuple[type[Fact], ...] = (*_NAMES, Run)
        for kind in kinds:
            for key, fact in written.get(kind, {}).items():
                if _lasts(fact):
                    known_fact = self._facts.get((kind, key))
                    self._facts.put((kind, key), fact if known_fact is None else fact.merge(known_fact))

    def forget(self) -> None:
        self._shapes.clear()
        self._facts.clear()

    def _has(self, fact: Fact) -> bool:
        known = self._facts.get((type(fact), fact.key()))
        return known is not None and fact.within(known)


def _lasts(fact: Fact) -> bool:
    """Worth remembering: names, and the bare mention of a run that is not the event's own."""
    return type(fact) in _NAMES or (isinstance(fact, Run) and fact.last_seen is None)


def _shape(interpretation: Interpretation) -> tuple[int, bytes]:
    description = interpretation.description
    return description.lasting[0].tenant, description.shape
