"""Assertions of a gateway that were used, so that none is used twice, whichever process it is shown to."""

from __future__ import annotations

import hashlib

import sqlalchemy as sa

from headwater.store.engine import WRITING
from headwater.store.tables import gateway_assertions

__all__ = ["Assertions"]

_PURGE_EVERY = 1000
_KEPT_SECONDS = 120
"""After it expired: the clocks of the processes need not agree to the second."""


class Assertions:
    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._used = 0

    def use(self, name: str, expires_at: int, now: int) -> bool:
        """Whether this one is used for the first time. Expired ones are deleted now and then.

        One always stays: it shows `Keys.exist` that a gateway was configured.
        Times are seconds since 1970.
        """
        row = {"jti": hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest(), "expires_at": expires_at}
        self._used += 1
        try:
            with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
                if self._used % _PURGE_EVERY == 1:
                    old = gateway_assertions.c.expires_at < now - _KEPT_SECONDS
                    connection.execute(gateway_assertions.delete().where(old))
                connection.execute(gateway_assertions.insert(), row)
        except sa.exc.IntegrityError:
            return False
        return True
