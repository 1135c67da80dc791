"""The quick tokenizer gives exactly what sqlglot's own gives."""

import re

import pytest
from case_files import cases
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.sql import DIALECTS
from headwater.sql.dialects.profiles import profile_of
from headwater.sql.parse.fast_tokenizer import tokenizer_class

TEXTS = [case.sql for case in cases()]
PIECES = sorted({piece for text in TEXTS for piece in re.findall(r"\s+|\w+|[^\w\s]", text)})


def tokens(kind, dialect, sql):
    try:
        found = kind(dialect=dialect).tokenize(sql)
    except Exception as error:  # noqa: BLE001 - what one refuses the other must refuse
        return type(error)
    return [(t.token_type, t.text, t.line, t.col, t.start, t.end, t.comments) for t in found]


def assert_same(name, sql):
    dialect = profile_of(name).dialect
    own = dialect.tokenizer_class
    plain = type("Plain", (own,), {"COMMANDS": set()})
    assert tokens(tokenizer_class(own), dialect, sql) == tokens(plain, dialect, sql)


@pytest.mark.parametrize("name", DIALECTS)
def test_case_files(name):
    for sql in TEXTS[::7]:
        assert_same(name, sql)


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join), st.sampled_from(DIALECTS))
def test_any_mixture(sql, name):
    assert_same(name, sql)
