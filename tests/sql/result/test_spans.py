"""Positions of what produces a column."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.sql.result.spans import spans_of_columns

CASES = [
    ("SELECT a, b + 1 AS c FROM t", "c", ["b + 1 AS c"]),
    ("select a, sum(x) total from t group by a", "total", ["sum(x) total"]),
    ("SELECT t.a, t.b FROM t", "b", ["t.b"]),
    ("INSERT INTO x (one, two) SELECT a, coalesce(b, 'c, d') FROM t", "two", ["coalesce(b, 'c, d')"]),
    ("INSERT OVERWRITE TABLE x PARTITION (dt) SELECT a, b AS dt FROM t", "dt", ["b AS dt"]),
    ("SELECT a AS c FROM t UNION ALL SELECT b FROM u", "c", ["a AS c", "b"]),
    ("CREATE TABLE x AS (SELECT a, case when b then 1 else 2 end AS c FROM t)", "c",
     ["case when b then 1 else 2 end AS c"]),
    ("WITH f AS (SELECT max(a) AS c FROM t) SELECT * FROM f", "c", ["max(a) AS c"]),
    ("WITH f AS (SELECT a AS c FROM t), g AS (SELECT * FROM f) SELECT * FROM g", "c", ["a AS c"]),
    ("WITH f AS (SELECT a AS c FROM t) SELECT DISTINCT c FROM f", "c", ["c"]),
    ("SELECT (SELECT max(z) FROM u) AS c, a FROM t", "c", ["(SELECT max(z) FROM u) AS c"]),
    ('SELECT "Weird Name" FROM t', "weird name", ['"Weird Name"']),
    ("SELECT * FROM t", "a", []),
    ("SELECT a, 'unclosed FROM t", "a", []),
    ("DROP TABLE t", "a", []),
    ("", "a", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "column", "expected"), CASES)
def test_spans(text: str, column: str, expected: list[str]) -> None:
    found = spans_of_columns(text, "ansi", [column])
    assert [text[span.start : span.end] for span in found] == expected
    assert {span.column for span in found} <= {column}


def test_several_columns_in_the_order_of_the_text() -> None:
    text = "SELECT\n  b AS second,\n  a AS first\nFROM t"
    found = spans_of_columns(text, "spark", ["first", "second"])
    assert [(text[span.start : span.end], span.column) for span in found] == [
        ("b AS second", "second"),
        ("a AS first", "first"),
    ]


PARTS = ["SELECT", "FROM", "(", ")", ",", "*", "a", "b", "AS", "WITH", "INSERT INTO t", ";", "'", '"', "UNION", "."]


@given(st.lists(st.sampled_from(PARTS), max_size=25).map(" ".join))
def test_any_text_gives_spans_inside_of_it(text: str) -> None:
    for start, end, _ in spans_of_columns(text, "spark", ["a", "b"]):
        assert 0 <= start < end <= len(text)
