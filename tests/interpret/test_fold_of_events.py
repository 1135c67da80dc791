"""The graph is a pure fold of the log: the recorded events of every producer, in any order, give the same graph."""

from __future__ import annotations

import random
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.bounded_cache import BoundedCache
from headwater.graph.facts import Run, RunStatus
from headwater.graph.fold import fold, fold_into
from headwater.interpret.interpret import interpret
from headwater.openlineage.decode import decode_event
from headwater.store.read.dump import dump_facts, dump_graph
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from tests.conftest import EVENTS, entry_of, read_events

FILES = sorted(f"{path.parent.name}/{path.name}" for path in EVENTS.glob("*/*.ndjson") if path.stem != "refused")
TENANT = 1


@cache
def facts_of(file: str) -> list:
    return [interpret(decode_event(body), TENANT).facts() for body in read_events(file)]


@pytest.mark.parametrize("file", FILES)
@settings(max_examples=15)
@given(chance=st.randoms(use_true_random=False), parts=st.integers(1, 5))
def test_shuffled_repeated_split(file: str, chance: random.Random, parts: int) -> None:
    said = facts_of(file)
    expected = fold(fact for facts in said for fact in facts)
    mixed = said + chance.sample(said, len(said) // 2)
    chance.shuffle(mixed)
    graph: dict = {}
    for part in range(parts):
        for table in fold(fact for facts in mixed[part::parts] for fact in facts).values():
            fold_into(graph, table.values())
    assert graph == expected


@pytest.mark.parametrize("seed", range(3))
def test_the_store_holds_the_fold(seed: int, store: SqlStore) -> None:
    """All events of all producers through one store, in batches, with memo and cache, against a plain fold."""
    bodies = [body for file in FILES for body in read_events(file)]
    chance = random.Random(seed)
    mixed = bodies + chance.sample(bodies, len(bodies) // 3)
    chance.shuffle(mixed)
    cache: BoundedCache = BoundedCache(1 << 20)
    while mixed:
        size = chance.randint(1, 60)
        batch, mixed = mixed[:size], mixed[size:]
        store.write([entry_of(body, cache) for body in batch])
    reader = Reader(store.engine)
    expected = fold(fact for file in FILES for facts in facts_of(file) for fact in facts)
    assert list(dump_facts(lambda fact: reader.all_facts(TENANT, fact))) == list(dump_graph(expected))
    assert len(list(reader.log(TENANT))) == len(set(bodies))


RUN = "0190c0de-0000-7000-8000-000000000001"


def event(event_type: str, second: int, **parts) -> bytes:
    import json

    body = {"eventTime": f"2026-01-01T00:00:{second:02d}Z", "eventType": event_type, "run": {"runId": RUN}}
    return json.dumps({**body, "job": {"namespace": "n", "name": "j"}, **parts}).encode()


def run_after(*bodies: bytes) -> Run:
    graph = fold(fact for body in bodies for fact in interpret(decode_event(body), TENANT).facts())
    (run,) = graph[Run].values()
    assert isinstance(run, Run)
    return run


def test_a_late_start_does_not_revive_a_run() -> None:
    run = run_after(event("COMPLETE", 9), event("START", 1))
    assert run.status == RunStatus.SUCCEEDED
    assert run.ended_at - run.started_at == 8_000_000


def test_a_complete_without_start_ends_a_run() -> None:
    run = run_after(event("COMPLETE", 9))
    assert run.status == RunStatus.SUCCEEDED
    assert run.started_at is None


@pytest.mark.parametrize("order", [0, 1])
def test_fail_then_complete_is_a_failure(order: int) -> None:
    """Spark's agent sends both, whenever a job fails."""
    both = [
        event(
            "FAIL",
            8,
        ),
        event("COMPLETE", 9),
    ]
    assert run_after(*(both if order else reversed(both))).status == RunStatus.FAILED


def test_running_and_other_events_do_not_move_the_start() -> None:
    run = run_after(event("OTHER", 0), event("START", 3), event("RUNNING", 5), event("START", 4))
    assert run.status == RunStatus.STARTED
    assert run.started_at % 60_000_000 == 3_000_000
