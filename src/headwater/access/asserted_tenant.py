"""The tenant that a gateway vouches for, by id, by code, or by both."""

from __future__ import annotations

from msgspec import Struct

from headwater.access.errors import TenantConflict, UnknownTenant
from headwater.access.identity import TenantBook
from headwater.store.write.log import Tenant

__all__ = ["Vouched", "vouched_tenant"]


class Vouched(Struct, frozen=True, omit_defaults=True):
    """What a gateway said of the tenant."""

    tenantId: int | None = None  # noqa: N815 - as gateways send it
    tenantCode: str | None = None  # noqa: N815


def vouched_tenant(known: TenantBook, said: Vouched) -> Tenant | None:
    """The tenant that is meant, None if the gateway said nothing of it, or why there is none."""
    found: list[Tenant] = []
    for name, sent, tenant in (
        ("tenantId", said.tenantId, known.by_id.get(said.tenantId or 0)),
        ("tenantCode", said.tenantCode, known.by_code.get(said.tenantCode or "")),
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
