"""Models of the tests: one that does nothing but note what it wrote, and one that fails as it is told."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import sqlalchemy as sa

from headwater.store.engine import WRITING
from headwater.store.sql_store import SqlStore
from headwater.store.tasks.records import NewTask, TaskNote, TaskOutcome, Work
from headwater.store.tasks.tenants import enable
from headwater.store.write.log import Tenant

MODEL = "test:nothing:1"
RESULTS = sa.table("test_result", sa.column("tenant"), sa.column("task"), sa.column("resource"))


def make_results(store: SqlStore) -> None:
    """A table without a key: a result that is written twice is there twice."""
    with store.engine.connect().execution_options(**WRITING) as connection, connection.begin():
        connection.exec_driver_sql(
            "CREATE TABLE test_result (tenant BIGINT NOT NULL, task BIGINT NOT NULL, resource VARCHAR(128))"
        )


def results_of(store: SqlStore) -> list[int]:
    with store.engine.connect() as connection:
        return sorted(row[0] for row in connection.execute(sa.select(RESULTS.c.task)))


def enable_tasks(store: SqlStore, tenant: int = 1) -> None:
    with store.engine.connect().execution_options(**WRITING) as connection, connection.begin():
        enable(connection, tenant)


def new_tasks(count: int, *, task_type: str = "EMBEDDING", model: str = MODEL, first: int = 0) -> list[NewTask]:
    return [
        NewTask(task_type, "Table", f"{number:032x}", hashlib.sha256(str(number).encode()).hexdigest(), model)
        for number in range(first, first + count)
    ]


class NothingModel:
    """Does nothing, and writes one row for each task."""

    task_type = "EMBEDDING"

    def __init__(self, batch_size: int = 64, *, writes: bool = True, seconds: float = 0.0) -> None:
        self.batch_size, self._writes, self._seconds = batch_size, writes, seconds
        self.batches: list[tuple[int, ...]] = []
        self.told: list[int] = []

    def run(self, tenant: Tenant, fingerprint: str, batch: Sequence[Work]) -> list[TaskOutcome]:
        self.batches.append(tuple(work.task for work in batch))
        if self._seconds:
            time.sleep(self._seconds)
        return [TaskOutcome(work.task, ok=True, result=work.resource_id) for work in batch]

    def write(
        self, connection: sa.Connection, tenant: int, fingerprint: str, outcomes: Sequence[TaskOutcome]
    ) -> list[NewTask]:
        if self._writes:
            rows = [{"tenant": tenant, "task": outcome.task, "resource": outcome.result} for outcome in outcomes]
            connection.execute(RESULTS.insert(), rows)
        return []

    def written(self, tenant: int, outcomes: Sequence[TaskOutcome]) -> None:
        self.told += [outcome.task for outcome in outcomes]


class ScriptedModel(NothingModel):
    """Asks a function before each batch, which may raise."""

    def __init__(self, script: Callable[[Sequence[Work]], None], batch_size: int = 64) -> None:
        super().__init__(batch_size)
        self._script = script

    def run(self, tenant: Tenant, fingerprint: str, batch: Sequence[Work]) -> list[TaskOutcome]:
        self._script(batch)
        return super().run(tenant, fingerprint, batch)


class DeadlyModel(NothingModel):
    """Kills its process when it meets one resource."""

    def __init__(self, resource: str, batch_size: int) -> None:
        super().__init__(batch_size)
        self._resource = resource

    def run(self, tenant: Tenant, fingerprint: str, batch: Sequence[Work]) -> list[TaskOutcome]:
        if any(work.resource_id == self._resource for work in batch):
            os.kill(os.getpid(), 9)
        return super().run(tenant, fingerprint, batch)


class NodePlanner:
    """One task for each note."""

    def plan(self, tenant: Tenant, notes: Sequence[TaskNote]) -> list[NewTask]:
        return [
            NewTask("EMBEDDING", "Node", note.node.hex(), hashlib.sha256(note.node).hexdigest(), MODEL)
            for note in notes
        ]


def wait_until(is_true: Callable[[], bool], what: str, seconds: float = 60.0) -> None:
    """Wait for a condition: machines are noisy, and the limit is only there to end."""
    ends = time.monotonic() + seconds
    while not is_true():
        if time.monotonic() > ends:
            raise AssertionError(f"{what}: not within {seconds:.0f} seconds")
        time.sleep(0.02)


def database_file(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///"))
