"""Models that tenants have tasks for, and their pauses."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import sqlalchemy as sa

from headwater.store.dialects.clock import database_time
from headwater.store.dialects.failures import retried
from headwater.store.engine import WRITING
from headwater.store.tasks.records import TaskState
from headwater.store.tasks.tables import task_models, tasks

__all__ = ["MODEL_GONE", "NO_PAUSE", "ModelKey", "PauseTable", "Paused", "is_open", "pause_gone"]

MODEL_GONE = "model_missing"
"""Reason of the pause of a model that is not configured any more; what waits for it is removed."""
NO_PAUSE = {"paused_at": None, "paused_until": None, "reason": None, "message": None}


class ModelKey(NamedTuple):
    """Tasks with the same key may share a batch."""

    tenant: int
    task_type: str
    fingerprint: str


class Paused(NamedTuple):
    """A model whose tasks wait."""

    model: ModelKey
    since: int
    until: int | None
    """None: until a person resumes or configures it."""
    reason: str
    message: str


def is_open(connection: sa.Connection, model: ModelKey, now: int) -> bool:
    """Whether tasks of a model may be claimed."""
    query = sa.select(task_models.c.paused_at, task_models.c.paused_until).where(
        task_models.c.tenant == model.tenant,
        task_models.c.task_type == model.task_type,
        task_models.c.fingerprint == model.fingerprint,
    )
    row = connection.execute(query).first()
    return row is None or row.paused_at is None or (row.paused_until is not None and row.paused_until <= now)


def pause_gone(connection: sa.Connection, tenant: int, fingerprint: str) -> None:
    """Let no more tasks of a model be claimed, in the transaction that takes its configuration away."""
    values = {"paused_until": None, "reason": MODEL_GONE, "message": "The model is not configured any more."}
    connection.execute(_of(tenant, fingerprint).values(paused_at=database_time(connection), **values))


class PauseTable:
    """Pauses hold for a tenant's model, whatever it is used for."""

    def __init__(self, reading: sa.Engine, writing: sa.Engine) -> None:
        self._reading, self._writing = reading, writing

    def pause(self, model: ModelKey, reason: str, message: str, until: int | None) -> None:
        retried(partial(self._pause, model, reason, message, until))

    def _pause(self, model: ModelKey, reason: str, message: str, until: int | None) -> None:
        with self._writing.connect().execution_options(**WRITING) as connection, connection.begin():
            values = {"paused_until": until, "reason": reason[:64], "message": message}
            connection.execute(
                _of(model.tenant, model.fingerprint).values(paused_at=database_time(connection), **values)
            )

    def resume(self, tenant: int, fingerprint: str | None) -> int:
        return retried(partial(self._resume, tenant, fingerprint))

    def _resume(self, tenant: int, fingerprint: str | None) -> int:
        with self._writing.connect().execution_options(**WRITING) as connection, connection.begin():
            paused = _of(tenant, fingerprint).where(task_models.c.paused_at.is_not(None))
            return connection.execute(paused.values(**NO_PAUSE)).rowcount

    def paused(self, tenant: int) -> list[Paused]:
        """Models that are paused now."""
        query = (
            sa.select(task_models)
            .where(task_models.c.tenant == tenant, task_models.c.paused_at.is_not(None))
            .order_by(task_models.c.task_type, task_models.c.fingerprint)
        )
        with self._reading.connect() as connection:
            now = database_time(connection)
            rows = connection.execute(query).all()
        return [
            Paused(
                ModelKey(row.tenant, row.task_type, row.fingerprint),
                row.paused_at,
                row.paused_until,
                row.reason or "",
                row.message or "",
            )
            for row in rows
            if row.paused_until is None or row.paused_until > now
        ]

    def with_work(self, types: Sequence[str], most: int) -> list[ModelKey]:
        """Those of any tenant that are open and have tasks that wait."""
        model = task_models.c
        waits = (
            sa.select(sa.literal(1))
            .where(
                tasks.c.tenant_id == model.tenant,
                tasks.c.task_type == model.task_type,
                tasks.c.model_fingerprint == model.fingerprint,
                tasks.c.status == TaskState.PENDING.value,
            )
            .exists()
        )
        with self._reading.connect() as connection:
            now = database_time(connection)
            is_free = sa.or_(model.paused_at.is_(None), model.paused_until <= now)
            query = (
                sa.select(model.tenant, model.task_type, model.fingerprint)
                .where(model.task_type.in_(list(types)), is_free, waits)
                .order_by(sa.func.random() if connection.dialect.name != "mysql" else sa.func.rand())
                .limit(most)
            )
            return [ModelKey(*row) for row in connection.execute(query)]


def _of(tenant: int, fingerprint: str | None) -> sa.Update:
    change = task_models.update().where(task_models.c.tenant == tenant)
    return change if fingerprint is None else change.where(task_models.c.fingerprint == fingerprint)
