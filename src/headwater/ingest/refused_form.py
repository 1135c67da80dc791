"""The form in which a refused event is kept: under a facet policy without the values that it would not let through."""

from __future__ import annotations

from headwater.access.errors import TenantDisabled, TenantRefused, UnknownTenant
from headwater.access.identity import Identity, TenantIndex
from headwater.errors import HeadwaterError
from headwater.openlineage.policy.withheld import kept_form, withheld_form
from headwater.store.sql_store import DEFAULT_TENANT

__all__ = ["refused_form"]


def refused_form(
    sender: Identity, error: HeadwaterError, body: bytes, tenants: TenantIndex
) -> tuple[HeadwaterError, bytes]:
    """The refusal and the body to keep.

    Where it is not known whose event it is, it may be that of any tenant, so the policy of one is enough to keep no
    values; an event that names a tenant that there is not yet has no policy.
    """
    tenant_id = DEFAULT_TENANT.id if sender.is_single_user else sender.tenant.id if sender.tenant is not None else None
    if tenant_id is None and isinstance(error, TenantRefused):
        tenant_id = error.tenant_id
    if tenant_id is None:
        is_anybodys = not isinstance(error, UnknownTenant)
        if is_anybodys and any(tenant.facet_policy is not None for tenant in tenants.by_id.values()):
            return withheld_form(error, body)
        return kept_form(error, body, None, keeps_event=True)
    tenant = tenants.by_id.get(tenant_id)
    policy = tenant.facet_policy if tenant is not None else None
    return kept_form(error, body, policy, keeps_event=isinstance(error, TenantDisabled))
