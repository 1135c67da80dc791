"""When two statements are the same, and what a statement does to its target."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.graph.facts import OutputType
from headwater.interpret.facets.statement import normalise_sql, output_type_of

WORDS = st.lists(st.sampled_from(["SELECT", "a", ",", "b", "FROM", "t", "(1)", ";"]), max_size=9)
BLANKS = st.sampled_from([" ", "\n", "\t ", "\u00a0", " -- why\n", "/* a\n'b */", "\n# c\n", " /**/ "])


@given(WORDS, st.data())
def test_blanks_and_comments_do_not_matter(words: list[str], data: st.DataObject) -> None:
    """Text without any comment or literal takes another way than text with some."""
    sent = "".join(word + data.draw(BLANKS) for word in words)
    assert normalise_sql(sent) == normalise_sql(" ".join(words))


@pytest.mark.parametrize(
    ("sent", "normal"),
    [
        ("SELECT 'a  -- b'  ,  c", "SELECT 'a  -- b' , c"),
        ('SELECT "x  y"/* no */FROM t;', 'SELECT "x  y" FROM t'),
        ("SELECT /*+ HINT  */ a", "SELECT /*+ HINT */ a"),
        ("SELECT $q$a  'b'$q$  -  1", "SELECT $q$a  'b'$q$ - 1"),
        ("SELECT 'it''s  ok'", "SELECT 'it''s  ok'"),
        ("SELECT a -  b#c", "SELECT a - b#c"),
        ("SELECT 'open  ", "SELECT 'open"),
    ],
)
def test_literals_and_hints_stay(sent: str, normal: str) -> None:
    assert normalise_sql(sent) == normal


@pytest.mark.parametrize(
    ("sent", "found"),
    [
        ("insert into t select 1", OutputType.APPEND),
        ("INSERT OVERWRITE TABLE t SELECT 1", OutputType.OVERWRITE),
        ("INSERT /* x */ OVERWRITE t SELECT 1", OutputType.OVERWRITE),
        ("WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a", OutputType.APPEND),
        ("-- drop\nINSERT INTO t SELECT 1", OutputType.APPEND),
        ("INSERTED INTO t", None),
        ("SELECT 1 FOR UPDATE", None),
        ("drop table t", OutputType.DROP),
    ],
)
def test_what_a_statement_does(sent: str, found: OutputType | None) -> None:
    assert output_type_of(sent) == found
