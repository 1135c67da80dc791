"""The fold gives the same graph for any order, repetition and partition of the facts."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from headwater.graph.fact import columns_of
from headwater.graph.facts import FACTS
from headwater.graph.fold import fold, fold_into
from headwater.graph.merge_rules import join
from tests.graph.strategies import any_facts, facts_of


@given(any_facts, st.randoms(use_true_random=False))
def test_any_order_and_repetition(facts: list, chance: random.Random) -> None:
    mixed = facts + chance.sample(facts, len(facts) // 2)
    chance.shuffle(mixed)
    assert fold(mixed) == fold(facts)


@given(any_facts, st.integers(1, 4))
def test_any_partition(facts: list, parts: int) -> None:
    """Folded apart and then together, as by several writers or Spark tasks."""
    together: dict = {}
    for part in range(parts):
        for table in fold(facts[part::parts]).values():
            fold_into(together, table.values())
    assert together == fold(facts)


@given(st.sampled_from(FACTS).flatmap(lambda kind: st.tuples(facts_of(kind), facts_of(kind))))
def test_a_fact_is_within_what_it_was_merged_into(pair: tuple) -> None:
    one, other = pair
    if one.key() == other.key():
        merged = one.merge(other)
        assert one.within(merged)
        assert other.within(merged)
        assert one.within(other) == (other.merge(one) == other)


@given(st.sampled_from(FACTS).flatmap(lambda kind: st.tuples(facts_of(kind), facts_of(kind))))
def test_merging_follows_the_declared_rules(pair: tuple) -> None:
    """What is written out for speed does to every column what its rule says."""
    one, other = pair
    wanted = [
        left if column.rule is None else join(column.rule, left, right)
        for column, left, right in zip(columns_of(type(one)), one.values(), other.values(), strict=True)
    ]
    assert list(one.merge(other).values()) == wanted


def test_the_tenant_leads_every_key() -> None:
    for fact in FACTS:
        key = [column for column in columns_of(fact) if column.rule is None]
        assert key[0].name == "tenant"
        assert len({column.name for column in columns_of(fact)}) == len(columns_of(fact))
