"""Columns that a query gives no name are called as the engine calls them."""

import json
import sqlite3
from pathlib import Path

import pytest

from headwater.sql import analyze

NAMES = json.loads((Path(__file__).parent / "generated_names.json").read_text())
"""By dialect and expression, what PostgreSQL 15, MariaDB 10, SQLite, DuckDB 2 and Spark 4 themselves called the column."""
COLUMNS = {"a": "INT", "b": "INT", "s": "VARCHAR(20)", "d": "DATE"}


def named(expressions: str, dialect: str) -> list[str]:
    """The columns of `SELECT expressions FROM t` that come from anything, each once."""
    analysis = analyze(f"SELECT {expressions} FROM t", dialect=dialect, schema={"t": COLUMNS})
    return list(dict.fromkeys(edge.target_column for edge in analysis.statements[0].columns if edge.target_column))


@pytest.mark.parametrize("dialect", NAMES)
def test_as_the_engine_said(dialect):
    assert {expression: named(expression, dialect) for expression in NAMES[dialect]} == {
        expression: [name] for expression, name in NAMES[dialect].items()
    }


def test_sqlite_itself_agrees():
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE t (a, b, s, d)")
        for expression in ("sum( a )", "a  +  b", "upper(lower(s))", "CASE WHEN a > 1 THEN b END", "(a)", "count(a)"):
            cursor = connection.execute(f"SELECT {expression} FROM t")
            assert named(expression, "sqlite") == [cursor.description[0][0]]


@pytest.mark.parametrize(
    ("dialect", "names"),
    [
        ("ansi", ["_c0", "b", "_c2", "up"]),
        ("hive", ["_c0", "b", "_c2", "up"]),
        ("impala", ["_c0", "b", "_c2", "up"]),
        ("flink", ["EXPR$0", "b", "EXPR$2", "up"]),
        ("drill", ["EXPR$0", "b", "EXPR$2", "up"]),
        ("trino", ["_col0", "b", "_col2", "up"]),
        ("presto", ["_col0", "b", "_col2", "up"]),
        ("athena", ["_col0", "b", "_col2", "up"]),
        ("bigquery", ["f0_", "b", "f1_", "up"]),
        ("snowflake", ["SUM( A )", "B", "B + 1", "UP"]),
        ("oracle", ["SUM(A)", "B", "B+1", "UP"]),
        ("mysql", ["sum( a )", "b", "b + 1", "up"]),
        ("starrocks", ["sum( a )", "b", "b + 1", "up"]),
        ("redshift", ["sum", "b", "?column?", "up"]),
        ("greenplum", ["sum", "b", "?column?", "up"]),
        ("databricks", ["sum(a)", "b", "(b + 1)", "up"]),
        ("clickhouse", ["sum(a)", "b", "plus(b, 1)", "up"]),
        ("db2", ["1", "b", "3", "up"]),
    ],
)
def test_every_kind_of_dialect(dialect, names):
    found = named("sum( a ), b, b + 1, upper(s) AS up", dialect)
    assert [name.replace('"', "") for name in found] == names


def test_a_star_counts_as_its_columns_where_the_engine_counts_columns():
    assert named("*, a + 1", "trino")[-1] == "_col4"
    assert named("*, a + 1", "flink")[-1] == "EXPR$4"
    assert named("*, a + 1", "hive")[-1] == "_c1"
    assert named("a, 1, a + 1, upper(s)", "bigquery") == ["a", "f1_", "f2_"]


def test_a_query_in_the_place_of_a_value():
    assert named("(SELECT max(x) FROM u)", "postgres") == ["max"]
    assert named("(SELECT max(x) FROM u)", "mysql") == ["(SELECT max(x) FROM u)"]
    assert named("(SELECT max(x) AS best FROM u)", "postgres") == ["best"]


def test_casts():
    casts = {"postgres": "a", "spark": "a", "mysql": "CAST(a AS INT)", "hive": "_c0", "bigquery": "f0_"}
    assert {dialect: named("CAST(a AS INT)", dialect) for dialect in casts} == {
        dialect: [name] for dialect, name in casts.items()
    }


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("trim(both 'x' FROM s)", "btrim"),
        ("substring(s FROM 1 FOR 2)", "substring"),
        ("string_agg(s, ',' ORDER BY d)", "string_agg"),
        ("string_agg(s, ',' ORDER BY d) || 'x'", "?column?"),
        ("sum(a) + 1", "?column?"),
        ("NOT a = 1", "?column?"),
        ("my.schema.f(a)", "f"),
    ],
)
def test_calls_with_words_among_their_arguments(expression, name):
    assert named(expression, "postgres") == [name]


def test_a_name_made_up_can_be_asked_for_by_the_query_around():
    sql = "INSERT INTO o SELECT `sum(a)` FROM (SELECT sum(a) FROM t) x"
    (edge,) = analyze(sql, dialect="spark").statements[0].columns
    assert (edge.source_table, edge.source_column, edge.target_column, edge.subtype) == (
        "t",
        "a",
        "sum(a)",
        "AGGREGATION",
    )


def test_what_is_too_long_or_too_deep_to_be_read_is_named_all_the_same():
    deep = "a" + " + a" * 3_000
    assert len(named(deep, "spark")) == len(named(deep, "postgres")) == 1
    assert named("(" * 30 + "a + 1" + ")" * 30, "spark") == ["(a + 1)"]
