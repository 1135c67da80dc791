"""No literal and no comment leaves the machine."""

from __future__ import annotations

import pytest

from headwater.models.texts.redact import NotReadable, redact

SECRETS = "hush-1 hush-2 hush-3 4711"


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        (
            "postgres",
            "SELECT 'hush-1', $$hush-2$$, E'hush\\n-3', 4711 FROM t -- hush-1\n/* hush-2 /* hush-3 */ */ WHERE a = 4711.5",
        ),
        ("mysql", "SELECT \"hush-1\", 'it''s hush-2', x'4711' FROM `t` # hush-3\nWHERE a IN (4711, 0x4711)"),
        ("spark", "INSERT INTO t SELECT /* hush-1 */ 'hush-2', \"hush-3\", 4711L FROM u"),
        ("bigquery", "SELECT r'hush-1', b\"hush-2\", '''hush-3''', 4711 FROM t"),
        ("tsql", "SELECT N'hush-1', 'hush-2' /* hush-3 */ FROM [t] WHERE a = 4711"),
        ("snowflake", "COPY INTO t FROM 's3://hush-1/hush-2' CREDENTIALS = (AWS_KEY_ID='hush-3' B='4711')"),
        ("oracle", "SELECT q'[hush-1]', 'hush-2', DATE '4711-01-01' FROM dual -- hush-3"),
    ],
)
def test_literals_and_comments_go(dialect: str, sql: str) -> None:
    told = redact(sql, dialect)
    assert all(secret not in told for secret in SECRETS.split())
    assert "?" in told
    assert redact(told, dialect) == told


def test_numbers_that_another_dialect_writes_so() -> None:
    assert redact("SELECT 0x4711, 4_711, 4711BD, t4711.a FROM t4711", "hive") == "SELECT 0, 0, 0, t4711.a FROM t4711"
    assert redact("SELECT 4_711, 4711L FROM t", "postgres") == "SELECT 0, 0 FROM t"


def test_names_in_quotes_go_where_they_may_be_strings() -> None:
    assert redact('SELECT "a b" FROM t', "ansi") == 'SELECT "a b" FROM t'
    assert redact('SELECT "hush" FROM t', "ansi", is_sure=False) == 'SELECT "?" FROM t'


@pytest.mark.parametrize("sql", ["SELECT 'not closed", "SELECT a /* not closed", "x" * 200_001])
def test_what_cannot_be_read_is_not_sent(sql: str) -> None:
    with pytest.raises(NotReadable):
        redact(sql, "postgres")
