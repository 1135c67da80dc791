"""Makes tasks wait again whose back-off is over, or whose worker is gone; removes old history, and tasks that wait for
a model that nobody configures any more.

Each step is bounded, and several workers may do it at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from headwater.store.dialects.clock import database_time
from headwater.store.dialects.failures import retried
from headwater.store.engine import WRITING
from headwater.store.tasks.models import MODEL_GONE, NO_PAUSE, ModelKey
from headwater.store.tasks.records import TaskState
from headwater.store.tasks.tables import task_attempts, task_batches, task_models, tasks

__all__ = ["LEASE_EXPIRED", "Recovered", "Recovery"]

LEASE_EXPIRED = "lease_expired"
_GONE = "The worker did not finish in time, or its process ended."
_GREATEST = (1 << 63) - 1
_DUE = (TaskState.FAILED.value, TaskState.RUNNING.value)
_WAITS = (TaskState.PENDING.value, TaskState.FAILED.value)
_MODELS_AT_ONCE = 20


class Recovered(Struct, frozen=True):
    """Tasks that one step made PENDING again."""

    retried: int = 0
    taken_over: int = 0
    dead: int = 0
    models: frozenset[ModelKey] = frozenset()

    @property
    def count(self) -> int:
        return self.retried + self.taken_over + self.dead


class Recovery:
    """Works on all tenants, each row by its tenant."""

    def __init__(self, reading: sa.Engine, writing: sa.Engine) -> None:
        self._reading, self._writing = reading, writing

    def recover(self, most: int) -> Recovered:
        """Make due tasks PENDING again, up to a limit; those of a lost worker end DEAD after the last attempt."""
        query = sa.select(tasks.c.id).where(tasks.c.status.in_(_DUE)).limit(1)
        with self._reading.connect() as connection:
            now = database_time(connection)
            if connection.execute(query.where(tasks.c.next_run_at <= now)).first() is None:
                return Recovered()
        return retried(partial(self._recover, most))

    def _recover(self, most: int) -> Recovered:
        with self._writing.connect().execution_options(**WRITING) as connection, connection.begin():
            now = database_time(connection)
            names = ("id", "tenant_id", "task_type", "model_fingerprint", "status", "retry_count", "max_retry")
            query = (
                sa.select(*(tasks.c[name] for name in names))
                .where(tasks.c.status.in_(_DUE), tasks.c.next_run_at <= now)
                .order_by(tasks.c.next_run_at)
                .limit(most)
                .with_for_update(skip_locked=True)
            )
            rows = connection.execute(query).all()
            of_tenant: defaultdict[int, list[Any]] = defaultdict(list)
            for row in rows:
                of_tenant[row.tenant_id].append(row)
            dead = taken_over = 0
            for tenant, found in sorted(of_tenant.items()):
                gone = [row for row in found if row.status == TaskState.RUNNING.value]
                last = [row.id for row in gone if row.retry_count > row.max_retry]
                again = [
                    row.id for row in found if row.status == TaskState.FAILED.value or row.retry_count <= row.max_retry
                ]
                dead, taken_over = dead + len(last), taken_over + len(gone) - len(last)
                _close_attempts(connection, tenant, [row.id for row in gone], now)
                _move(connection, tenant, again, TaskState.PENDING, None, now)
                _move(connection, tenant, last, TaskState.DEAD, f"{LEASE_EXPIRED}: {_GONE}", now)
            models = frozenset(ModelKey(row.tenant_id, row.task_type, row.model_fingerprint) for row in rows)
        return Recovered(len(rows) - dead - taken_over, taken_over, dead, models)

    def remove_of_gone_models(self, most: int) -> int:
        """Remove about so many tasks that wait for a model that is not configured any more; gives how many."""
        gone = task_models.c.reason == MODEL_GONE
        query = sa.select(task_models.c.tenant, task_models.c.task_type, task_models.c.fingerprint).where(gone)
        with self._reading.connect() as connection:
            models = [ModelKey(*row) for row in connection.execute(query.limit(_MODELS_AT_ONCE))]
        return sum(retried(partial(self._remove_of_gone, model, most)) for model in models)

    def _remove_of_gone(self, model: ModelKey, most: int) -> int:
        row = (
            task_models.c.tenant == model.tenant,
            task_models.c.task_type == model.task_type,
            task_models.c.fingerprint == model.fingerprint,
            task_models.c.reason == MODEL_GONE,  # it may have been configured again
        )
        mine = (
            tasks.c.tenant_id == model.tenant,
            tasks.c.task_type == model.task_type,
            tasks.c.model_fingerprint == model.fingerprint,
        )
        with self._writing.connect().execution_options(**WRITING) as connection, connection.begin():
            if connection.execute(sa.select(task_models.c.tenant).where(*row).with_for_update()).first() is None:
                return 0
            waiting = sa.select(tasks.c.id).where(*mine, tasks.c.status.in_(_WAITS)).order_by(tasks.c.id).limit(most)
            numbers = [row[0] for row in connection.execute(waiting.with_for_update())]
            if not numbers:
                connection.execute(task_models.update().where(*row).values(**NO_PAUSE))
                return 0
            connection.execute(
                task_attempts.delete().where(
                    task_attempts.c.tenant_id == model.tenant, task_attempts.c.task_id.in_(numbers)
                )
            )
            connection.execute(tasks.delete().where(*mine, tasks.c.id.in_(numbers)))
            return len(numbers)

    def remove_history(self, before: int, most: int) -> int:
        """Remove batches that ended before a time, up to a limit, with the attempts of tasks that succeeded in them."""
        query = sa.select(task_batches.c.tenant_id, task_batches.c.batch_no, task_batches.c.id)
        query = query.where(task_batches.c.id < _first_id(before)).order_by(task_batches.c.id).limit(most)
        with self._reading.connect() as connection:
            rows = connection.execute(query).all()
        if rows:
            retried(partial(self._remove, rows))
        return len(rows)

    def _remove(self, rows: Sequence[Any]) -> None:
        with self._writing.connect().execution_options(**WRITING) as connection, connection.begin():
            of_tenant: defaultdict[int, list[Any]] = defaultdict(list)
            for row in rows:
                of_tenant[row.tenant_id].append(row)
            for tenant, found in sorted(of_tenant.items()):
                connection.execute(
                    task_attempts.delete().where(
                        task_attempts.c.tenant_id == tenant,
                        task_attempts.c.batch_no.in_([row.batch_no for row in found]),
                        task_attempts.c.status.in_((TaskState.SUCCEEDED.value, TaskState.CANCELED.value)),
                    )
                )
                connection.execute(
                    task_batches.delete().where(
                        task_batches.c.tenant_id == tenant, task_batches.c.id.in_([row.id for row in found])
                    )
                )


def _move(
    connection: sa.Connection, tenant: int, numbers: Sequence[int], state: TaskState, error: str | None, now: int
) -> None:
    if not numbers:
        return
    values: dict[str, Any] = {"status": state.value, "claim_token": None, "claim_until": None}
    if error is not None:
        values["last_error"] = error
    connection.execute(
        tasks.update()
        .where(tasks.c.tenant_id == tenant, tasks.c.id.in_(list(numbers)))
        .values(**values, next_run_at=now, updated_at=now)
    )


def _close_attempts(connection: sa.Connection, tenant: int, numbers: Sequence[int], now: int) -> None:
    """The attempts of tasks whose lease ended, and the batches that they were in."""
    if not numbers:
        return
    attempts, batches = task_attempts.c, task_batches.c
    running = TaskState.RUNNING.value
    mine = sa.and_(attempts.tenant_id == tenant, attempts.task_id.in_(list(numbers)), attempts.status == running)
    names = {row[0] for row in connection.execute(sa.select(attempts.batch_no).where(mine).distinct())}
    closed = {"finished_at": now, "status": TaskState.FAILED.value}
    connection.execute(
        task_attempts.update().where(mine).values(**closed, error_type=LEASE_EXPIRED, error_message=_GONE)
    )
    for name in sorted(names):
        failed = sa.select(sa.func.count()).where(
            attempts.tenant_id == tenant, attempts.batch_no == name, attempts.error_type == LEASE_EXPIRED
        )
        count = connection.execute(failed).scalar_one()
        of_batch = sa.and_(batches.tenant_id == tenant, batches.batch_no == name, batches.status == running)
        connection.execute(task_batches.update().where(of_batch).values(**closed, failed_count=count))


def _first_id(time: int) -> int:
    """No id that was given after this time is less."""
    return min((time // 1000) << 22, _GREATEST)
