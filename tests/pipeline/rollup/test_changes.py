"""Kept up to date batch by batch, the derived tables are what they would be worked out at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

import pytest

from headwater.graph.derived import DERIVED, Derived
from headwater.graph.rollup.rollup import roll_up
from headwater.pipeline.rollup.changed_keys import changed_keys_of
from headwater.pipeline.rollup.changes import refresh
from headwater.store.read.reader import Reader
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from headwater.store.write.derived import DerivedStore
from tests.conftest import EVENTS, entry_of, read_events
from tests.pipeline.made_events import made_events

TENANT = DEFAULT_TENANT.id
RECORDED = sorted(path.relative_to(EVENTS).as_posix() for path in EVENTS.glob("*/*.ndjson") if path.stem != "refused")


def check(url: str, bodies: list[bytes], sizes: Iterable[int]) -> None:
    """Batches of these sizes, again and again; the tables are compared after each."""
    store = SqlStore(url)
    store.open()
    derived, reader, sizes = DerivedStore(url), Reader(store.engine), iter(sizes)
    while bodies:
        size = next(sizes)
        batch, bodies = [entry_of(body) for body in bodies[:size]], bodies[size:]
        store.write(batch)
        touched = changed_keys_of(fact for entry in batch for fact in entry.interpretation.facts())
        refresh(reader, derived, TENANT, touched[TENANT].runs)
        compare(reader, derived)
    derived.close()
    store.close()


def compare(reader: Reader, derived: DerivedStore) -> None:
    expected = roll_up(TENANT, lambda kind: reader.all_facts(TENANT, kind))
    for kind in DERIVED:
        assert ordered(derived.rows(TENANT, kind)) == ordered(expected[kind]), kind


def ordered(rows: Iterable[Derived]) -> list[str]:
    return sorted(repr([int(value) if isinstance(value, int) else value for value in values(row)]) for row in rows)


def values(row: Derived) -> list:
    return [getattr(row, name) for name in row.__struct_fields__]


@pytest.mark.parametrize("seed", range(5))
def test_made_events(seed: int, tmp_path) -> None:
    random = Random(seed)
    bodies = made_events(random, 40)
    check(f"sqlite:///{tmp_path / 'headwater.db'}", bodies, iter(lambda: random.randint(1, 6), 0))


def test_recorded_events(tmp_path) -> None:
    random = Random(1)
    bodies = [body for name in RECORDED for body in read_events(name)]
    random.shuffle(bodies)
    check(f"sqlite:///{tmp_path / 'headwater.db'}", bodies + bodies[:40], iter(lambda: 60, 0))


def test_every_store(database: Callable[[], str]) -> None:
    random = Random(99)
    check(database(), made_events(random, 60), iter(lambda: random.randint(1, 20), 0))


def test_one_event_at_a_time(tmp_path) -> None:
    check(f"sqlite:///{tmp_path / 'headwater.db'}", made_events(Random(1000), 40), iter(lambda: 1, 0))
