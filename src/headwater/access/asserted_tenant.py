"""Tenant named by a gateway assertion, by id, by code, or by both."""

from __future__ import annotations

from msgspec import Struct

from headwater.access.errors import TenantConflict, UnknownTenant
from headwater.access.identity import TenantIndex
from headwater.store.write.log import Tenant

__all__ = ["AssertedTenant", "find_asserted_tenant"]


class AssertedTenant(Struct, frozen=True, omit_defaults=True):
    """The tenant part of a gateway's assertion."""

    tenantId: int | None = None  # noqa: N815 - as gateways send it
    tenantCode: str | None = None  # noqa: N815


def find_asserted_tenant(known: TenantIndex, assertion: AssertedTenant) -> Tenant | None:
    """The asserted tenant, None without one, or the reason why there is none."""
    found: list[Tenant] = []
    for name, sent, tenant in (
        ("tenantId", assertion.tenantId, known.by_id.get(assertion.tenantId or 0)),
        ("tenantCode", assertion.tenantCode, known.by_code.get(assertion.tenantCode or "")),
    ):
        if sent is None:
            continue
        if tenant is None:
            raise UnknownTenant(
                f"The gateway vouches for a tenant that is not known: {name} {sent!r}.",
                hint="Create it: headwater tenant create CODE --id ID. Then retry the dead letter.",
            )
        found.append(tenant)
    if len({tenant.id for tenant in found}) > 1:
        raise TenantConflict("The gateway's tenantId and tenantCode are those of two tenants.")
    return found[0] if found else None
