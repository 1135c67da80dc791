"""Workers that are killed with SIGKILL in the middle of a batch."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from headwater.store.tasks.records import TaskState
from headwater.store.tasks.recovery import LEASE_EXPIRED
from headwater.store.tasks.task_lists import TaskFilter, TaskLists
from headwater.store.tasks.task_store import TaskStore
from tests.tasks.crashes import crash, kill, start_worker
from tests.tasks.models import make_results, new_tasks, results_of, wait_until


def url_of(store: SqlStore) -> str:
    return store.engine.url.render_as_string(hide_password=False)


def test_five_kills(store: SqlStore) -> None:
    states = crash(store, url_of(store), 5, seed=1)
    assert states[TaskState.SUCCEEDED] >= 200, states


def test_a_task_that_kills_its_workers_ends_dead_and_its_neighbours_do_not(store: SqlStore, tmp_path: Path) -> None:
    make_results(store)
    task_store = TaskStore(store.engine, store.engines["writer"], (0.1,) * 5)
    lists = TaskLists(store.engine, store.engines["writer"])
    new = new_tasks(16)
    added = task_store.add(DEFAULT_TENANT, new)
    deadly = next(item.task for item in added if lists.get(1, item.task).resource_id == new[5].resource_id)
    worker = start_worker(url_of(store), f"deadly:{new[5].resource_id}", lease=0.5, threads=1)
    try:

        def is_settled() -> bool:
            nonlocal worker
            if worker.poll() is not None:
                kill(worker)
                worker = start_worker(url_of(store), f"deadly:{new[5].resource_id}", lease=0.5, threads=1)
            counts = lists.counts(1)
            return counts["SUCCEEDED"] + counts["DEAD"] == 16

        wait_until(is_settled, "every task is settled", 180)
    finally:
        kill(worker)
    [dead] = lists.list(1, TaskFilter(states=(TaskState.DEAD,)), limit=9)
    assert dead.id == deadly
    assert [item.error_type for item in lists.attempts(1, deadly, 9)] == [LEASE_EXPIRED] * 6
    assert len(results_of(store)) == 15


def test_notes_survive_the_worker_that_planned_them(store: SqlStore) -> None:
    """Notes are removed with the creation of their tasks, so that a kill in between loses none."""
    from headwater.store.engine import WRITING
    from headwater.store.tasks.notes import NodeNotes
    from tests.tasks.models import enable_tasks

    make_results(store)
    enable_tasks(store)
    nodes = [number.to_bytes(16, "big") for number in range(2000)]
    with store.engine.connect().execution_options(**WRITING) as connection, connection.begin():
        NodeNotes(store.engine.dialect).write(connection, 1, nodes)
    lists = TaskLists(store.engine, store.engines["writer"])
    worker = start_worker(url_of(store))
    wait_until(lambda: sum(lists.counts(1).values()) > 0, "the first tasks are there")
    kill(worker)
    worker = start_worker(url_of(store))
    try:
        wait_until(lambda: lists.counts(1)["SUCCEEDED"] == 2000, "all notes became results", 180)
    finally:
        kill(worker)
    with store.engine.connect() as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM task_pending")).scalar() == 0
    assert len(results_of(store)) == 2000
