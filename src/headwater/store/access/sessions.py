"""Sessions of browsers that signed in with a key. The token itself is nowhere, only its digest."""

from __future__ import annotations

import sqlalchemy as sa
from msgspec import Struct

from headwater.store.engine import WRITING
from headwater.store.tables import browser_sessions

__all__ = ["Session", "Sessions"]

_MOST_OF_KEY = 100
"""Sessions of one key; a further one ends the oldest."""


class Session(Struct, frozen=True, kw_only=True):
    token_hash: bytes
    key_id: str
    created_at: int
    expires_at: int


class Sessions:
    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def find(self, token_hash: bytes) -> Session | None:
        query = sa.select(browser_sessions).where(browser_sessions.c.token_hash == token_hash)
        with self._engine.connect() as connection:
            row = connection.execute(query).first()
        return Session(**row._asdict()) if row else None

    def add(self, session: Session) -> None:
        """Keep a new session; forget those that have expired, and the oldest of this key if it has too many."""
        table = browser_sessions
        of_key = (
            sa.select(table.c.token_hash)
            .where(table.c.key_id == session.key_id)
            .order_by(table.c.created_at.desc(), table.c.token_hash)
            .offset(_MOST_OF_KEY - 1)
            .limit(_MOST_OF_KEY)
        )
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            connection.execute(table.delete().where(table.c.expires_at <= session.created_at))
            too_many = list(connection.execute(of_key).scalars())
            if too_many:
                connection.execute(table.delete().where(table.c.token_hash.in_(too_many)))
            connection.execute(table.insert(), {name: getattr(session, name) for name in Session.__struct_fields__})

    def end(self, token_hash: bytes) -> None:
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            connection.execute(browser_sessions.delete().where(browser_sessions.c.token_hash == token_hash))
