"""Words of names and texts, and what somebody who types looks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.graph.search.words import LONGEST_WORD, terms_of, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("shop.public.orders", ("shop", "public", "orders")),
        ("s3://lake/sales-daily_v2", ("s3", "lake", "sales", "daily", "v2")),
        ("customerOrderId", ("customerorderid", "customer", "order", "id")),
        ("HTTPServerLog", ("httpserverlog", "http", "server", "log")),
        ("Größe STRASSE straße", ("grösse", "strasse")),
        ("продажи_2024", ("продажи", "2024")),
        ("订单明细表", ("订单", "单明", "明细", "细表")),
        ("ﬁle", ("file",)),
        ("--- ..", ()),
    ],
)
def test_words(text: str, words: tuple[str, ...]) -> None:
    assert words_of(text) == words


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("orders", ["orders"]),
        ("order_lines", ["order", "lines"]),
        ("orderLines", ["order", "lines"]),
        ("orders daily orders", ["daily", "orders"]),
        ("订单", ["订单"]),
    ],
)
def test_terms(text: str, terms: list[str]) -> None:
    assert terms_of(text) == terms


@given(st.text())
def test_whatever_is_typed_in_full_is_among_the_words(text: str) -> None:
    words = words_of(text)
    assert set(terms_of(text)) <= set(words)
    assert all(0 < len(word) <= LONGEST_WORD for word in words)
