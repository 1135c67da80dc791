"""Sessions of browsers: opened with a key, found by the token in a cookie, ended by the user, by time or with the key.

They are rows of the database, so each is valid in every process and after a restart. Lookups are cached for a few
seconds, so that a page with many requests costs one.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import time

import sqlalchemy as sa

from headwater.access.directory import explained
from headwater.store.access.sessions import Session, Sessions

__all__ = ["OpenSessions"]

_FRESH_SECONDS = 3.0
_MOST_REMEMBERED = 20_000
_LONGEST_TOKEN = 200


class OpenSessions:
    """Used from the event loop."""

    def __init__(self, sessions: Sessions, life_seconds: int) -> None:
        self._sessions, self.life_seconds = sessions, life_seconds
        self._known: dict[bytes, tuple[float, Session]] = {}

    async def open(self, key_id: str) -> str:
        """A new session of this key: the token for the cookie, which is kept nowhere here."""
        token, now = secrets.token_urlsafe(32), time.time_ns() // 1000
        session = Session(
            token_hash=_digest(token), key_id=key_id, created_at=now, expires_at=now + self.life_seconds * 1_000_000
        )
        try:
            await asyncio.to_thread(self._sessions.add, session)
        except sa.exc.SQLAlchemyError as error:
            raise explained(error) from error
        return token

    async def find(self, token: str) -> Session | None:
        """The session of a token, whether it has expired or not."""
        if len(token) > _LONGEST_TOKEN:
            return None
        digest, now = _digest(token), time.monotonic()
        until, known = self._known.get(digest, (0.0, None))
        if known is not None and now < until:
            return known
        try:
            found = await asyncio.to_thread(self._sessions.find, digest)
        except sa.exc.SQLAlchemyError as error:
            raise explained(error) from error
        self._known.pop(digest, None)
        if found is not None:
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            self._known[digest] = (now + _FRESH_SECONDS, found)
        return found

    async def end(self, token: str) -> None:
        digest = _digest(token)
        self._known.pop(digest, None)
        try:
            await asyncio.to_thread(self._sessions.end, digest)
        except sa.exc.SQLAlchemyError as error:
            raise explained(error) from error
        self._known.pop(digest, None)  # found by another request in the meantime


def _digest(token: str) -> bytes:
    """32 random bytes need no slow hash."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
