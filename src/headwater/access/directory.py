"""Cache of tenants and keys, so that an event needs no look-up."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

import sqlalchemy as sa

from headwater.access.identity import TenantIndex
from headwater.store.access.keys import ApiKey, Keys
from headwater.store.access.tenants import Tenants
from headwater.store.dialects.failures import StoreUnavailable, is_outage
from headwater.store.scope import EVERY_TENANT

__all__ = ["Directory", "explained"]

_FRESH_SECONDS = 3.0
_TOUCH_AFTER = 60_000_000
"""Microseconds after which the last use of a key is noted again."""
_MOST_KEYS = 20_000


class Directory:
    """Used from the event loop. Changes by other processes arrive after a few seconds."""

    def __init__(self, tenants: Tenants, keys: Keys) -> None:
        self._tenants, self._stored_keys = tenants, keys
        self._keys: dict[str, tuple[float, ApiKey | None]] = {}
        self._fresh_until = 0.0
        self._generation = 0
        self._loading: asyncio.Task[None] | None = None
        self.tenant_index = TenantIndex()
        self.has_keys = True
        """Until it is known that there are none, nobody is let in without."""

    @property
    def is_fresh(self) -> bool:
        return time.monotonic() < self._fresh_until

    async def refresh(self) -> None:
        """Refresh stale entries; concurrent callers share one lookup."""
        if self.is_fresh:
            return
        if self._loading is None:
            self._loading = asyncio.ensure_future(self._load())
        await asyncio.shield(self._loading)

    def known_key(self, key_id: str) -> ApiKey | None:
        """A key that was looked up a moment ago."""
        until, key = self._keys.get(key_id, (0.0, None))
        return key if time.monotonic() < until else None

    async def key(self, key_id: str) -> ApiKey | None:
        now = time.monotonic()
        known = self._keys.get(key_id)
        if known is not None and now < known[0]:
            return known[1]
        generation = self._generation
        try:
            found = await asyncio.to_thread(self._find, key_id)
        except sa.exc.SQLAlchemyError as error:
            raise explained(error) from error
        if len(self._keys) >= _MOST_KEYS:
            self._keys.clear()
        if generation == self._generation:
            self._keys[key_id] = (now + _FRESH_SECONDS, found)
        return found

    def forget(self) -> None:
        """Something was changed: look again at the next request."""
        self._generation += 1
        self._fresh_until = 0.0
        self._loading = None
        self._keys.clear()

    async def _load(self) -> None:
        generation = self._generation
        try:
            tenant_index, has_keys = await asyncio.to_thread(self._read)
        except sa.exc.SQLAlchemyError as error:
            raise explained(error) from error
        finally:
            if generation == self._generation:
                self._loading = None
        if generation == self._generation:
            self.tenant_index, self.has_keys = tenant_index, has_keys
            self._fresh_until = time.monotonic() + _FRESH_SECONDS

    def _read(self) -> tuple[TenantIndex, bool]:
        # Keys never vanish, so once there was one there is no need to ask again.
        has_keys = (self._fresh_until > 0 and self.has_keys) or self._stored_keys.exist()
        return TenantIndex(self._tenants.list(EVERY_TENANT)), has_keys

    def _find(self, key_id: str) -> ApiKey | None:
        key, now = self._stored_keys.find(key_id), time.time_ns() // 1000
        if key is not None and (key.last_used_at or 0) < now - _TOUCH_AFTER:
            with suppress(sa.exc.SQLAlchemyError):  # nobody is turned away because that could not be noted
                self._stored_keys.touch(key_id, now)
        return key


def explained(error: sa.exc.SQLAlchemyError) -> Exception:
    if not is_outage(error):
        return error
    return StoreUnavailable("The database does not answer now.", hint="Ask again after the time in Retry-After.")
