"""Personal data in JSON text."""

from __future__ import annotations

import json
import time

import pytest

from headwater.openlineage.policy.own_pattern import OwnPattern
from headwater.openlineage.policy.personal_data import BUILT_IN
from headwater.openlineage.policy.redact import Redactor

ALL = Redactor(BUILT_IN, {})


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("mail ann.b+c@ex-ample.co.uk!", "mail [redacted:email]!"),
        ("user%40example.com", "[redacted:email]"),
        ("wasbs://ann@example.com/x", "wasbs://[redacted:email]/x"),
        ("ann@blob.core.windows.net.example.com", "[redacted:email]"),
        ("<a@b.example>, c@d.example", "<[redacted:email]>, [redacted:email]"),
        ("DE89 3704 0044 0532 0130 00 please", "[redacted:iban] please"),
        ("gb82west12345698765432", "[redacted:iban]"),
        ("card 4111 1111 1111 1111.", "card [redacted:card]."),
        ("378282246310005", "[redacted:card]"),
        ("+49 (30) 1234-567", "[redacted:phone]"),
        ("0049 30 1234567", "[redacted:phone]"),
        ("030/1234567", "[redacted:phone]"),
        ("(555) 123-4567", "[redacted:phone]"),
    ],
)
def test_found(text: str, clean: str) -> None:
    assert json.loads(ALL.redact(json.dumps(text).encode()).raw) == clean


@pytest.mark.parametrize(
    "text",
    [
        "x@y",
        "DE89370400440532013001",  # a wrong check digit
        "4111111111111112",
        "1716200000000000",  # a time in microseconds
        "2025-01-01T00:00:00.000Z",
        "01.02.2025",
        "10.0.0.1:8080",
        "application_1716200000000_0001",
        "https://github.com/OpenLineage/OpenLineage/tree/1.26.0/integration/spark",
        "0f0e0d0c-1234-5678-9abc-1234567890ab",
        "[redacted:email]",
        "abfss://landing@account1.dfs.core.windows.net/orders",
        "wasbs://c@a.blob.core.windows.net and git@github.com:org/repo.git",
    ],
)
def test_not_found(text: str) -> None:
    raw = json.dumps(text).encode()
    assert ALL.redact(raw) == (raw, {})


def test_every_text_and_number_whatever_its_place_or_spelling() -> None:
    raw = rb'{"a@b.example": [4111111111111111, 1.50, 1e3], "x":  "j\u0040k.example", "x": "twice@k.example"}'
    found = ALL.redact(raw)
    assert found.raw == (
        rb'{"[redacted:email]": ["[redacted:card]", 1.50, 1e3], "x":  "[redacted:email]", "x": "[redacted:email]"}'
    )
    assert found.found == {"email": 3, "card": 1}


def test_patterns_of_ones_own() -> None:
    own = Redactor(["customer"], {"customer": OwnPattern(r"KD-\d{3}")})
    assert own.redact(b'["KD-123 and a@b.example", "KD-12"]').raw == b'["[redacted:customer] and a@b.example", "KD-12"]'


@pytest.mark.parametrize("text", ["a" * 200_000 + "@", "a@" * 100_000, "1 " * 100_000, "+1" * 80_000, "DE89" * 60_000])
def test_hostile_texts_take_time_like_others(text: str) -> None:
    began = time.process_time()
    ALL.redact(json.dumps(text).encode())
    assert time.process_time() - began < 5
