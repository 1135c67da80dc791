"""Identity of a caller: source, tenant, roles."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct

from headwater.store.scope import EVERY_TENANT, Scope
from headwater.store.sql_store import DEFAULT_TENANT
from headwater.store.write.log import Tenant

__all__ = ["ANY", "GRAVITINO", "OPERATOR", "SINGLE_USER", "SOURCES", "Identity", "Role", "TenantIndex"]

ANY = "ANY"
GRAVITINO = "GRAVITINO"
SOURCES = (ANY, GRAVITINO, "SPARK", "FLINK", "HIVE", "AIRFLOW", "DBT", "TRINO", "STARROCKS", "OTHER")


class Role(StrEnum):
    WRITER = "writer"
    READER = "reader"
    EDITOR = "editor"
    MONITOR = "monitor"
    ADMIN = "admin"


_IMPLIED = {Role.EDITOR: (Role.READER,), Role.ADMIN: tuple(Role)}


class Identity(Struct, frozen=True, kw_only=True):
    """One caller."""

    source: str
    roles: frozenset[Role]
    tenant: Tenant | None = None
    """The tenant of the credential; None when it is for no tenant in particular."""
    key_id: str | None = None
    name: str | None = None
    """Name of the key."""
    asserted: str | None = None
    """The tenant that a gateway named, in its own words, if there is none such."""
    networks: tuple[str, ...] = ()
    """Networks from which the key may be used; none for any."""
    is_single_user: bool = False
    """Nobody has to authenticate, and everything belongs to the default tenant."""

    @property
    def is_operator(self) -> bool:
        """Not bound to one tenant."""
        return self.tenant is None or self.is_single_user

    @property
    def scope(self) -> Scope:
        """Rows that this caller may read or change, by its roles."""
        return EVERY_TENANT if self.tenant is None or self.is_single_user else self.tenant.id

    def may(self, role: Role) -> bool:
        return role in self.roles or any(role in _IMPLIED.get(own, ()) for own in self.roles)


SINGLE_USER = Identity(source=ANY, roles=frozenset(Role), tenant=DEFAULT_TENANT, is_single_user=True)
OPERATOR = Identity(source=ANY, roles=frozenset(Role))
"""The command line, for users who can open the database anyway."""


class TenantIndex:
    """All tenants as they were a moment ago."""

    def __init__(self, tenants: Iterable[Tenant] = (DEFAULT_TENANT,)) -> None:
        self.by_id = {tenant.id: tenant for tenant in tenants}
        self.by_code = {tenant.code: tenant for tenant in self.by_id.values()}
