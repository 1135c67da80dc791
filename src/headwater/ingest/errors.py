"""Why an event that is in order could not be taken now, or not from this sender, or not for this tenant."""

from __future__ import annotations

from headwater.errors import HeadwaterError

__all__ = [
    "Forbidden",
    "ForeignHost",
    "ForeignSite",
    "InvalidAssertion",
    "InvalidKey",
    "NoTenant",
    "OtherTenant",
    "Overloaded",
    "RateLimited",
    "ReplayedAssertion",
    "SessionEnded",
    "TenantConflict",
    "TenantDisabled",
    "TenantRefused",
    "TooLarge",
    "Unauthenticated",
    "UnknownTenant",
    "UnsupportedBody",
    "WriteFailed",
]


class Overloaded(HeadwaterError):
    """More is waiting to be written than the server is willing to hold; nothing of this request was kept."""

    code = "overloaded"


class RateLimited(HeadwaterError):
    """The tenant sends more than it may; nothing of this request was kept."""

    code = "rate_limited"

    def __init__(self, message: str, *, hint: str | None = None, retry_after: int = 1) -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


class TooLarge(HeadwaterError):
    code = "too_large"


class UnsupportedBody(HeadwaterError):
    """The body is compressed, or written, in a way that is not read here."""

    code = "unsupported_body"


class WriteFailed(HeadwaterError):
    """The store refused this event, though not its neighbours."""

    code = "write_failed"


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
