"""Creates, claims and settles tasks.

A claim is a lease: a token and a time. Whatever is written back is fenced by the token, so that a worker that was
taken for gone can neither settle a task nor store a result once another one has it. Times are those of the database.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from functools import partial

import sqlalchemy as sa
from msgspec import Struct

from headwater.store.dialects.clock import database_time
from headwater.store.dialects.failures import retried
from headwater.store.engine import WRITING
from headwater.store.tasks.batches import BatchRows
from headwater.store.tasks.models import ModelKey, PauseTable, is_open
from headwater.store.tasks.new_tasks import TaskInserter
from headwater.store.tasks.notes import remove_notes
from headwater.store.tasks.records import LONGEST_ERROR, NewTask, TaskOutcome, TaskState, Work
from headwater.store.tasks.tables import tasks
from headwater.store.time_ordered_ids import id_text, new_ids
from headwater.store.write.log import Tenant

__all__ = ["Added", "Claim", "SettledBatch", "TaskStore"]

_AT_ONCE = 500
Write = Callable[[sa.Connection, Sequence[TaskOutcome]], Sequence[NewTask]]
"""Stores results of succeeded tasks; gives the tasks that follow."""


class Added(Struct, frozen=True):
    """A task that was created just now."""

    task: int
    model: ModelKey


class Claim(Struct, frozen=True):
    """Tasks that a worker has until its lease ends."""

    tenant: Tenant
    task_type: str
    fingerprint: str
    token: str
    batch: str
    batch_id: int
    until: int
    work: tuple[Work, ...]


class SettledBatch(Struct, frozen=True):
    """Results of a batch, and the tasks that follow."""

    succeeded: tuple[TaskOutcome, ...] = ()
    failed: int = 0
    dead: int = 0
    released: int = 0
    removed: int = 0
    """Tasks that had become needless."""
    lost: int = 0
    """Tasks that somebody else has by now, or that were canceled."""
    added: tuple[Added, ...] = ()


class TaskStore:
    """Safe to use from many threads, processes and machines."""

    def __init__(self, reading: sa.Engine, writing: sa.Engine, delays: Sequence[float]) -> None:
        """`delays`: seconds after each failed attempt but the last."""
        self._reading, self._writing = reading, writing
        self._delays = tuple(int(delay * 1_000_000) for delay in delays)
        self._inserter = TaskInserter(writing.dialect, len(delays))
        self._batches = BatchRows(writing.dialect)
        self._pauses = PauseTable(reading, writing)

    def add(self, tenant: Tenant, new: Sequence[NewTask], notes: Sequence[int] = ()) -> list[Added]:
        """Create tasks, each unless it is there in whatever state, and remove the notes that they come from."""
        return retried(partial(self._add, tenant, new, notes))

    def _add(self, tenant: Tenant, new: Sequence[NewTask], notes: Sequence[int]) -> list[Added]:
        with self._writing.connect().execution_options(**WRITING) as connection, connection.begin():
            added = self._insert(connection, tenant, new)
            remove_notes(connection, tenant.id, notes)
            return added

    def _insert(self, connection: sa.Connection, tenant: Tenant, new: Sequence[NewTask]) -> list[Added]:
        if not new:
            return []
        inserted = self._inserter.insert(connection, tenant, new, database_time(connection))
        return [Added(number, ModelKey(tenant.id, task.task_type, task.fingerprint)) for number, task in inserted]

    def claim(
        self,
        tenant: Tenant,
        model: ModelKey,
        *,
        worker: str,
        lease: float,
        size: int,
        choose: Callable[[Sequence[int], int], int],
        numbers: Sequence[int] | None = None,
    ) -> Claim | None:
        """Claim waiting tasks of one model: those with these numbers, or the first ones. Counts an attempt of each.

        `choose` gives how many of the first ones go together, by their attempts. None if nothing waits, or the model
        is paused.
        """
        return retried(partial(self._claim, tenant, model, worker, int(lease * 1_000_000), size, choose, numbers))

    def _claim(
        self,
        tenant: Tenant,
        model: ModelKey,
        worker: str,
        lease: int,
        size: int,
        choose: Callable[[Sequence[int], int], int],
        numbers: Sequence[int] | None,
    ) -> Claim | None:
        with self._writing.connect().execution_options(**WRITING) as connection, connection.begin():
            now = database_time(connection)
            if not is_open(connection, model, now):
                return None
            rows = connection.execute(_waiting(model, size, numbers)).all()
            rows = rows[: choose([row.retry_count for row in rows], size)] if rows else []
            if not rows:
                return None
            batch_id = new_ids(1)[0]
            claim = Claim(
                tenant=tenant,
                task_type=model.task_type,
                fingerprint=model.fingerprint,
                token=secrets.token_hex(16),
                batch=id_text(batch_id),
                batch_id=batch_id,
                until=now + lease,
                work=tuple(
                    Work(row.id, row.resource_type, row.resource_id, row.content_hash, row.retry_count + 1)
                    for row in rows
                ),
            )
            connection.execute(
                tasks.update()
                .where(tasks.c.tenant_id == tenant.id, tasks.c.id.in_([work.task for work in claim.work]))
                .values(
                    status=TaskState.RUNNING.value,
                    retry_count=tasks.c.retry_count + 1,
                    claim_token=claim.token,
                    claim_until=claim.until,
                    next_run_at=claim.until,
                    updated_at=now,
                )
            )
            self._batches.begin(connection, claim.batch_id, claim.batch, model, worker, claim.work, now)
            return claim

    def renew(self, claim: Claim, numbers: Sequence[int], lease: float) -> int:
        """Extend the lease of these tasks of a claim; gives how many are still the worker's."""
        return retried(partial(self._renew, claim, numbers, int(lease * 1_000_000)))

    def _renew(self, claim: Claim, numbers: Sequence[int], lease: int) -> int:
        with self._writing.connect().execution_options(**WRITING) as connection, connection.begin():
            until = database_time(connection) + lease
            change = _mine(claim, numbers).values(claim_until=until, next_run_at=until)
            return connection.execute(change).rowcount

    def settle(
        self, claim: Claim, outcomes: Sequence[TaskOutcome], released: Sequence[int], write: Write, milliseconds: int
    ) -> SettledBatch:
        """Write back a batch in one transaction: results and SUCCEEDED together, failures with their next time.

        `released` tasks wait again, and their attempt does not count; needless ones are removed. Tasks that another
        worker holds by now are left alone, and their results are not written.
        """
        return retried(partial(self._settle, claim, outcomes, frozenset(released), write, milliseconds))

    def _settle(
        self,
        claim: Claim,
        outcomes: Sequence[TaskOutcome],
        released: frozenset[int],
        write: Write,
        milliseconds: int,
    ) -> SettledBatch:
        with self._writing.connect().execution_options(**WRITING) as connection, connection.begin():
            now = database_time(connection)
            mine = self._still_mine(connection, claim)
            attempts = {work.task: work.attempt for work in claim.work}
            needless = sorted(mine & {outcome.task for outcome in outcomes if outcome.is_needless})
            mine -= set(needless)
            good = [outcome for outcome in outcomes if outcome.ok and outcome.task in mine]
            bad = [outcome for outcome in outcomes if not outcome.ok and outcome.task in mine]
            back = sorted(released & mine)
            follow = write(connection, good) if good else ()
            self._succeed(connection, claim, [outcome.task for outcome in good], now)
            dead = sum(self._fail(connection, claim, outcome, attempts[outcome.task], now) for outcome in bad)
            self._release(connection, claim, back, now)
            batch = (claim.tenant.id, claim.batch_id, claim.batch)
            self._batches.end(connection, *batch, good, bad, back, needless, now, milliseconds)
            self._remove(connection, claim, needless)
            added = self._insert(connection, claim.tenant, follow)
        lost = len(claim.work) - len(good) - len(bad) - len(back) - len(needless)
        return SettledBatch(tuple(good), len(bad) - dead, dead, len(back), len(needless), lost, tuple(added))

    def _still_mine(self, connection: sa.Connection, claim: Claim) -> set[int]:
        query = (
            sa.select(tasks.c.id)
            .where(
                tasks.c.tenant_id == claim.tenant.id,
                tasks.c.id.in_([work.task for work in claim.work]),
                tasks.c.claim_token == claim.token,
                tasks.c.status == TaskState.RUNNING.value,
            )
            .order_by(tasks.c.id)
            .with_for_update()
        )
        return {row[0] for row in connection.execute(query)}

    def _succeed(self, connection: sa.Connection, claim: Claim, numbers: Sequence[int], now: int) -> None:
        if numbers:
            done = {"status": TaskState.SUCCEEDED.value, "claim_token": None, "claim_until": None, "last_error": None}
            connection.execute(_mine(claim, numbers).values(**done, next_run_at=now, updated_at=now))

    def _fail(self, connection: sa.Connection, claim: Claim, outcome: TaskOutcome, attempts: int, now: int) -> bool:
        """Whether that was the last attempt."""
        is_dead = attempts > len(self._delays)
        values = {
            "status": (TaskState.DEAD if is_dead else TaskState.FAILED).value,
            "next_run_at": now if is_dead else now + self._delays[attempts - 1],
            "last_error": error_text(outcome.error_type, outcome.error),
        }
        connection.execute(
            _mine(claim, [outcome.task]).values(**values, claim_token=None, claim_until=None, updated_at=now)
        )
        return is_dead

    def _release(self, connection: sa.Connection, claim: Claim, numbers: Sequence[int], now: int) -> None:
        if numbers:
            connection.execute(
                _mine(claim, numbers).values(
                    status=TaskState.PENDING.value,
                    retry_count=tasks.c.retry_count - 1,
                    claim_token=None,
                    claim_until=None,
                    next_run_at=now,
                    updated_at=now,
                )
            )

    def _remove(self, connection: sa.Connection, claim: Claim, numbers: Sequence[int]) -> None:
        """So that a task of the same text can be created again: one that is there would stand in its way."""
        if numbers:
            mine = (tasks.c.tenant_id == claim.tenant.id, tasks.c.id.in_(list(numbers)))
            connection.execute(tasks.delete().where(*mine, tasks.c.claim_token == claim.token))

    def pause(self, model: ModelKey, reason: str, message: str, until: int | None) -> None:
        """Let no more tasks of a tenant's model be claimed, until a time or until somebody resumes it."""
        self._pauses.pause(model, reason, message[:LONGEST_ERROR], until)

    def resume(self, tenant: int, fingerprint: str | None = None) -> int:
        """End the pause of one model of a tenant, or of all; gives how many were paused."""
        return self._pauses.resume(tenant, fingerprint)

    def models_with_work(self, types: Sequence[str], most: int) -> list[ModelKey]:
        """Models of any tenant that are not paused and have tasks that wait."""
        return self._pauses.with_work(types, most)


def error_text(error_type: str, error: str) -> str:
    """An error as it is shown with its task."""
    return (f"{error_type}: {error}" if error_type and error else error_type or error)[:LONGEST_ERROR]


def _waiting(model: ModelKey, size: int, numbers: Sequence[int] | None) -> sa.Select[tuple[int, int, str, str, str]]:
    query = (
        sa.select(tasks.c.id, tasks.c.retry_count, tasks.c.resource_type, tasks.c.resource_id, tasks.c.content_hash)
        .where(
            tasks.c.tenant_id == model.tenant,
            tasks.c.task_type == model.task_type,
            tasks.c.model_fingerprint == model.fingerprint,
            tasks.c.status == TaskState.PENDING.value,
        )
        .order_by(tasks.c.priority, tasks.c.id)
        .limit(size)
        .with_for_update(skip_locked=True)
    )
    return query if numbers is None else query.where(tasks.c.id.in_(list(numbers)))


def _mine(claim: Claim, numbers: Sequence[int]) -> sa.Update:
    return tasks.update().where(
        tasks.c.tenant_id == claim.tenant.id,
        tasks.c.id.in_(list(numbers)),
        tasks.c.claim_token == claim.token,
        tasks.c.status == TaskState.RUNNING.value,
    )
