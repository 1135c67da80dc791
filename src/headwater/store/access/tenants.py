"""The tenants themselves."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from headwater.errors import HeadwaterError
from headwater.store.dialects.failures import retried
from headwater.store.engine import WRITING
from headwater.store.scope import EVERY_TENANT, Scope, within
from headwater.store.tables import tenants
from headwater.store.write.log import Tenant

__all__ = ["ACTIVE", "DISABLED", "TenantExists", "Tenants"]

ACTIVE, DISABLED = "ACTIVE", "DISABLED"
_TRIES = 20


class TenantExists(HeadwaterError):
    code = "tenant_exists"


class Tenants:
    """Makes, finds and switches tenants. None is ever deleted: its id is in every row it owns."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def list(self, scope: Scope) -> list[Tenant]:
        query = sa.select(tenants).where(within(tenants.c.id, scope)).order_by(tenants.c.id)
        with self._engine.connect() as connection:
            return [_tenant(row) for row in connection.execute(query)]

    def get(self, scope: Scope, code: str) -> Tenant | None:
        query = sa.select(tenants).where(within(tenants.c.id, scope), tenants.c.code == code)
        with self._engine.connect() as connection:
            row = connection.execute(query).first()
        return _tenant(row) if row else None

    def create(self, code: str, name: str, tenant_id: int | None = None) -> Tenant:
        """A new tenant; with the id by which a source such as Gravitino knows it, or the next free one."""
        for _ in range(_TRIES if tenant_id is None else 1):  # another process may have taken the next free id
            try:
                return retried(lambda: self._create(code, name, tenant_id))
            except sa.exc.IntegrityError:
                if self.get(EVERY_TENANT, code) is not None:
                    break
        raise TenantExists(
            f"There is a tenant with the code {code!r}" + (f" or the id {tenant_id}." if tenant_id else "."),
            hint="`headwater tenant list` shows all of them.",
        )

    def set_state(self, scope: Scope, code: str, state: str) -> Tenant | None:
        return self._change(scope, code, state=state)

    def set_limit(self, scope: Scope, code: str, rate: int | None, burst: int | None) -> Tenant | None:
        """Set the rate and burst limits of a tenant; None for those of the settings."""
        return self._change(scope, code, event_rate=rate, event_burst=burst)

    def set_facet_policy(self, scope: Scope, code: str, policy: str | None) -> Tenant | None:
        """Set the facet policy of a tenant, None for none of its own."""
        return self._change(scope, code, facet_policy=policy)

    def rename(self, tenant: int, code: str, name: str) -> None:
        """Give the tenant with this id and code another name."""
        change = tenants.update().where(tenants.c.id == tenant, tenants.c.code == code).values(name=name)
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            connection.execute(change)

    def _change(self, scope: Scope, code: str, **values: str | int | None) -> Tenant | None:
        change = tenants.update().where(within(tenants.c.id, scope), tenants.c.code == code).values(values)
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            connection.execute(change)
        return self.get(scope, code)

    def _create(self, code: str, name: str, tenant_id: int | None) -> Tenant:
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            if tenant_id is None:
                highest = connection.execute(sa.select(sa.func.max(tenants.c.id))).scalar()
                tenant_id = (highest or 0) + 1
            connection.execute(tenants.insert(), {"id": tenant_id, "code": code, "name": name, "state": ACTIVE})
        return Tenant(tenant_id, code, name, ACTIVE)


def _tenant(row: sa.Row[Any]) -> Tenant:
    return Tenant(row.id, row.code, row.name, row.state, row.event_rate, row.event_burst, row.facet_policy)
