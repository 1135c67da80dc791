"""Every rule is a join: order, grouping and repetition do not matter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.graph.merge_rules import Rule, join

numbers = st.none() | st.integers(-(2**40), 2**40)
VALUES = {
    Rule.MIN: numbers,
    Rule.MAX: numbers | st.none(),
    Rule.FLAGS: st.none() | st.integers(0, 1023),
    Rule.LATEST: st.none() | st.tuples(st.binary(min_size=2, max_size=2), st.text(max_size=3)),
}


@pytest.mark.parametrize("rule", list(Rule))
@given(data=st.data())
def test_join(rule: Rule, data: st.DataObject) -> None:
    one, two, three = (data.draw(VALUES[rule]) for _ in range(3))
    assert join(rule, one, two) == join(rule, two, one)
    assert join(rule, join(rule, one, two), three) == join(rule, one, join(rule, two, three))
    assert join(rule, one, one) == one
    assert join(rule, one, None) == one
