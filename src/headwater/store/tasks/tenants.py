"""Tenants for which changes are noted: those with a model."""

from __future__ import annotations

import time

import sqlalchemy as sa

from headwater.store.tasks.tables import task_notes, task_tenants

__all__ = ["are_enabled", "disable", "enable", "enabled_tenants", "is_enabled"]


def enable(connection: sa.Connection, tenant: int) -> None:
    """Begin to note a tenant's changes, in the transaction that gives it a model."""
    if not is_enabled(connection, tenant):
        connection.execute(task_tenants.insert(), {"tenant": tenant, "since": time.time_ns() // 1000})


def disable(connection: sa.Connection, tenant: int) -> None:
    """Stop noting, and remove notes that were not planned yet."""
    connection.execute(task_tenants.delete().where(task_tenants.c.tenant == tenant))
    connection.execute(task_notes.delete().where(task_notes.c.tenant == tenant))


def is_enabled(connection: sa.Connection, tenant: int) -> bool:
    query = sa.select(task_tenants.c.tenant).where(task_tenants.c.tenant == tenant)
    return connection.execute(query).first() is not None


def are_enabled(engine: sa.Engine) -> bool:
    """Whether any tenant has a model."""
    with engine.connect() as connection:
        return connection.execute(sa.select(task_tenants.c.tenant).limit(1)).first() is not None


def enabled_tenants(engine: sa.Engine) -> list[int]:
    """The tenants with a model."""
    with engine.connect() as connection:
        return [row[0] for row in connection.execute(sa.select(task_tenants.c.tenant).order_by(task_tenants.c.tenant))]
