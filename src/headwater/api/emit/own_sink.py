"""Headwater as a sink of its own adapter: events go through admission like those of any producer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import sqlalchemy as sa

from headwater.access.identity import ANY, Identity, Role
from headwater.api.errors import status_of
from headwater.emit.deliver import DeliveryOutcome, Own
from headwater.errors import HeadwaterError
from headwater.ingest.admission import Admission
from headwater.ingest.errors import RateLimited
from headwater.store.write.log import Tenant

__all__ = ["own_sink"]

_SECONDS = 60.0


def own_sink(admission: Admission, loop: asyncio.AbstractEventLoop) -> Own:
    """A function for other threads than the event loop's; it returns when the events are durable or refused."""

    def take(tenant: Tenant, bodies: Sequence[bytes]) -> Sequence[DeliveryOutcome]:
        work = asyncio.run_coroutine_threadsafe(_admit_all(admission, tenant, bodies), loop)
        try:
            return work.result(_SECONDS)
        except TimeoutError:
            work.cancel()
            return [DeliveryOutcome(0, f"The events were not written within {_SECONDS:g} s.")] * len(bodies)

    return take


async def _admit_all(admission: Admission, tenant: Tenant, bodies: Sequence[bytes]) -> list[DeliveryOutcome]:
    sender = Identity(source=ANY, roles=frozenset({Role.WRITER}), tenant=tenant, name="overlay adapter")
    try:
        admission.count(tenant, len(bodies))
    except RateLimited as error:
        return [DeliveryOutcome(429, error.message, error.retry_after)] * len(bodies)
    return list(await asyncio.gather(*(_admit(admission, sender, body) for body in bodies)))


async def _admit(admission: Admission, sender: Identity, body: bytes) -> DeliveryOutcome:
    """Admit one event. A refused one becomes a dead letter of the outbox, and only there."""
    try:
        await (await admission.admit(sender, body, is_retry=True))
    except HeadwaterError as error:
        return DeliveryOutcome(status_of(error), error.message)
    except sa.exc.SQLAlchemyError:
        return DeliveryOutcome(503, "The database does not take events now.")
    return DeliveryOutcome(201)
