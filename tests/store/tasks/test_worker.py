"""A worker in this process, on a real store: notes to tasks, tasks to results."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence

import pytest
import sqlalchemy as sa

from headwater.errors import HeadwaterError
from headwater.store.access.tenants import DISABLED, Tenants
from headwater.store.engine import WRITING
from headwater.store.scope import EVERY_TENANT
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from headwater.store.tasks.records import NewTask, TaskNote, TaskState, Work
from headwater.store.tasks.tables import task_notes, tasks
from headwater.store.tasks.task_lists import TaskFilter, TaskLists
from headwater.store.write.log import Tenant
from headwater.tasks.handler import Handler, PauseModel, Planner
from headwater.tasks.meter import CollectingMeter
from headwater.tasks.options import WorkerOptions
from headwater.tasks.worker import Worker
from tests.conftest import entry_of, read_events
from tests.tasks.models import (
    MODEL,
    NodePlanner,
    NothingModel,
    ScriptedModel,
    enable_tasks,
    make_results,
    new_tasks,
    results_of,
    wait_until,
)

OPTIONS = WorkerOptions(threads=3, poll=0.05, lease=5.0, delays=(0.05,) * 5)
Start = Callable[..., Worker]


@pytest.fixture
def start(store: SqlStore) -> Iterator[Start]:
    make_results(store)
    started: list[Worker] = []

    def begin(handler: Handler, planner: Planner | None = None, options: WorkerOptions = OPTIONS, meter=None) -> Worker:
        started.append(Worker(store, planner or NodePlanner(), [handler], options, meter))
        started[-1].start()
        return started[-1]

    yield begin
    for worker in started:
        worker.stop()


@pytest.fixture
def lists(store: SqlStore) -> TaskLists:
    return TaskLists(*store.engines.values())


def notes_of(store: SqlStore) -> set[bytes]:
    with store.engine.connect() as connection:
        return {bytes(row[0]) for row in connection.execute(sa.select(task_notes.c.node))}


def write(store: SqlStore, name: str = "written/spark.ndjson") -> None:
    store.write([entry_of(body) for body in read_events(name)])
    store.projection.drain(DEFAULT_TENANT.id)


def test_without_a_model_nothing_is_noted(store: SqlStore) -> None:
    write(store)
    assert notes_of(store) == set()


def test_what_is_new_is_noted_once(store: SqlStore) -> None:
    enable_tasks(store)
    write(store)
    noted = notes_of(store)
    with store.engine.connect() as connection:
        nodes = {bytes(row[0]) for row in connection.execute(sa.text("SELECT node FROM asset_node"))}
    assert noted == nodes != set()
    with store.engine.connect().execution_options(**WRITING) as connection, connection.begin():
        connection.execute(task_notes.delete())
    again = [body.replace(b"2026", b"2027") for body in read_events("written/spark.ndjson")]
    store.write([entry_of(body) for body in again])
    store.projection.drain(DEFAULT_TENANT.id)
    assert notes_of(store) == set(), "runs that say nothing new make no work"


def test_from_an_event_to_a_result(store: SqlStore, start: Start, lists: TaskLists) -> None:
    enable_tasks(store)
    model = NothingModel()
    worker = start(model)
    store.projection.tell(worker.wake)
    write(store)
    wait_until(lambda: notes_of(store) == set() and not lists.counts(1)["PENDING"], "all is planned")
    wait_until(lambda: lists.counts(1)["RUNNING"] == 0, "all is done")
    found = lists.list(1, TaskFilter(), limit=1000)
    assert {row.status for row in found} == {"SUCCEEDED"}
    assert results_of(store) == sorted(row.id for row in found)
    wait_until(lambda: sorted(model.told) == results_of(store), "the handler is told")
    store.projection.drain(1)
    worker.wake()
    assert len(lists.list(1, TaskFilter(), limit=1000)) == len(found)


def test_a_worker_follows_the_assets_where_no_server_does(store: SqlStore, start: Start, lists: TaskLists) -> None:
    enable_tasks(store)
    store.write([entry_of(body) for body in read_events("written/spark.ndjson")])
    start(NothingModel(), options=WorkerOptions(threads=1, poll=0.05, follows_assets=True))
    wait_until(lambda: lists.counts(1)["SUCCEEDED"] > 0, "tasks are done")


def test_one_bad_task_fails_alone(store: SqlStore, start: Start, lists: TaskLists) -> None:
    new = new_tasks(32)
    bad = new[7].resource_id

    def script(batch: Sequence[Work]) -> None:
        if any(work.resource_id == bad for work in batch):
            raise HeadwaterError("It is bad.")

    worker = start(ScriptedModel(script))
    worker.push(DEFAULT_TENANT, worker.store.add(DEFAULT_TENANT, new))
    wait_until(lambda: lists.counts(1)["DEAD"] == 1, "it is dead")
    wait_until(lambda: lists.counts(1)["SUCCEEDED"] == 31, "the others are done")
    [dead] = lists.list(1, TaskFilter(states=(TaskState.DEAD,)), limit=9)
    assert dead.resource_id == bad
    assert dead.retry_count == 6
    assert all(row.retry_count == 1 for row in lists.list(1, TaskFilter(states=(TaskState.SUCCEEDED,)), limit=99))


def test_results_that_cannot_be_stored_fail(store: SqlStore, start: Start, lists: TaskLists) -> None:
    new = new_tasks(8)

    class Unwritable(NothingModel):
        def write(self, connection, tenant, fingerprint, outcomes):
            if any(outcome.result == new[3].resource_id for outcome in outcomes):
                raise ValueError("secret")
            return super().write(connection, tenant, fingerprint, outcomes)

    worker = start(Unwritable(8))
    worker.push(DEFAULT_TENANT, worker.store.add(DEFAULT_TENANT, new))
    wait_until(lambda: lists.counts(1)["DEAD"] == 1, "it is dead")
    wait_until(lambda: lists.counts(1)["SUCCEEDED"] == 7, "the others are done in the end")
    assert len(results_of(store)) == 7
    [dead] = lists.list(1, TaskFilter(states=(TaskState.DEAD,)), limit=9)
    assert dead.last_error.startswith("ValueError")
    assert "secret" not in dead.last_error


def test_a_pause_costs_no_attempt(store: SqlStore, start: Start, lists: TaskLists) -> None:
    calls: list[int] = []

    def script(batch: Sequence[Work]) -> None:
        calls.append(len(batch))
        if len(calls) == 1:
            raise PauseModel("Too many requests.", reason="rate_limited")

    meter = CollectingMeter()
    worker = start(ScriptedModel(script), meter=meter)
    worker.push(DEFAULT_TENANT, worker.store.add(DEFAULT_TENANT, new_tasks(5)))
    wait_until(lambda: bool(lists.paused(1)), "the model is paused")
    wait_until(lambda: lists.counts(1)["PENDING"] == 5, "the tasks wait")
    worker.wake()
    time.sleep(0.3)  # of which nothing must come
    assert calls == [5]
    assert {row.retry_count for row in lists.list(1, TaskFilter(), limit=9)} == {0}
    assert meter.take().pauses == {("rate_limited", "default"): 1}
    lists.resume(1)
    worker.wake()
    wait_until(lambda: lists.counts(1)["SUCCEEDED"] == 5, "the tasks are done")
    assert {row.retry_count for row in lists.list(1, TaskFilter(), limit=9)} == {1}


def test_a_note_that_nothing_can_be_made_of_does_not_stop_the_others(
    store: SqlStore, start: Start, lists: TaskLists
) -> None:
    class Picky(NodePlanner):
        def plan(self, tenant: Tenant, notes: Sequence[TaskNote]) -> list[NewTask]:
            if any(note.node == b"bad" for note in notes):
                raise ValueError
            return super().plan(tenant, notes)

    with store.engine.connect().execution_options(**WRITING) as connection, connection.begin():
        for number in range(20):
            node = b"bad" if number == 11 else hashlib.md5(str(number).encode()).digest()
            connection.execute(task_notes.insert(), {"tenant": 1, "kind": 1, "node": node})
    start(NothingModel(), Picky())
    wait_until(lambda: lists.counts(1)["SUCCEEDED"] == 19, "the others are done")
    assert notes_of(store) == set()


def test_tenants_that_are_disabled_wait(store: SqlStore, start: Start, lists: TaskLists) -> None:
    Tenants(store.engines["writer"]).set_state(EVERY_TENANT, "default", DISABLED)
    worker = start(NothingModel())
    worker.push(DEFAULT_TENANT, worker.store.add(DEFAULT_TENANT, new_tasks(3)))
    time.sleep(0.3)  # of which nothing must come
    assert lists.counts(1)["PENDING"] == 3


def test_a_lease_is_renewed_while_a_batch_runs(store: SqlStore, start: Start, lists: TaskLists) -> None:
    model = NothingModel(seconds=4.5)
    worker = start(model, options=WorkerOptions(threads=2, poll=0.05, lease=2.4))
    worker.push(DEFAULT_TENANT, worker.store.add(DEFAULT_TENANT, new_tasks(2)))
    wait_until(lambda: lists.counts(1)["SUCCEEDED"] == 2, "they are done")
    assert len(model.batches) == 1
    assert {row.retry_count for row in lists.list(1, TaskFilter(), limit=9)} == {1}


def test_a_batch_that_hangs_loses_its_lease(store: SqlStore, start: Start, lists: TaskLists) -> None:
    model = NothingModel()
    waits = iter([5.0])

    def script(_: Sequence[Work]) -> None:
        time.sleep(next(waits, 0.0))

    model = ScriptedModel(script)
    options = WorkerOptions(threads=2, poll=0.05, lease=1.5, longest_batch=0.1)
    worker = start(model, options=options)
    worker.push(DEFAULT_TENANT, worker.store.add(DEFAULT_TENANT, new_tasks(1)))
    wait_until(lambda: lists.counts(1)["SUCCEEDED"] == 1, "another thread has done it")
    wait_until(lambda: len(model.batches) == 2, "the one that hung goes on")
    worker.stop()
    assert len(results_of(store)) == 1
    with store.engine.connect() as connection:
        assert connection.execute(sa.select(tasks.c.retry_count)).scalar() == 2


def test_counts_what_happens(store: SqlStore, start: Start, lists: TaskLists) -> None:
    meter = CollectingMeter()
    worker = start(NothingModel(4), meter=meter)
    worker.push(DEFAULT_TENANT, worker.store.add(DEFAULT_TENANT, new_tasks(10)))
    wait_until(lambda: lists.counts(1)["SUCCEEDED"] == 10, "they are done")
    worker.stop()
    found = meter.take()
    assert {key: count for key, count in found.counts.items() if count} == {
        ("created", "EMBEDDING", "default"): 10,
        ("claimed", "EMBEDDING", "default"): 10,
        ("succeeded", "EMBEDDING", "default"): 10,
    }
    assert len(found.batches) >= 3
    assert (found.queued, found.busy) == (0, 0)
    assert MODEL not in str(found)
    assert meter.take().counts == {}
