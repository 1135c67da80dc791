"""Patterns of a tenant's own: they find what `re` finds, and no text makes them slow."""

from __future__ import annotations

import random
import re
import time

import pytest

from headwater.openlineage.policy.own_pattern import OwnPattern, WrongPattern

ATOMS = ("a", "b", "[ab]", "[^a]", ".", "c", "(a|bc)", "(?:ab)", r"\w", r"\d", r"\.")


def covered_by_re(pattern: str, text: str) -> set[int]:
    """Places that any match of the pattern covers."""
    expression, found = re.compile(pattern), set()
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            if expression.fullmatch(text, start, end):
                found |= set(range(start, end))
    return found


def test_finds_what_re_finds() -> None:
    chance = random.Random(4)
    compared = 0
    while compared < 400:
        parts = [chance.choice(ATOMS) + chance.choice(["", "", "?", "*", "+", "{1,2}", "{2}"]) for _ in range(3)]
        pattern = "".join(parts[: chance.randint(1, 3)])
        text = "".join(chance.choice("abcd.1 ") for _ in range(10))
        try:
            own = OwnPattern(pattern)
        except WrongPattern:
            assert re.fullmatch(pattern, "") is not None, pattern
            continue
        assert {place for span in own.spans(text) for place in range(*span)} == covered_by_re(pattern, text), pattern
        compared += 1


def test_ends() -> None:
    assert OwnPattern(r"\bKD-\d{3}\b").spans("KD-123 xKD-123 KD-1234") == [(0, 6)]
    assert OwnPattern(r"^ab$").spans("ab") == [(0, 2)]
    assert OwnPattern(r"^ab").spans("xab") == []


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(a", "not closed"),
        ("a)", "too many"),
        ("a**", "repeats already"),
        ("*a", "nothing that"),
        ("[z-a]", "no range"),
        ("[a", "in the middle"),
        ("a{3", "no number"),
        ("a{65}", "more than 64"),
        (r"(a)\1", "not possible"),
        ("(?=a)", "nothing that"),
        ("a?", "empty text"),
        ("", "empty text"),
        ("a^b", "ends only"),
        ("((a{60}){60})", "too large"),
        ("(" * 30 + "a" + ")" * 30, "too deeply"),
    ],
)
def test_wrong_patterns(pattern: str, problem: str) -> None:
    with pytest.raises(WrongPattern, match=problem):
        OwnPattern(pattern)


def test_time_grows_with_the_text_alone() -> None:
    """Patterns that make a backtracking engine take for ever, and ones that look far ahead."""
    for pattern in ("(a+)+b", "(a|aa)+b", "a.*c", "a[ab]{30}c"):
        own = OwnPattern(pattern)
        own.spans("ab" * 500)
        took = []
        for size in (2_000, 20_000):
            text, best = "ab" * size, 1e9
            for _ in range(3):
                began = time.process_time()
                own.spans(text)
                best = min(best, time.process_time() - began)
            took.append(best)
        assert took[1] < 40 * took[0] + 0.05, (pattern, took)
