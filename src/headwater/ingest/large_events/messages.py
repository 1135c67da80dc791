"""Messages between the server and its process for large events."""

from __future__ import annotations

from msgspec import Struct

from headwater.access.identity import Identity
from headwater.errors import HeadwaterError
from headwater.store.write.log import Tenant

__all__ = ["LargeEvent", "LargeEventOutcome", "Settled"]


class LargeEvent(Struct, frozen=True):
    """Work for the process."""

    sender: Identity
    body: bytes
    tenants: tuple[Tenant, ...] = ()
    """Its possible tenants, if its sender does not name one."""


class Settled(Struct, frozen=True):
    """Whose it is, or why nobody's."""

    tenant: Tenant | None = None
    refusal: HeadwaterError | None = None


class LargeEventOutcome(Struct, frozen=True):
    """How it went."""

    failure: HeadwaterError | None = None
    is_new: bool = False
    warnings: int = 0
    is_interpreted: bool = True
    seconds: float = 0.0
    """That writing took."""
    policy_counts: tuple[int, int] = (0, 0)
    """Parts that the facet policy removed, and values that it redacted."""
