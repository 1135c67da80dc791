"""Pairs of shapes are `run_shape` joined with itself, whoever writes in whatever order, on every database."""

from __future__ import annotations

import random
import threading
from collections import defaultdict
from collections.abc import Callable

from headwater.graph.current.shape_pairs import ShapeOfRun, paired
from headwater.graph.facts import RunShape, ShapePair
from headwater.graph.fold import fold
from headwater.store.cache.invalidation import changes_after
from headwater.store.read.lookup import Lookup
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from tests.conftest import entry_of
from tests.lineage.flows.test_into_datasets import ran


def joined(reader: Reader) -> dict:
    """What the definition says."""
    runs: dict[bytes, list[ShapeOfRun]] = defaultdict(list)
    for link in reader.all_facts(1, RunShape):
        if link.sides:
            runs[link.run].append(ShapeOfRun(link.shape, link.first_seen, link.last_seen, int(link.sides)))
    return fold(pair for run, said in runs.items() for pair in paired(1, run, said)).get(ShapePair, {})


def stored(reader: Reader) -> dict:
    return {fact.key(): fact for fact in reader.all_facts(1, ShapePair)}


def bodies(runs: int) -> list[bytes]:
    """Runs that say their inputs, their outputs, both, or nothing, several times over."""
    found = []
    for run in range(1, runs + 1):
        names = f"in{run % 5}", f"out{run % 3}"
        found += [
            ran("j", [names[0]], [], run % 50, run=run, state="START"),
            ran("j", [], [names[1]], run % 50 + 2, run=run, state="RUNNING"),
            ran("j", ["config"], [names[1]], run % 50 + 4, run=run, state="RUNNING"),
            ran("j", [], [], run % 50 + 5, run=run, state="FAIL" if run % 7 == 0 else "COMPLETE"),
            ran("j", [], [names[1]], run % 50 + 9, run=run, state="RUNNING"),
        ]
    return found


def test_any_order_and_any_batches(store: SqlStore) -> None:
    for seed in range(4):
        said = bodies(9)
        random.Random(seed).shuffle(said)
        while said:
            some = random.Random(len(said)).randint(1, 6)
            store.write([entry_of(body) for body in said[:some]])
            said = said[some:]
        reader = Reader(store.engine)
        assert stored(reader) == joined(reader)
        assert len(stored(reader)) > 20


def test_two_writers_of_the_same_runs(database: Callable[[], str]) -> None:
    """One says what runs read, the other what they write, at the same time: none of them misses the other."""
    url = database()
    stores = [SqlStore(url), SqlStore(url)]
    stores[0].open()
    rounds = 40
    said = [
        [ran("j", [f"in{run}"], [], 1, run=run, state="START") for run in range(1, rounds)],
        [ran("j", [], [f"out{run}"], 2, run=run) for run in range(1, rounds)],
    ]
    together = threading.Barrier(2)
    failed: list[Exception] = []

    def write(number: int) -> None:
        try:
            for body in said[number]:
                together.wait(60)
                stores[number].write([entry_of(body)])
        except Exception as error:  # noqa: BLE001 - told by the test
            failed.append(error)
            together.abort()

    writers = [threading.Thread(target=write, args=(number,)) for number in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert failed == []
    reader = Reader(stores[0].engine)
    assert len(stored(reader)) == rounds - 1
    assert stored(reader) == joined(reader)
    for store in stores:
        store.close()


def test_what_is_noted_for_caches(store: SqlStore) -> None:
    """A pair that is new, and a run that failed; not the next run that says the same."""

    def notes() -> int:
        return changes_after(Lookup(store.engine), None)[0]

    store.write([entry_of(ran("j", ["a"], [], 1, run=1, state="START"))])
    before = notes()
    store.write([entry_of(ran("j", [], ["x"], 2, run=1))])
    assert notes() == before + 2, "a new shape, and a new pair"
    before = notes()
    store.write([entry_of(ran("j", ["a"], [], 3, run=2, state="START")), entry_of(ran("j", [], ["x"], 4, run=2))])
    assert notes() == before
    store.write([entry_of(ran("j", [], ["x"], 5, run=2, state="FAIL"))])
    assert notes() == before + 1
    other = SqlStore(store.engine.url.render_as_string(hide_password=False))
    other.write([entry_of(ran("j", ["a"], [], 6, run=3, state="START")), entry_of(ran("j", [], ["x"], 7, run=3))])
    assert notes() <= before + 2, "who has just started looks whether a pair is there"
    other.close()
