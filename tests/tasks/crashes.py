"""Kills workers in the middle of batches, again and again, and says what is wrong in the end.

Used by the tests for a few kills, and by `make faults` for a hundred on each store.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import sqlalchemy as sa

from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from headwater.store.tasks.records import TaskState
from headwater.store.tasks.tables import task_attempts, task_batches, tasks
from headwater.store.tasks.task_store import TaskStore
from tests.tasks.models import RESULTS, make_results, new_tasks

ROOT = Path(__file__).resolve().parents[2]
LEASE = 1.0
WORKERS = 2
_TASKS_OF_A_KILL = 60
_PATIENCE = 180.0


def start_worker(url: str, kind: str = "nothing", lease: float = LEASE, threads: int = 2) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.tasks.worker_process", url, kind, str(lease), str(threads)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        process.send_signal(signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def crash(store: SqlStore, url: str, kills: int, seed: int) -> Counter[str]:
    """Kill workers so often while they execute tasks; gives the states of the tasks in the end.

    Raises AssertionError unless each task is SUCCEEDED with one result, or DEAD with six attempts and none.
    """
    chance = random.Random(seed)
    make_results(store)
    task_store = TaskStore(store.engine, store.engines["writer"], (0.1,) * 5)
    created = 0
    workers = [start_worker(url) for _ in range(WORKERS)]
    try:
        for _ in range(kills):
            task_store.add(DEFAULT_TENANT, new_tasks(_TASKS_OF_A_KILL, first=created))
            created += _TASKS_OF_A_KILL
            _wait_for_running(store)
            time.sleep(chance.uniform(0, 0.05))  # somewhere between claim and commit
            place = chance.randrange(WORKERS)
            kill(workers[place])
            workers[place] = start_worker(url)
        _wait_until_settled(store)
    finally:
        for worker in workers:
            kill(worker)
    return check(store, created)


def _states(store: SqlStore) -> Counter[str]:
    query = sa.select(tasks.c.status, sa.func.count()).group_by(tasks.c.status)
    with store.engine.connect() as connection:
        return Counter({row[0]: row[1] for row in connection.execute(query)})


def _wait_for_running(store: SqlStore) -> None:
    ends = time.monotonic() + _PATIENCE
    while not _states(store)[TaskState.RUNNING]:
        if time.monotonic() > ends:
            raise AssertionError(f"no task runs: {_states(store)}")
        time.sleep(0.005)


def _wait_until_settled(store: SqlStore) -> None:
    ends = time.monotonic() + _PATIENCE
    while set(_states(store)) - {TaskState.SUCCEEDED, TaskState.DEAD}:
        if time.monotonic() > ends:
            raise AssertionError(f"tasks are left: {_states(store)}")
        time.sleep(0.1)


def check(store: SqlStore, created: int) -> Counter[str]:
    """States of the tasks, if results, attempts and batches fit to them."""
    with store.engine.connect() as connection:
        found = connection.execute(sa.select(tasks)).all()
        results = Counter(row[0] for row in connection.execute(sa.select(RESULTS.c.task)))
        attempts = connection.execute(sa.select(task_attempts)).all()
        batches = connection.execute(sa.select(task_batches)).all()
    assert len(found) == created
    assert set(results.values()) <= {1}, "a result was written twice"
    of_task: dict[int, list[str]] = {}
    for attempt in attempts:
        of_task.setdefault(attempt.task_id, []).append(attempt.status)
    for task in found:
        statuses = Counter(of_task[task.id])
        assert statuses[TaskState.RUNNING] == 0, "an attempt was left open"
        assert task.retry_count == sum(statuses.values())
        if task.status == TaskState.SUCCEEDED:
            assert results[task.id] == 1
            assert statuses[TaskState.SUCCEEDED] == 1
        else:
            assert task.status == TaskState.DEAD
            assert results[task.id] == 0
            assert statuses == {TaskState.FAILED.value: 6}
    assert {batch.status for batch in batches} <= {TaskState.SUCCEEDED, TaskState.FAILED}, "a batch was left open"
    return Counter(task.status for task in found)
