"""Rows as text in statements of bounded length, and what databases make of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import sqlalchemy as sa

from headwater.graph.facts import Evidence, Namespace, SchemaVersion
from headwater.graph.fold import fold
from headwater.store.dialects.failures import is_outage
from headwater.store.dialects.mysql_literals import statements_of
from headwater.store.engine import WRITING
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from headwater.store.write.upsert import upsert_statement
from tests.store.conftest import KINDS


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, shared_store: Callable[[str], SqlStore]) -> SqlStore:
    return shared_store(request.param)


def test_long_rows_are_shared_out() -> None:
    rows = [(number, b"\xab" * 300_000, "é" * 100_000) for number in range(3)]
    made = list(statements_of("INSERT ", rows, " END", lambda text: f"'{text}'"))
    assert [text.count("(") for text in made] == [1, 1, 1]
    assert all(text.startswith("INSERT (") and text.endswith(") END") for text in made)
    small = [(number, None) for number in range(1000)]
    assert len(list(statements_of("INSERT ", small, "", repr))) == 1
    assert list(statements_of("INSERT ", [], "", repr)) == []


def test_text_stays_as_it_is(store: SqlStore, reader: Reader) -> None:
    texts = [
        "100 %",
        "%s %(x)s %%",
        "it's",
        '"',
        "a\\",
        "\\'; --",
        "line\r\nline\x1a",
        "?",
        ":x",
        "X'00'",
        "é\U0001f600",
    ]
    facts = [Namespace(9001, bytes([place] * 16), text=text) for place, text in enumerate(texts)]
    store.merge(fold(facts))
    assert [fact.text for fact in reader.all_facts(9001, Namespace)] == texts


def test_more_than_a_statement_takes(store: SqlStore, reader: Reader) -> None:
    facts = [SchemaVersion(9002, bytes([place] * 16), fields=bytes([place]) * 400_000) for place in range(5)]
    store.merge(fold(facts))
    assert list(reader.all_facts(9002, SchemaVersion)) == facts


def test_errors_are_those_of_sqlalchemy(store: SqlStore) -> None:
    """By which it is told whether the database is away; and they do not repeat what was to be written."""
    statement = upsert_statement(Evidence, store.engine.dialect)
    statement = statement._replace(sql=statement.sql.replace("evidence", "no_such_table"))
    writing = store.engines["writer"]
    with pytest.raises(sa.exc.DBAPIError) as caught, writing.connect().execution_options(**WRITING) as connection:
        statement.run(connection, [(9003, b"s" * 16, 77777, b"\x01" * 24)])
    assert "77777" not in str(caught.value.statement)
    assert is_outage(caught.value) == (store.engine.dialect.name == "sqlite")
    store.probe()
