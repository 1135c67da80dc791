"""What this process knows to be in the store already, so that it need not write it again.

Sound by the order of the merge rules: a fact that an already committed one includes changes nothing. Learn only after
the commit; forget all of it when anything was deleted.
"""

from __future__ import annotations

from collections.abc import Iterable

from headwater.graph.fact import Fact
from headwater.graph.facts import Address, Namespace, Node, Run, Symlink
from headwater.interpret.interpret import Interpretation
from headwater.interpret.memo import Memo

__all__ = ["Known"]

_NAMES = (Node, Namespace, Address, Symlink)


class Known:
    """Bounded memory of shapes and names that were committed."""

    def __init__(self, shapes: int = 200_000, facts: int = 100_000) -> None:
        self._shapes: Memo[int] = Memo(shapes)
        self._facts: Memo[Fact] = Memo(facts)

    def new_facts(self, interpretation: Interpretation) -> list[Fact]:
        """The facts of an event that may change the store."""
        facts = []
        for fact in interpretation.own:
            if _lasts(fact):
                known = self._facts.get(_place(fact))
                if known is not None and fact.within(known):
                    continue
            facts.append(fact)
        shape = _shape(interpretation)
        first_seen = self._shapes.get(shape)
        if first_seen is None or interpretation.time < first_seen:
            facts += interpretation.description.facts(interpretation.time)
        return facts

    def learn(self, interpretations: Iterable[Interpretation]) -> None:
        """Remember what was committed."""
        for interpretation in interpretations:
            shape = _shape(interpretation)
            known = self._shapes.get(shape)
            if known is None or interpretation.time < known:
                self._shapes.put(shape, interpretation.time)
            for fact in interpretation.own:
                if _lasts(fact):
                    place = _place(fact)
                    other = self._facts.get(place)
                    self._facts.put(place, fact if other is None else fact.merge(other))

    def forget(self) -> None:
        self._shapes.clear()
        self._facts.clear()


def _lasts(fact: Fact) -> bool:
    """Worth remembering: names, and the bare mention of a run that is not the event's own."""
    return isinstance(fact, _NAMES) or (isinstance(fact, Run) and fact.last_seen is None)


def _shape(interpretation: Interpretation) -> bytes:
    description = interpretation.description
    return description.lasting[0].tenant.to_bytes(8, "big") + description.shape


def _place(fact: Fact) -> bytes:
    parts = [str(part).encode() if isinstance(part, int) else part for part in fact.key()]
    return b"|".join([fact.table.encode(), *parts])
