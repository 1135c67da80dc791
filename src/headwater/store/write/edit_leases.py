"""Leases on the edges of one thing, so that conditional changes of them are one at a time in all processes."""

from __future__ import annotations

import sqlalchemy as sa

from headwater.store.dialects.clock import database_time
from headwater.store.dialects.failures import is_conflict
from headwater.store.engine import WRITING, is_busy
from headwater.store.tables import edit_leases

__all__ = ["EditLeases"]

_MICROSECONDS = 30_000_000
"""How long a lease counts whose holder vanished."""


class EditLeases:
    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def take(self, tenant: int, subject: bytes, token: str) -> bool:
        """Take a lease; False if somebody else has it."""
        table = edit_leases
        try:
            with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
                now = database_time(connection)
                over = table.delete().where(
                    table.c.tenant == tenant, table.c.subject == subject, table.c.expires_at <= now
                )
                connection.execute(over)
                row = {"tenant": tenant, "subject": subject, "token": token, "expires_at": now + _MICROSECONDS}
                connection.execute(table.insert(), row)
        except sa.exc.IntegrityError:
            return False
        except sa.exc.DBAPIError as error:
            if not (is_conflict(error) or is_busy(error)):
                raise
            return False
        return True

    def release(self, tenant: int, subject: bytes, token: str) -> None:
        """Give a lease back. One that cannot be given back runs out by itself."""
        table = edit_leases
        mine = table.delete().where(table.c.tenant == tenant, table.c.subject == subject, table.c.token == token)
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            connection.execute(mine)
