"""Rate limit of events per tenant."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from headwater.ingest.errors import RateLimited
from headwater.store.write.log import Tenant
from headwater.token_buckets import TokenBuckets

__all__ = ["BURST_SECONDS", "RateLimits"]

BURST_SECONDS = 2
"""The default burst is the rate times this."""


class RateLimits:
    """A rate of 0 is no limit; a tenant's own rate takes precedence over the default.

    Buckets belong to one process: several processes admit this many events each.
    """

    def __init__(self, rate: int = 0, burst: int = 0, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst = rate, burst
        self._buckets = TokenBuckets(clock)

    def is_limited(self, tenant: Tenant) -> bool:
        """Whether this tenant has a limit."""
        return (self._rate if tenant.rate is None else tenant.rate) != 0

    def take(self, tenant: Tenant, events: int) -> None:
        """Count events that came together, all or none.

        More than a burst is taken when the bucket is full, and must then be made up for: a batch may have any size,
        and the rate still holds.
        """
        rate, burst = self._limit_of(tenant)
        if rate == 0:
            return
        wait = self._buckets.take(tenant.id, rate, burst, events)
        if wait:
            raise RateLimited(
                f"The tenant {tenant.code} sends more than its {rate} events a second.",
                hint="Send it again after the time in Retry-After; an operator can raise the limit.",
                retry_after=max(1, math.ceil(wait)),
            )

    def charge(self, tenant: Tenant, events: int) -> None:
        """Count further events for an admitted one; later ones are refused until the bucket has refilled."""
        rate, burst = self._limit_of(tenant)
        if rate:
            self._buckets.charge(tenant.id, rate, burst, events)

    def _limit_of(self, tenant: Tenant) -> tuple[int, int]:
        rate, burst = (self._rate, self._burst) if tenant.rate is None else (tenant.rate, tenant.burst)
        return rate, burst or rate * BURST_SECONDS
