"""The generated upserts merge exactly as Python does: every fact, every rule, every database."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headwater.graph.fact import Fact
from headwater.graph.facts import FACTS, Namespace, Run, RunDataset
from headwater.graph.fold import fold
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from tests.graph.strategies import facts_of
from tests.store.conftest import KINDS

tenants = count(100)


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, shared_store: Callable[[str], SqlStore]) -> SqlStore:
    return shared_store(request.param)


def _within(fact: Fact, tenant: int) -> Fact:
    return type(fact)(tenant, *fact.values()[1:])


def _merge(store: SqlStore, reader: Reader, batches: list[list[Fact]], kind: type[Fact]) -> list[Fact]:
    for batch in batches:
        store.merge(fold(batch))
    return list(reader.all_facts(batches[0][0].tenant, kind)) if batches else []


@pytest.mark.parametrize("kind", FACTS, ids=lambda fact: fact.table)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), chance=st.randoms(use_true_random=False))
def test_as_in_python(kind: type[Fact], store: SqlStore, reader: Reader, data, chance: random.Random) -> None:
    tenant = next(tenants)
    facts = [_within(fact, tenant) for fact in data.draw(st.lists(facts_of(kind), min_size=1, max_size=10))]
    expected = fold(facts)[kind]
    mixed = facts + chance.sample(facts, len(facts) // 2)
    chance.shuffle(mixed)
    parts = chance.randint(1, 4)
    batches = [mixed[part::parts] for part in range(parts) if mixed[part::parts]]
    assert _merge(store, reader, batches, kind) == [expected[key] for key in sorted(expected)]


STAMPS = [bytes([value]) * 24 for value in (0, 1, 127, 128, 255)]


@pytest.mark.parametrize("order", [1, -1], ids=["as said", "backwards"])
def test_texts_by_code_point(store: SqlStore, reader: Reader, order: int) -> None:
    """No database may overlook case, blanks at the end, accents, or length."""
    texts = [
        "",
        " ",
        "a",
        "a ",
        "a  ",
        "A",
        "á",
        "\N{FULLWIDTH LATIN SMALL LETTER A}",
        "ß",
        "ss",
        "\U0001f600",
        "￿",
        "a\tb",
        "it's %s",
        '"\\{}',
        "z" * 70_000,
    ]
    tenant = next(tenants)
    for number, text in enumerate(texts):
        rest = texts[:number] if number else [""]
        for other in rest:
            said = [Namespace(tenant, b"n" * 16, text=one) for one in (text, other)][::order]
            for fact in said:
                store.merge(fold([fact]))
            [stored] = reader.all_facts(tenant, Namespace)
            assert stored.text == max(texts[: number + 1])


def test_latest_decides_by_stamp_then_value(store: SqlStore, reader: Reader) -> None:
    pairs = [(stamp, value) for stamp in STAMPS for value in ("b", "B", "b ", "")]
    random.Random(5).shuffle(pairs)
    known, tenant = None, next(tenants)
    for pair in pairs:
        store.merge(fold([Run(tenant, b"r" * 16, end_reason=pair)]))
        known = pair if known is None else max(known, pair)
        [stored] = reader.all_facts(tenant, Run)
        assert stored.end_reason == known


def test_extremes(store: SqlStore, reader: Reader) -> None:
    least, most, tenant = -(2**63), 2**63 - 1, next(tenants)
    fact = RunDataset(tenant, b"\x00" * 16, b"\xff" * 16, 1, rows=least, bytes=most, files=0)
    store.merge(fold([fact]))
    store.merge(fold([RunDataset(tenant, b"\x00" * 16, b"\xff" * 16, 1, rows=None, bytes=least)]))
    assert list(reader.all_facts(tenant, RunDataset)) == [fact]


def test_many_at_once(store: SqlStore, reader: Reader) -> None:
    """More rows than one statement takes."""
    tenant = next(tenants)
    runs = [
        Run(tenant, number.to_bytes(16, "big"), status=1, first_seen=-number, name=f"run {number}")
        for number in range(2500)
    ]
    store.merge(fold(runs))
    store.merge(fold(runs[::-1]))
    assert list(reader.all_facts(tenant, Run)) == runs
