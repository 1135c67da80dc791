"""What is wrong with a statement is told with its place, once each, and with what was meant perhaps."""

import pytest

from headwater.sql import analyze

SCHEMA = {"t": ["a"], "s": ["c"], "q.s": ["a"], "one": ["id"], "two": ["id"], "wide": ["x", "y"]}


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        (
            "SELECT a,\n  x.b,\n zz\nFROM t, s",
            [("unknown-qualifier", 2, 3, ("t", "s")), ("unknown-column", 3, 2, ("a", "c"))],
        ),
        ("INSERT INTO n (x)\nSELECT a\nFROM q.s\nWHERE nope = 1", [("unknown-column", 4, 7, ("a",))]),
        ("SELECT id FROM one JOIN two ON one.id = two.id", [("ambiguous-column", 1, 8, ("one", "two"))]),
        ("SELECT x FROM t1, t2", [("ambiguous-column", 1, 8, ("t1", "t2"))]),
        ("INSERT INTO wide (x, y) SELECT 1", [("column-count", 1, 13, ("x", "y"))]),
        ("SELECT FROM WHERE", [("syntax", 1, 13, ())]),
        ("SELECT 1;\n\nSELECT (", [("syntax", 3, 8, ())]),
        (
            "SELECT\n  nope,\n  nope AS other\nFROM t",
            [("unknown-column", 2, 3, ("a",)), ("unknown-column", 3, 3, ("a",))],
        ),
        ("SELECT a FROM t", []),
        ("SELECT * FROM\n  somewhere", []),
        ("CREATE STREAM st AS SELECT a FROM t EMIT CHANGES", [("unknown-statement", None, None, ())]),
    ],
)
def test_where_it_is(sql: str, found: list[tuple[str, int | None, int | None, tuple[str, ...]]]) -> None:
    said = analyze(sql, dialect="postgres", schema=SCHEMA).diagnostics
    assert [(one.code, one.line, one.column, one.candidates) for one in said] == found


def test_a_statement_in_a_text_that_cannot_be_read() -> None:
    """The statements beside it count."""
    analysis = analyze("UNLOAD ('SELECT ''a FROM t') TO 's3://b'; INSERT INTO n SELECT a FROM t", dialect="redshift")
    assert [one.code for one in analysis.diagnostics] == ["syntax"]
    assert "unload" in analysis.diagnostics[0].message
    assert [edge.source_table for edge in analysis.statements[-1].columns] == ["t"]


def test_what_is_an_error_and_what_a_warning() -> None:
    assert {one.severity for one in analyze("SELECT (", dialect="postgres").diagnostics} == {"error"}
    assert {one.severity for one in analyze("SELECT nope FROM t", dialect="postgres", schema=SCHEMA).diagnostics} == {
        "warning"
    }


def test_the_same_place_is_told_once() -> None:
    """A view that several statements use is walked each time."""
    sql = "CREATE VIEW v AS SELECT nope AS n FROM t; SELECT n FROM v; SELECT n FROM v"
    said = analyze(sql, dialect="postgres", schema=SCHEMA).diagnostics
    assert len({(one.code, one.line, one.column) for one in said}) == len(said) == 1
