"""Claims, leases and write-backs of tasks, on every store."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest
import sqlalchemy as sa

from headwater.store.engine import WRITING
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from headwater.store.tasks.models import MODEL_GONE, ModelKey
from headwater.store.tasks.records import NewTask, TaskOutcome, TaskState
from headwater.store.tasks.recovery import LEASE_EXPIRED, Recovery
from headwater.store.tasks.tables import task_attempts, task_batches, tasks
from headwater.store.tasks.task_lists import TaskFilter, TaskLists
from headwater.store.tasks.task_store import Claim, TaskStore
from headwater.store.write.log import Tenant
from headwater.tasks.schedule import DELAYS, together
from tests.tasks.models import MODEL, RESULTS, make_results, new_tasks, results_of

KEY = ModelKey(DEFAULT_TENANT.id, "EMBEDDING", MODEL)
HOUR = 3600.0


@pytest.fixture
def task_store(store: SqlStore) -> TaskStore:
    return TaskStore(store.engine, store.engines["writer"], DELAYS)


@pytest.fixture
def lists(store: SqlStore) -> TaskLists:
    return TaskLists(store.engine, store.engines["writer"])


@pytest.fixture
def recovery(store: SqlStore) -> Recovery:
    return Recovery(store.engine, store.engines["writer"])


def take(store: TaskStore, size: int = 64, numbers: Sequence[int] | None = None, tenant=DEFAULT_TENANT) -> Claim | None:
    key = KEY._replace(tenant=tenant.id)
    return store.claim(tenant, key, worker="w", lease=HOUR, size=size, choose=together, numbers=numbers)


def finish(store: TaskStore, claim: Claim, *, failed: Sequence[int] = (), released: Sequence[int] = ()):
    outcomes = [
        TaskOutcome(work.task, ok=work.task not in failed, error_type="bad", error="no", result=work.resource_id)
        for work in claim.work
        if work.task not in released
    ]

    def write(connection: sa.Connection, good: Sequence[TaskOutcome]) -> list[NewTask]:
        rows = [{"tenant": claim.tenant.id, "task": item.task, "resource": item.result} for item in good]
        connection.execute(RESULTS.insert(), rows)
        return []

    return store.settle(claim, outcomes, released, write, 12)


def set_due(store: SqlStore, seconds: float = 0.0) -> None:
    """As if the time had come that all tasks wait for."""
    with store.engine.connect().execution_options(**WRITING) as connection, connection.begin():
        connection.execute(tasks.update().values(next_run_at=int(seconds)))


def rows(store: SqlStore, table: sa.Table) -> list[sa.Row]:
    with store.engine.connect() as connection:
        return list(connection.execute(sa.select(table).order_by(table.c.id)))


def test_created_once_in_whatever_state(store: SqlStore, task_store: TaskStore, lists: TaskLists) -> None:
    make_results(store)
    new = new_tasks(6)
    assert len(task_store.add(DEFAULT_TENANT, new)) == 6
    for state in TaskState:
        with store.engine.connect().execution_options(**WRITING) as connection, connection.begin():
            connection.execute(tasks.update().values(status=state.value))
        before = rows(store, tasks)
        assert task_store.add(DEFAULT_TENANT, [*new, *new]) == []
        assert rows(store, tasks) == before
    for other in (
        new_tasks(6, model="another"),
        new_tasks(6, task_type="SQL_SUMMARY"),
        [NewTask("EMBEDDING", "Column", item.resource_id, item.content_hash, MODEL) for item in new],
        [NewTask("EMBEDDING", "Table", item.resource_id, "0" * 64, MODEL) for item in new],
    ):
        assert len(task_store.add(DEFAULT_TENANT, other)) == 6


def test_a_claim_is_a_lease(store: SqlStore, task_store: TaskStore, lists: TaskLists) -> None:
    make_results(store)
    task_store.add(DEFAULT_TENANT, new_tasks(10))
    first, second = take(task_store, 6), take(task_store, 6)
    assert first is not None
    assert second is not None
    assert take(task_store) is None
    assert [len(first.work), len(second.work)] == [6, 4]
    assert not {work.task for work in first.work} & {work.task for work in second.work}
    assert {work.attempt for work in first.work} == {1}
    assert lists.counts(1)["RUNNING"] == 10
    settled = finish(task_store, first)
    assert len(settled.succeeded) == 6
    assert settled.lost == 0
    assert results_of(store) == sorted(work.task for work in first.work)
    found = lists.list(1, TaskFilter(states=(TaskState.SUCCEEDED,)), limit=100)
    assert [(row.retry_count, row.claim_until, row.last_error) for row in found] == [(1, None, None)] * 6
    assert [(row.status, row.latency_ms) for row in rows(store, task_attempts)][:6] == [("SUCCEEDED", 12)] * 6
    batches = lists.batches(1, limit=10)
    assert [(row.status, row.planned_size, row.success_count) for row in batches] == [
        ("RUNNING", 4, 0),
        ("SUCCEEDED", 6, 6),
    ]


def test_of_these_numbers_only(task_store: TaskStore) -> None:
    added = [item.task for item in task_store.add(DEFAULT_TENANT, new_tasks(10))]
    claim = take(task_store, 64, added[3:5])
    assert claim is not None
    assert sorted(work.task for work in claim.work) == sorted(added[3:5])
    assert take(task_store, 64, added[3:5]) is None


def test_six_attempts_each_delay_once(store: SqlStore, task_store: TaskStore, lists: TaskLists, recovery) -> None:
    make_results(store)
    [added] = task_store.add(DEFAULT_TENANT, new_tasks(1))
    waited = []
    for attempt in range(1, 7):
        claim = take(task_store)
        assert claim is not None
        assert claim.work[0].attempt == attempt
        settled = finish(task_store, claim, failed=[added.task])
        assert (settled.failed, settled.dead) == ((1, 0) if attempt < 6 else (0, 1))
        row = lists.get(1, added.task)
        assert row is not None
        assert row.last_error == "bad: no"
        waited.append(round((row.next_run_at - row.updated_at) / 1_000_000))
        assert recovery.recover(100).count == 0  # not due
        set_due(store)
        assert recovery.recover(100).retried == (1 if attempt < 6 else 0)
    assert waited == [60, 300, 900, 3600, 21600, 0]
    assert lists.counts(1)["DEAD"] == 1
    attempts = lists.attempts(1, added.task, 100)
    assert [item.attempt_no for item in attempts] == [6, 5, 4, 3, 2, 1]
    assert {(item.status, item.error_type, item.error_message) for item in attempts} == {("FAILED", "bad", "no")}
    assert results_of(store) == []
    assert lists.retry(1, TaskFilter(), limit=10) == 1
    claim = take(task_store)
    assert claim is not None
    assert claim.work[0].attempt == 1


def test_an_expired_lease_is_taken_over_and_fenced(store: SqlStore, task_store, lists, recovery) -> None:
    make_results(store)
    [added] = task_store.add(DEFAULT_TENANT, new_tasks(1))
    late = take(task_store)
    set_due(store)
    found = recovery.recover(100)
    assert (found.taken_over, found.models) == (1, frozenset({KEY}))
    second = take(task_store)
    assert second is not None
    assert second.token != late.token
    settled = finish(task_store, late)
    assert settled.succeeded == ()
    assert settled.lost == 1
    assert results_of(store) == []
    assert task_store.renew(late, [added.task], 10) == 0
    assert task_store.renew(second, [added.task], 10) == 1
    assert len(finish(task_store, second).succeeded) == 1
    assert finish(task_store, second).lost == 1
    assert results_of(store) == [added.task]
    statuses = [(item.status, item.error_type) for item in lists.attempts(1, added.task, 10)]
    assert statuses == [("SUCCEEDED", None), ("FAILED", LEASE_EXPIRED)]
    assert [(row.status, row.failed_count) for row in lists.batches(1, limit=9)] == [("SUCCEEDED", 0), ("FAILED", 1)]


def test_what_kills_its_workers_ends_dead(store: SqlStore, task_store, lists, recovery) -> None:
    [added] = task_store.add(DEFAULT_TENANT, new_tasks(1))
    for attempt in range(1, 7):
        assert take(task_store) is not None, attempt
        set_due(store)
        found = recovery.recover(100)
        assert (found.taken_over, found.dead) == ((1, 0) if attempt < 6 else (0, 1))
    assert take(task_store) is None
    row = lists.get(1, added.task)
    assert row.status == "DEAD"
    assert row.last_error.startswith(LEASE_EXPIRED)
    assert len(lists.attempts(1, added.task, 100)) == 6


def test_released_costs_no_attempt(store: SqlStore, task_store: TaskStore, lists: TaskLists) -> None:
    make_results(store)
    added = [item.task for item in task_store.add(DEFAULT_TENANT, new_tasks(3))]
    claim = take(task_store)
    settled = finish(task_store, claim, released=added[1:])
    assert (len(settled.succeeded), settled.released) == (1, 2)
    for number in added[1:]:
        row = lists.get(1, number)
        assert (row.status, row.retry_count) == ("PENDING", 0)
        assert lists.attempts(1, number, 10) == []


def test_a_needless_task_is_removed_and_can_be_made_again(
    store: SqlStore, task_store: TaskStore, lists: TaskLists, recovery: Recovery
) -> None:
    make_results(store)
    first, second = (item.task for item in task_store.add(DEFAULT_TENANT, new_tasks(2)))
    finish(task_store, take(task_store), failed=[first, second])
    set_due(store)
    recovery.recover(10)
    claim = take(task_store)
    outcomes = [TaskOutcome(first, ok=True, is_needless=True), TaskOutcome(second, ok=True, result="r")]
    settled = task_store.settle(claim, outcomes, (), lambda *_: [], 1)
    assert (settled.removed, [one.task for one in settled.succeeded], settled.lost) == (1, [second], 0)
    assert (lists.get(1, first), lists.attempts(1, first, 10)) == (None, [])
    assert lists.get(1, second).status == "SUCCEEDED"
    assert rows(store, task_batches)[-1].status == "SUCCEEDED"
    [again] = task_store.add(DEFAULT_TENANT, new_tasks(2))  # the other one is done
    assert lists.get(1, again.task).status == "PENDING"


def test_tasks_of_a_model_that_is_gone_are_removed(
    store: SqlStore, task_store: TaskStore, lists: TaskLists, recovery: Recovery
) -> None:
    other = Tenant(2, "b", "B")
    done = task_store.add(DEFAULT_TENANT, new_tasks(1))
    task_store.settle(take(task_store), [TaskOutcome(done[0].task, ok=True)], (), lambda *_: [], 1)
    task_store.add(DEFAULT_TENANT, new_tasks(5, first=1))
    task_store.add(DEFAULT_TENANT, new_tasks(2, model="another"))
    task_store.add(other, new_tasks(2))
    assert recovery.remove_of_gone_models(3) == 0
    task_store.pause(KEY, MODEL_GONE, "", None)
    assert [recovery.remove_of_gone_models(3) for _ in range(3)] == [3, 2, 0]
    assert lists.paused(1) == []
    assert lists.counts(1) == {**dict.fromkeys(lists.counts(1), 0), "SUCCEEDED": 1, "PENDING": 2}
    assert lists.counts(2)["PENDING"] == 2


def test_pauses_hold_for_one_tenants_model(task_store: TaskStore, lists: TaskLists) -> None:
    other = Tenant(2, "b", "B")
    for tenant in (DEFAULT_TENANT, other):
        task_store.add(tenant, new_tasks(2))
    task_store.add(DEFAULT_TENANT, new_tasks(2, model="another"))
    task_store.pause(KEY, "rate_limited", "x" * 5000, None)
    assert take(task_store) is None
    assert set(task_store.models_with_work(["EMBEDDING"], 10)) == {
        KEY._replace(tenant=2),
        KEY._replace(fingerprint="another"),
    }
    assert task_store.models_with_work(["SQL_SUMMARY"], 10) == []
    assert take(task_store, tenant=other) is not None
    [(model, since, until, reason, message)] = lists.paused(1)
    assert (model, until, reason, len(message)) == (KEY, None, "rate_limited", 1024)
    assert since > 0
    assert task_store.resume(2) == 0
    assert task_store.resume(1, "another") == 0
    assert task_store.resume(1, MODEL) == 1
    task_store.pause(KEY, "rate_limited", "", 1)  # over long ago
    assert lists.paused(1) == []
    assert take(task_store) is not None


def test_canceled_while_it_runs(store: SqlStore, task_store: TaskStore, lists: TaskLists) -> None:
    make_results(store)
    added = [item.task for item in task_store.add(DEFAULT_TENANT, new_tasks(2))]
    claim = take(task_store)
    assert lists.cancel(1, TaskFilter(), limit=10, task=added[0]) == 1
    assert finish(task_store, claim).lost == 1
    assert results_of(store) == [added[1]]
    assert lists.get(1, added[0]).status == "CANCELED"
    assert lists.attempts(1, added[0], 5)[0].status == "CANCELED"
    assert lists.cancel(1, TaskFilter(), limit=10) == 0
    assert lists.retry(1, TaskFilter(), limit=10, task=added[1]) == 0
    assert lists.retry(1, TaskFilter(states=(TaskState.CANCELED,)), limit=10) == 1
    assert len(lists.list(1, TaskFilter(states=(TaskState.PENDING,)), limit=10)) == 1


def test_all_or_nothing(store: SqlStore, task_store: TaskStore, lists: TaskLists) -> None:
    """A result that cannot be stored leaves its task RUNNING, and nothing of the batch written."""
    make_results(store)
    task_store.add(DEFAULT_TENANT, new_tasks(3))
    claim = take(task_store)

    def write(connection: sa.Connection, good: Sequence[TaskOutcome]) -> list[NewTask]:
        connection.execute(RESULTS.insert(), [{"tenant": 1, "task": good[0].task, "resource": "x"}])
        raise ValueError

    with pytest.raises(ValueError):
        task_store.settle(claim, [TaskOutcome(work.task, ok=True) for work in claim.work], (), write, 1)
    assert results_of(store) == []
    assert lists.counts(1)["RUNNING"] == 3


def test_what_follows_is_created_with_the_result(store: SqlStore, task_store: TaskStore, lists: TaskLists) -> None:
    task_store.add(DEFAULT_TENANT, new_tasks(2, task_type="SQL_SUMMARY"))
    key = KEY._replace(task_type="SQL_SUMMARY")
    claim = task_store.claim(DEFAULT_TENANT, key, worker="w", lease=9, size=9, choose=together)
    settled = task_store.settle(
        claim, [TaskOutcome(work.task, ok=True) for work in claim.work], (), lambda _, good: new_tasks(len(good)), 1
    )
    assert [item.model for item in settled.added] == [KEY, KEY]
    assert lists.counts(1)["PENDING"] == 2


def test_smaller_company_after_each_attempt(store: SqlStore, task_store: TaskStore, recovery) -> None:
    task_store.add(DEFAULT_TENANT, new_tasks(20))
    sizes = []
    for _ in range(4):
        claim = take(task_store, 16)
        sizes.append(len(claim.work))
        set_due(store)
        recovery.recover(100)
        with store.engine.connect().execution_options(**WRITING) as connection, connection.begin():
            connection.execute(tasks.update().values(retry_count=claim.work[0].attempt, status="PENDING"))
    assert sizes == [16, 4, 1, 1]


def test_each_is_claimed_once_by_many(store: SqlStore, task_store: TaskStore) -> None:
    make_results(store)
    task_store.add(DEFAULT_TENANT, new_tasks(200))
    claimed: list[int] = []
    failures: list[BaseException] = []

    def work() -> None:
        mine = TaskStore(store.engine, store.engines["writer"], DELAYS)
        try:
            while (claim := take(mine, 7)) is not None:
                claimed.extend(work.task for work in claim.work)
                finish(mine, claim)
        except BaseException as error:
            failures.append(error)
            raise

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    # One that skips what others hold may leave the last ones to them, so all are done when all have ended.
    assert len(claimed) == len(set(claimed)) == 200
    assert results_of(store) == sorted(claimed)


def test_tenants_are_apart(store: SqlStore, task_store: TaskStore, lists: TaskLists) -> None:
    make_results(store)
    other = Tenant(2, "b", "B")
    mine = [item.task for item in task_store.add(DEFAULT_TENANT, new_tasks(2))]
    theirs = [item.task for item in task_store.add(other, new_tasks(2))]
    assert take(task_store, 64, theirs) is None
    claim = take(task_store, 64)
    assert sorted(work.task for work in claim.work) == sorted(mine)
    assert lists.get(1, theirs[0]) is None
    assert lists.attempts(2, mine[0], 9) == []
    assert lists.batches(2, limit=9) == []
    assert lists.cancel(1, TaskFilter(), limit=9, task=theirs[0]) == 0
    assert lists.counts(2)["PENDING"] == 2


def test_old_history_goes(store: SqlStore, task_store: TaskStore, lists: TaskLists, recovery: Recovery) -> None:
    make_results(store)
    added = [item.task for item in task_store.add(DEFAULT_TENANT, new_tasks(2))]
    finish(task_store, take(task_store), failed=added[:1])
    assert recovery.remove_history(1, 100) == 0
    assert recovery.remove_history(4_102_444_800_000_000, 100) == 1
    assert rows(store, task_batches) == []
    assert lists.attempts(1, added[1], 9) == []
    assert len(lists.attempts(1, added[0], 9)) == 1, "of what has not succeeded, attempts stay"
    assert len(lists.list(1, TaskFilter(), limit=9)) == 2


def test_pages_of_the_newest_first(task_store: TaskStore, lists: TaskLists) -> None:
    added = [item.task for item in task_store.add(DEFAULT_TENANT, new_tasks(7))]
    take(task_store, 3)
    first = lists.list(1, TaskFilter(), limit=4)
    rest = lists.list(1, TaskFilter(), limit=99, below=first[-1].id)
    assert [row.id for row in (*first, *rest)] == sorted(added, reverse=True)
    only = lists.list(1, TaskFilter(states=(TaskState.PENDING,), task_type="EMBEDDING", fingerprint=MODEL), limit=99)
    assert len(only) == 4
    assert lists.list(1, TaskFilter(resource_id=only[0].resource_id), limit=9) == [only[0]]
    assert lists.list(1, TaskFilter(task_type="SQL_SUMMARY"), limit=9) == []
