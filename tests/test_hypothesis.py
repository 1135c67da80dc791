"""The time in which hypothesis looks for a smaller example is bounded, whatever a single try costs."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import engine


def test_looking_for_a_smaller_example_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    assert engine.MAX_SHRINKING_SECONDS == 60
    monkeypatch.setattr(engine, "MAX_SHRINKING_SECONDS", 0.2)
    smaller: list[int] = []

    @settings(database=None, max_examples=5, derandomize=True)
    @given(st.lists(st.integers(), min_size=20))
    def fails(values: list[int]) -> None:
        smaller.append(len(values))
        time.sleep(0.02)
        assert len(set(values)) < 12, "too many of them"

    with pytest.raises(AssertionError, match="too many"):
        fails()
    assert len(smaller) < 100, "many hundreds without the bound; on a busy machine only fewer"
