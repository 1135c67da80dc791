"""Tenants that a job works on."""

from __future__ import annotations

import sqlalchemy as sa

from headwater.pipeline.errors import PipelineError
from headwater.store.tables import tenants

__all__ = ["chosen_tenants"]


def chosen_tenants(engine: sa.Engine, code: str | None) -> list[int]:
    """The id of the tenant with this code, or those of all tenants."""
    query = sa.select(tenants.c.id).order_by(tenants.c.id)
    with engine.connect() as connection:
        ids = connection.execute(query if code is None else query.where(tenants.c.code == code)).scalars().all()
    if code is not None and not ids:
        raise PipelineError(f"There is no tenant {code!r}.", hint="`headwater tenant list` lists them.")
    return list(ids)
