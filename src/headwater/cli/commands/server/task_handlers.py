"""What plans and executes the tasks of this installation."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.settings import Settings
from headwater.store.sql_store import SqlStore
from headwater.store.write.log import Tenant
from headwater.tasks.handler import Handler, NewTask, Note, Planner

__all__ = ["task_handlers"]


class _NoModels:
    """Plans nothing, where no model can be configured."""

    def plan(self, tenant: Tenant, notes: Sequence[Note]) -> list[NewTask]:  # noqa: ARG002
        return []


def task_handlers(settings: Settings, store: SqlStore) -> tuple[Planner, list[Handler]]:  # noqa: ARG001
    return _NoModels(), []
