"""Inserts tasks: an existing one with the same key is left as it is, in whatever state."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from headwater.store.tasks.records import NewTask, TaskState
from headwater.store.tasks.tables import task_models, tasks
from headwater.store.time_ordered_ids import new_ids
from headwater.store.write.log import Tenant
from headwater.store.write.upsert import insert_statement

__all__ = ["TaskInserter"]

_AT_ONCE = 500


class TaskInserter:
    """Inserts in the transaction of its caller."""

    def __init__(self, dialect: sa.Dialect, max_retry: int) -> None:
        self._tasks = insert_statement(tasks, dialect)
        self._models = insert_statement(task_models, dialect)
        self._max_retry = max_retry

    def insert(
        self, connection: sa.Connection, tenant: Tenant, new: Sequence[NewTask], now: int
    ) -> list[tuple[int, NewTask]]:
        """Gives those that were not there yet, with their numbers."""
        ordered = sorted(dict.fromkeys(new), key=_key)
        models = sorted({(tenant.id, task.task_type, task.fingerprint) for task in ordered})
        self._models.run(connection, [(*model, None, None, None, None) for model in models])
        numbered = dict(zip(new_ids(len(ordered)), ordered, strict=True))
        self._tasks.run(connection, [self._row(tenant, number, task, now) for number, task in numbered.items()])
        found: set[int] = set()
        numbers = list(numbered)
        for start in range(0, len(numbers), _AT_ONCE):
            some = numbers[start : start + _AT_ONCE]
            query = sa.select(tasks.c.id).where(tasks.c.tenant_id == tenant.id, tasks.c.id.in_(some))
            found |= {row[0] for row in connection.execute(query)}
        return [(number, task) for number, task in numbered.items() if number in found]

    def _row(self, tenant: Tenant, number: int, task: NewTask, now: int) -> tuple[int | str | None, ...]:
        return (
            number,
            task.task_type,
            tenant.id,
            tenant.code,
            task.resource_type,
            task.resource_id,
            task.content_hash,
            task.fingerprint,
            TaskState.PENDING.value,
            task.priority,
            0,
            self._max_retry,
            now,
            None,
            None,
            None,
            now,
            now,
        )


def _key(task: NewTask) -> tuple[str, str, str, str, str]:
    """In the order of the unique index, which two writers must not enter crosswise."""
    return task.task_type, task.resource_type, task.resource_id, task.fingerprint, task.content_hash
