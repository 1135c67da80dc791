"""Lists, shows, resets and cancels tasks of a tenant."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from functools import partial
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from headwater.store.dialects.clock import database_time
from headwater.store.dialects.failures import retried
from headwater.store.engine import WRITING
from headwater.store.tasks.models import Paused, PauseTable
from headwater.store.tasks.records import TaskState
from headwater.store.tasks.tables import task_attempts, task_batches, tasks

__all__ = ["AttemptRow", "BatchRow", "TaskFilter", "TaskLists", "TaskRow"]

_RETRIED = (TaskState.DEAD, TaskState.FAILED, TaskState.CANCELED)
"""States out of which a person may reset a task."""
_CANCELED = (TaskState.PENDING, TaskState.RUNNING, TaskState.FAILED, TaskState.DEAD)


class TaskRow(Struct, frozen=True):
    id: int
    task_type: str
    resource_type: str
    resource_id: str
    content_hash: str
    model_fingerprint: str
    status: str
    priority: int
    retry_count: int
    max_retry: int
    next_run_at: int
    claim_until: int | None
    last_error: str | None
    created_at: int
    updated_at: int


class AttemptRow(Struct, frozen=True):
    attempt_no: int
    worker_id: str
    started_at: int
    finished_at: int | None
    status: str
    batch_no: str
    input_size: int
    latency_ms: int | None
    error_type: str | None
    error_message: str | None


class BatchRow(Struct, frozen=True):
    id: int
    batch_no: str
    task_type: str
    model_fingerprint: str
    worker_id: str
    planned_size: int
    success_count: int
    failed_count: int
    started_at: int
    finished_at: int | None
    status: str


class TaskFilter(Struct, frozen=True):
    """Filter of tasks; an empty member does not filter."""

    states: tuple[TaskState, ...] = ()
    task_type: str = ""
    fingerprint: str = ""
    resource_id: str = ""


class TaskLists:
    """Lists of tasks, and changes that people make to them."""

    def __init__(self, reading: sa.Engine, writing: sa.Engine) -> None:
        self._reading, self._writing = reading, writing
        self._pauses = PauseTable(reading, writing)

    def paused(self, tenant: int) -> Sequence[Paused]:
        """Models of a tenant that are paused now."""
        return self._pauses.paused(tenant)

    def resume(self, tenant: int, fingerprint: str | None = None) -> int:
        """End the pause of one model of a tenant, or of all; gives how many were paused."""
        return self._pauses.resume(tenant, fingerprint)

    def list(self, tenant: int, wanted: TaskFilter, *, limit: int, below: int | None = None) -> Sequence[TaskRow]:
        """The newest first; only those with an id `below` this one."""
        found = []
        with self._reading.connect() as connection:
            for state in wanted.states or tuple(TaskState):  # each along its part of the index
                query = _selected(tenant, wanted, state).order_by(tasks.c.id.desc()).limit(limit)
                if below is not None:
                    query = query.where(tasks.c.id < below)
                found.append([TaskRow(*row) for row in connection.execute(query)])
        merged = heapq.merge(*found, key=lambda row: row.id, reverse=True)
        return [row for _, row in zip(range(limit), merged, strict=False)]

    def counts(self, tenant: int) -> dict[str, int]:
        """How many tasks there are in each state."""
        query = sa.select(tasks.c.status, sa.func.count()).where(tasks.c.tenant_id == tenant).group_by(tasks.c.status)
        with self._reading.connect() as connection:
            found = {row[0]: row[1] for row in connection.execute(query)}
        return {state.value: found.get(state.value, 0) for state in TaskState}

    def backlog(self) -> dict[str, int]:
        """Counts of all tenants together, without finished tasks."""
        states = [TaskState.PENDING.value, TaskState.RUNNING.value, TaskState.FAILED.value, TaskState.DEAD.value]
        query = sa.select(tasks.c.status, sa.func.count()).where(tasks.c.status.in_(states)).group_by(tasks.c.status)
        with self._reading.connect() as connection:
            found = {row[0]: row[1] for row in connection.execute(query)}
        return {state: found.get(state, 0) for state in states}

    def get(self, tenant: int, task: int) -> TaskRow | None:
        query = sa.select(*_COLUMNS).where(tasks.c.tenant_id == tenant, tasks.c.id == task)
        with self._reading.connect() as connection:
            row = connection.execute(query).first()
        return TaskRow(*row) if row is not None else None

    def attempts(self, tenant: int, task: int, limit: int) -> Sequence[AttemptRow]:
        """The newest first."""
        columns = [task_attempts.c[name] for name in AttemptRow.__struct_fields__]
        mine = (task_attempts.c.tenant_id == tenant, task_attempts.c.task_id == task)
        query = sa.select(*columns).where(*mine).order_by(task_attempts.c.id.desc()).limit(limit)
        with self._reading.connect() as connection:
            return [AttemptRow(*row) for row in connection.execute(query)]

    def batches(self, tenant: int, *, limit: int, below: int | None = None) -> Sequence[BatchRow]:
        """The newest first; only those with an id `below` this one."""
        columns = [task_batches.c[name] for name in BatchRow.__struct_fields__]
        query = sa.select(*columns).where(task_batches.c.tenant_id == tenant)
        if below is not None:
            query = query.where(task_batches.c.id < below)
        with self._reading.connect() as connection:
            rows = connection.execute(query.order_by(task_batches.c.id.desc()).limit(limit))
            return [BatchRow(*row) for row in rows]

    def retry(self, tenant: int, wanted: TaskFilter, *, limit: int, task: int | None = None) -> int:
        """Reset tasks to PENDING, with all their attempts before them. Gives how many that were."""
        states = [state for state in wanted.states or (TaskState.DEAD,) if state in _RETRIED]
        values = {"status": TaskState.PENDING.value, "retry_count": 0, "claim_token": None, "claim_until": None}
        return retried(partial(self._change, tenant, wanted, states, values, limit, task))

    def cancel(self, tenant: int, wanted: TaskFilter, *, limit: int, task: int | None = None) -> int:
        """Cancel tasks; the results of those that run are not stored. Gives how many that were."""
        states = [state for state in wanted.states or _CANCELED if state in _CANCELED]
        values = {"status": TaskState.CANCELED.value, "claim_token": None, "claim_until": None}
        return retried(partial(self._change, tenant, wanted, states, values, limit, task))

    def _change(
        self,
        tenant: int,
        wanted: TaskFilter,
        states: Sequence[TaskState],
        values: dict[str, Any],
        limit: int,
        task: int | None,
    ) -> int:
        changed = 0
        with self._writing.connect().execution_options(**WRITING) as connection, connection.begin():
            now = database_time(connection)
            for state in states:
                query = _selected(tenant, wanted, state, tasks.c.id).order_by(tasks.c.id).limit(limit - changed)
                if task is not None:
                    query = query.where(tasks.c.id == task)
                numbers = [row[0] for row in connection.execute(query.with_for_update())]
                if not numbers:
                    continue
                mine = (tasks.c.tenant_id == tenant, tasks.c.id.in_(numbers))
                connection.execute(tasks.update().where(*mine).values(**values, next_run_at=now, updated_at=now))
                if state is TaskState.RUNNING:
                    _end_attempts(connection, tenant, numbers, now)
                changed += len(numbers)
        return changed


_COLUMNS = [tasks.c[name] for name in TaskRow.__struct_fields__]


def _selected(tenant: int, wanted: TaskFilter, state: TaskState, *columns: Any) -> sa.Select[Any]:
    query = sa.select(*(columns or _COLUMNS)).where(tasks.c.tenant_id == tenant, tasks.c.status == state.value)
    for column, value in (
        (tasks.c.task_type, wanted.task_type),
        (tasks.c.model_fingerprint, wanted.fingerprint),
        (tasks.c.resource_id, wanted.resource_id),
    ):
        if value:
            query = query.where(column == value)
    return query


def _end_attempts(connection: sa.Connection, tenant: int, numbers: Sequence[int], now: int) -> None:
    attempts = task_attempts.c
    running = (
        attempts.tenant_id == tenant,
        attempts.task_id.in_(list(numbers)),
        attempts.status == TaskState.RUNNING.value,
    )
    connection.execute(task_attempts.update().where(*running).values(status=TaskState.CANCELED.value, finished_at=now))
