"""Rows of attempts and batches, written in the transactions that claim and settle tasks."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from headwater.store.tasks.models import ModelKey
from headwater.store.tasks.records import LONGEST_ERROR, TaskOutcome, TaskState, Work
from headwater.store.tasks.tables import task_attempts, task_batches
from headwater.store.write.upsert import insert_statement

__all__ = ["BatchRows"]

_LONGEST_TYPE = 128


class BatchRows:
    def __init__(self, dialect: sa.Dialect) -> None:
        self._attempts = insert_statement(task_attempts, dialect)
        self._batches = insert_statement(task_batches, dialect)

    def begin(
        self,
        connection: sa.Connection,
        batch_id: int,
        batch: str,
        model: ModelKey,
        worker: str,
        work: Sequence[Work],
        now: int,
    ) -> None:
        """Rows of a batch that was claimed, and of the attempts in it."""
        tenant, running, size = model.tenant, TaskState.RUNNING.value, len(work)
        row = (batch_id, batch, model.task_type, tenant, model.fingerprint, worker, size, 0, 0, now, None, running, now)
        self._batches.run(connection, [row])
        self._attempts.run(
            connection,
            [
                (tenant, item.task, item.attempt, worker, now, None, running, batch, size, None, None, None, now)
                for item in work
            ],
        )

    def end(
        self,
        connection: sa.Connection,
        tenant: int,
        batch_id: int,
        batch: str,
        good: Sequence[TaskOutcome],
        bad: Sequence[TaskOutcome],
        released: Sequence[int],
        needless: Sequence[int],
        now: int,
        milliseconds: int,
    ) -> None:
        """Close the batch and its attempts. A released or needless task has had no attempt: its rows are deleted."""
        times = {"finished_at": now, "latency_ms": milliseconds}
        if good:
            done = _attempts(tenant, batch, [outcome.task for outcome in good])
            connection.execute(done.values(**times, status=TaskState.SUCCEEDED.value))
        for outcome in bad:
            errors = {"error_type": outcome.error_type[:_LONGEST_TYPE], "error_message": outcome.error[:LONGEST_ERROR]}
            failed = _attempts(tenant, batch, [outcome.task])
            connection.execute(failed.values(**times, **errors, status=TaskState.FAILED.value))
        if released:
            connection.execute(
                task_attempts.delete().where(
                    task_attempts.c.tenant_id == tenant,
                    task_attempts.c.batch_no == batch,
                    task_attempts.c.task_id.in_(list(released)),
                )
            )
        if needless:  # their tasks go, and with them what was tried before
            connection.execute(
                task_attempts.delete().where(
                    task_attempts.c.tenant_id == tenant, task_attempts.c.task_id.in_(list(needless))
                )
            )
        status = TaskState.FAILED if bad or released else TaskState.SUCCEEDED
        connection.execute(
            task_batches.update()
            .where(
                task_batches.c.tenant_id == tenant,
                task_batches.c.id == batch_id,
                task_batches.c.status == TaskState.RUNNING.value,  # else recovery has closed it
            )
            .values(success_count=len(good), failed_count=len(bad), finished_at=now, status=status.value)
        )


def _attempts(tenant: int, batch: str, numbers: Sequence[int]) -> sa.Update:
    return task_attempts.update().where(
        task_attempts.c.tenant_id == tenant,
        task_attempts.c.batch_no == batch,
        task_attempts.c.task_id.in_(list(numbers)),
        task_attempts.c.status == TaskState.RUNNING.value,
    )
