"""Moments as they are typed: words, so long ago, days and times."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.lineage.answer.moment import is_ago, parse_moment
from headwater.openlineage.times import format_time, parse_time

NOW = parse_time("2026-03-01T15:30:20.5Z") or 0


@pytest.mark.parametrize(
    ("text", "first", "last", "after"),
    [
        ("now", "2026-03-01T15:30:20.500Z", None, None),
        (" NOW ", "2026-03-01T15:30:20.500Z", None, None),
        ("today", "2026-03-01T00:00:00.000Z", "2026-03-01T23:59:59.999999Z", "2026-03-02T00:00:00.000Z"),
        ("Yesterday", "2026-02-28T00:00:00.000Z", "2026-02-28T23:59:59.999999Z", "2026-03-01T00:00:00.000Z"),
        ("2026-01-31", "2026-01-31T00:00:00.000Z", "2026-01-31T23:59:59.999999Z", "2026-02-01T00:00:00.000Z"),
        ("1969-12-31", "1969-12-31T00:00:00.000Z", "1969-12-31T23:59:59.999999Z", "1970-01-01T00:00:00.000Z"),
        ("-30m", "2026-03-01T15:00:20.500Z", None, None),
        ("-3h", "2026-03-01T12:30:20.500Z", None, None),
        ("-1d", "2026-02-28T15:30:20.500Z", None, None),
        ("-2w", "2026-02-15T15:30:20.500Z", None, None),
        (" -0m", "2026-03-01T15:30:20.500Z", None, None),
        ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z", None, None),
        ("2026-01-31T12:00:00+02:00", "2026-01-31T10:00:00.000Z", None, None),
        ("2026-01-31T00:00:00", "2026-01-31T00:00:00.000Z", None, None),
    ],
)
def test_forms(text: str, first: str, last: str | None, after: str | None) -> None:
    """Only a day has a beginning and an end; every other form is one moment."""
    found = [format_time(parse_moment(text, NOW, edge) or 0) for edge in ("first", "last", "after")]
    assert found == [first, last or first, after or first]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tomorrow",
        "1d",
        "+1d",
        "-d",
        "-1",
        "-1y",
        "-1M",
        "-1 d",
        "-1.5d",
        "-100000d",
        "-\u0661d",
        "2026-02-30",
        "2026-13-01",
        "-1d-1h",
        "last week",
        "\u0662026-01-01",
    ],
)
def test_what_is_no_moment(text: str) -> None:
    assert parse_moment(text, NOW) is None
    assert not is_ago(text)


@given(st.text(max_size=12) | st.from_regex(r"\A-?[0-9]{1,6}[mhdwy]?\Z"))
def test_any_text_is_a_moment_or_none(text: str) -> None:
    """And what can be read can be shown."""
    for edge in ("first", "last"):
        found = parse_moment(text, NOW, edge)
        assert found is None or format_time(found)


@given(st.integers(0, 99_999), st.sampled_from("mhdw"))
def test_longer_ago_is_earlier(count: int, unit: str) -> None:
    found = parse_moment(f"-{count}{unit}", NOW)
    assert found is not None
    assert found <= NOW
    assert is_ago(f"-{count}{unit}")
    assert format_time(found) >= "0001"
