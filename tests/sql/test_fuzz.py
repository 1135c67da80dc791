"""No text makes the analyser raise, and none makes it hang."""

import time

import pytest
from case_files import cases
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.sql import DIALECTS, Limits, SqlError, analyze

WORDS = [
    "SELECT",
    "FROM",
    "WHERE",
    "JOIN",
    "ON",
    "USING",
    "GROUP",
    "BY",
    "ORDER",
    "HAVING",
    "WINDOW",
    "OVER",
    "PARTITION",
    "UNION",
    "ALL",
    "EXCEPT",
    "WITH",
    "RECURSIVE",
    "AS",
    "INSERT",
    "INTO",
    "VALUES",
    "UPDATE",
    "SET",
    "DELETE",
    "MERGE",
    "MATCHED",
    "THEN",
    "CREATE",
    "TABLE",
    "VIEW",
    "TEMPORARY",
    "FUNCTION",
    "PROCEDURE",
    "BEGIN",
    "END",
    "IF",
    "ELSE",
    "CASE",
    "WHEN",
    "LATERAL",
    "UNNEST",
    "EXPLODE",
    "PIVOT",
    "UNPIVOT",
    "FOR",
    "IN",
    "TABLE(",
    "MATCH_RECOGNIZE(",
    "TUMBLE(",
    "DESCRIPTOR(",
    "(",
    ")",
    ",",
    ".",
    ";",
    "*",
    "+",
    "-",
    "=",
    "<",
    ">",
    "::",
    "->",
    "=>",
    "'x'",
    '"y"',
    "`z`",
    "[w]",
    "1",
    "2.5",
    "a",
    "b",
    "c",
    "t",
    "u",
    "$1",
    "@v",
    "#tmp",
    "?",
    "NULL",
    "QUALIFY",
    "COPY",
    "USE",
    "DROP",
    "ALTER",
    "RENAME",
    "TO",
    "LIKE",
    "INTERVAL",
    "ROW<",
    "MAP[",
]
TEXTS = [case.sql for case in cases()]
FEW = Limits(seconds=5.0)


def survives(sql, dialect):
    started = time.process_time()
    try:
        analysis = analyze(sql, dialect=dialect, limits=FEW)
        analysis.lineage()
        analysis.to_openlineage()
    except SqlError:
        return
    assert time.process_time() - started < 15


@settings(max_examples=300)
@given(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join), st.sampled_from(DIALECTS))
def test_words_in_any_order(sql, dialect):
    survives(sql, dialect)


@settings(max_examples=200)
@given(st.text(max_size=80), st.sampled_from(DIALECTS))
def test_any_text(sql, dialect):
    survives(sql, dialect)


@settings(max_examples=300)
@given(st.sampled_from(TEXTS), st.data(), st.sampled_from(DIALECTS))
def test_damaged_statements(sql, data, dialect):
    words = sql.split(" ")
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(words) - 1))
        words[place : place + data.draw(st.integers(0, 2))] = data.draw(st.lists(st.sampled_from(WORDS), max_size=2))
        words = words or [""]
    survives(" ".join(words), dialect)


@settings(max_examples=100)
@given(st.sampled_from(TEXTS), st.sampled_from(TEXTS), st.data(), st.sampled_from(DIALECTS))
def test_halves_of_statements(one, other, data, dialect):
    cut = data.draw(st.integers(0, len(one)))
    survives(one[:cut] + other[data.draw(st.integers(0, len(other))) :], dialect)


HOSTILE = {
    "parentheses": "SELECT " + "(" * 5000 + "1" + ")" * 5000,
    "subqueries": "SELECT a FROM (" * 300 + "SELECT a FROM t" + ")" * 300,
    "conditions": "SELECT a FROM t WHERE " + " AND ".join(f"c{n} = 1" for n in range(4000)),
    "sum": "SELECT " + " + ".join(f"c{n}" for n in range(4000)) + " AS x FROM t",
    "union": " UNION ALL ".join(f"SELECT a FROM t{n}" for n in range(800)),
    "functions": "SELECT " + "f(" * 500 + "a" + ")" * 500 + " FROM t",
    "cases": "SELECT " + "CASE WHEN a THEN " * 300 + "1" + " END" * 300 + " FROM t",
    "unclosed quotes": "SELECT '" + "a" * 5000,
    "unclosed comment": "SELECT 1 /*" * 500,
    "megabyte": "SELECT " + ", ".join(f"column_{n} AS alias_{n}" for n in range(36000)) + " FROM t",
    "fan of stars": "WITH c0 AS (SELECT a, b, c FROM t)"
    + "".join(f", c{n} AS (SELECT * FROM c{n - 1} x, c{n - 1} y)" for n in range(1, 40))
    + " SELECT * FROM c39",
    "procedures": "CREATE PROCEDURE p AS BEGIN " * 500,
    "deep WITH": "WITH a AS (" * 60 + "SELECT 1 AS x" + ") SELECT * FROM a" * 60,
    "surrogate": "SELECT \ud800 FROM t",
    "zero": "SELECT \x00 FROM t",
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("dialect", ["spark", "flink", "tsql"])
def test_hostile_statements_end(name, dialect):
    survives(HOSTILE[name], dialect)


def test_long_chains_of_ctes_are_followed():
    chain = "".join(f", c{n} AS (SELECT a FROM c{n - 1})" for n in range(1, 700))
    analysis = analyze(f"WITH c0 AS (SELECT a FROM t){chain} SELECT a FROM c699", dialect="postgres")
    assert not analysis.diagnostics
    assert [(edge.source_table, edge.source_column) for edge in analysis.statements[0].columns] == [("t", "a")]


def test_over_the_limit_is_said():
    analysis = analyze("SELECT 1", dialect="ansi", limits=Limits(script_characters=3))
    assert [diagnostic.code for diagnostic in analysis.diagnostics] == ["over-limit"]
    wide = analyze("SELECT a, b, c, d FROM t", dialect="ansi", limits=Limits(columns=3))
    assert [diagnostic.code for diagnostic in wide.diagnostics] == ["over-limit"]
    late = analyze("SELECT 1", dialect="ansi", limits=Limits(seconds=-1.0))
    assert [diagnostic.code for diagnostic in late.diagnostics] == ["over-limit"]


def test_unknown_dialect_and_schema_are_our_own_errors():
    with pytest.raises(SqlError):
        analyze("SELECT 1", dialect="klingon")
    with pytest.raises(SqlError):
        analyze("SELECT 1", dialect="spark", schema={"t": 3})
    with pytest.raises(SqlError):
        analyze("SELECT 1", dialect="spark", schema=["t"])
    with pytest.raises(SqlError):
        analyze(b"SELECT 1", dialect="spark")
    with pytest.raises(SqlError):
        analyze("SELECT 1", dialect=None)


def test_a_slow_parse_is_cut_short():
    slow = "SELECT " + ", ".join("a" + "[1]" * 380 for _ in range(40)) + " FROM t"
    started = time.process_time()
    analysis = analyze(slow, dialect="clickhouse", limits=Limits(seconds=0.5))
    assert time.process_time() - started < 5
    assert [diagnostic.code for diagnostic in analysis.diagnostics] == ["over-limit"]
