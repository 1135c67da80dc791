"""Usage of the connection pools."""

from __future__ import annotations

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.pool import QueuePool

__all__ = ["PoolUse", "pool_use"]


class PoolUse(Struct, frozen=True):
    in_use: int
    most: int


def pool_use(engine: sa.Engine) -> PoolUse:
    """Connections in use of an engine's pool, and their greatest number."""
    pool = engine.pool
    if not isinstance(pool, QueuePool):  # SQLite in memory
        return PoolUse(0, 1)
    return PoolUse(pool.checkedout(), pool.size() + pool._max_overflow)  # noqa: SLF001 - cannot be asked otherwise
