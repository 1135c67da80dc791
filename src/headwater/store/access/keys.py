"""API keys: roles, tenant and digest of the secret of each. The secret itself is stored nowhere."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from headwater.store.engine import WRITING
from headwater.store.scope import Scope, within
from headwater.store.tables import api_keys, gateway_assertions

__all__ = ["ApiKey", "Keys"]


class ApiKey(Struct, frozen=True, kw_only=True):
    id: str
    tenant_id: int | None
    """None: the key is for no tenant in particular."""
    source: str
    roles: tuple[str, ...]
    hash: bytes
    name: str
    created_at: int
    expires_at: int | None = None
    revoked_at: int | None = None
    last_used_at: int | None = None
    networks: tuple[str, ...] = ()
    """Networks from which it may be used; none for any."""


class Keys:
    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def exist(self) -> bool:
        """Whether there is any key, revoked ones included, or a gateway has ever signed an assertion.

        From then on everybody needs a credential, also after the gateway is removed from the settings.
        """
        found = (sa.select(api_keys.c.id).limit(1), sa.select(gateway_assertions.c.jti).limit(1))
        with self._engine.connect() as connection:
            return any(connection.execute(query).first() is not None for query in found)

    def find(self, key_id: str) -> ApiKey | None:
        """The key with this id; its tenant is in the key."""
        with self._engine.connect() as connection:
            row = connection.execute(sa.select(api_keys).where(api_keys.c.id == key_id)).first()
        return _key(row) if row else None

    def list(self, scope: Scope) -> list[ApiKey]:
        order = (api_keys.c.created_at, api_keys.c.id)
        query = sa.select(api_keys).where(within(api_keys.c.tenant_id, scope)).order_by(*order)
        with self._engine.connect() as connection:
            return [_key(row) for row in connection.execute(query)]

    def get(self, scope: Scope, key_id: str) -> ApiKey | None:
        query = sa.select(api_keys).where(within(api_keys.c.tenant_id, scope), api_keys.c.id == key_id)
        with self._engine.connect() as connection:
            row = connection.execute(query).first()
        return _key(row) if row else None

    def add(self, key: ApiKey) -> None:
        values = {name: getattr(key, name) for name in ApiKey.__struct_fields__}
        lists = {"roles": ",".join(key.roles), "networks": ",".join(key.networks) or None}
        self._write(api_keys.insert().values({**values, **lists}))

    def revoke(self, scope: Scope, key_id: str, now: int) -> None:
        """From now on; a key that was revoked before stays revoked since then."""
        condition = (within(api_keys.c.tenant_id, scope), api_keys.c.id == key_id, api_keys.c.revoked_at.is_(None))
        self._write(api_keys.update().where(*condition).values(revoked_at=now))

    def end(self, scope: Scope, key_id: str, expires_at: int) -> None:
        """Let a key expire at this time, unless it does so before."""
        later = sa.or_(api_keys.c.expires_at.is_(None), api_keys.c.expires_at > expires_at)
        condition = (within(api_keys.c.tenant_id, scope), api_keys.c.id == key_id, later)
        self._write(api_keys.update().where(*condition).values(expires_at=expires_at))

    def touch(self, key_id: str, now: int) -> None:
        self._write(api_keys.update().where(api_keys.c.id == key_id).values(last_used_at=now))

    def _write(self, statement: Any) -> None:
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            connection.execute(statement)


def _key(row: Any) -> ApiKey:
    values = {name: getattr(row, name) for name in ApiKey.__struct_fields__}
    lists = {name: tuple(filter(None, (values[name] or "").split(","))) for name in ("roles", "networks")}
    return ApiKey(**{**values, **lists})
