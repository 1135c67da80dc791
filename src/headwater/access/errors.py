"""Why a caller is not let in, or why an event has no tenant."""

from __future__ import annotations

from headwater.errors import HeadwaterError

__all__ = [
    "Forbidden",
    "ForeignHost",
    "ForeignNetwork",
    "ForeignSite",
    "InvalidAssertion",
    "InvalidKey",
    "NoTenant",
    "OtherTenant",
    "ReplayedAssertion",
    "SessionEnded",
    "TenantConflict",
    "TenantDisabled",
    "TenantRefused",
    "Unauthenticated",
    "UnknownTenant",
]


class Unauthenticated(HeadwaterError):
    """There is no credential, or it is not good."""

    code = "unauthenticated"


class InvalidKey(Unauthenticated):
    code = "invalid_key"


class InvalidAssertion(Unauthenticated):
    code = "invalid_assertion"


class ReplayedAssertion(Unauthenticated):
    code = "replayed_assertion"


class SessionEnded(Unauthenticated):
    """The cookie of a browser belongs to no session that is still good."""

    code = "session_ended"


class Forbidden(HeadwaterError):
    """The credential is good, but not for this."""

    code = "forbidden"


class ForeignHost(Forbidden):
    """The request is for a name that is not known to be this server's."""

    code = "foreign_host"


class ForeignNetwork(Forbidden):
    """The key is used from an address that is in none of its networks."""

    code = "foreign_network"


class ForeignSite(Forbidden):
    """The request was made by a page of another site."""

    code = "foreign_site"


class OtherTenant(Forbidden):
    """A credential of one tenant was used to ask about another."""

    code = "other_tenant"


class TenantRefused(HeadwaterError):
    """The tenant of an event cannot be settled, or takes no events."""

    code = "tenant_refused"
    tenant_id: int | None = None
    """The tenant that the event is for, where that much is known."""


class TenantConflict(TenantRefused):
    code = "tenant_conflict"


class NoTenant(TenantRefused):
    code = "no_tenant"


class UnknownTenant(TenantRefused):
    code = "unknown_tenant"


class TenantDisabled(TenantRefused):
    code = "tenant_disabled"
