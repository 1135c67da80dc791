"""Port of the task engine: planners and handlers of tasks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import sqlalchemy as sa

from headwater.errors import HeadwaterError
from headwater.store.tasks.records import NewTask, NoteKind, TaskNote, TaskOutcome, Work
from headwater.store.write.log import Tenant

__all__ = ["Handler", "NewTask", "NoteKind", "PauseModel", "Planner", "TaskNote", "TaskOutcome", "Work"]


class PauseModel(HeadwaterError):
    """The model cannot be used for now, whatever it is asked: refused credentials, limits, a spent budget.

    Its tasks of this tenant stay PENDING, and this costs none of them an attempt.
    """

    code = "model_paused"

    def __init__(
        self,
        message: str,
        *,
        reason: str = "model_paused",
        until: int | None = None,
        hint: str | None = None,
        outcomes: Sequence[TaskOutcome] = (),
    ) -> None:
        """`until` in microseconds since 1970; None pauses until a person resumes or configures the model.

        `reason` is a stable word for metrics and lists, such as `rate_limited` or `budget_spent`. `outcomes` are of the
        part of the batch that was done before.
        """
        super().__init__(message, hint=hint)
        self.reason, self.until, self.outcomes = reason, until, tuple(outcomes)


class Handler(Protocol):
    """Executes tasks of one type. Used from several threads at once."""

    task_type: str
    batch_size: int
    """Tasks in one call of `run`, at most."""

    def run(self, tenant: Tenant, fingerprint: str, batch: Sequence[Work]) -> list[TaskOutcome]:
        """Do the work, outside of any transaction: one outcome for each, in the same order.

        Raises `PauseModel`, or anything else for a batch that failed as a whole; that one is halved and tried again.
        Must be bounded in time.
        """

    def write(
        self, connection: sa.Connection, tenant: int, fingerprint: str, outcomes: Sequence[TaskOutcome]
    ) -> list[NewTask]:
        """Store the results of succeeded tasks, in the transaction that makes them SUCCEEDED.

        Gives the tasks that follow. May be called again after a conflict, in a new transaction.
        """

    def written(self, tenant: int, outcomes: Sequence[TaskOutcome]) -> None:
        """Called after the commit; a failure here is logged, and fails nothing."""


class Planner(Protocol):
    """Turns notes into tasks."""

    def plan(self, tenant: Tenant, notes: Sequence[TaskNote]) -> list[NewTask]:
        """The tasks that follow from these notes; nothing for a tenant without a model. Not in a transaction."""
