"""Retry of dead letters."""

from __future__ import annotations

import asyncio
import time

import msgspec

from headwater.access.asserted_tenant import AssertedTenant, find_asserted_tenant
from headwater.access.directory import Directory
from headwater.access.errors import TenantRefused
from headwater.access.identity import SINGLE_USER, Identity, Role, TenantIndex
from headwater.errors import HeadwaterError
from headwater.ingest.admission import Admission
from headwater.openlineage.errors import RefusedEvent
from headwater.openlineage.policy.withheld import check_not_withheld
from headwater.store.scope import Scope
from headwater.store.write.dead_letters import REFUSED, DeadLetter, DeadLetters, Filter

__all__ = ["retry_all", "retry_one"]

_PAGE = 64
"""Dead letters retried together, in shared commits."""


async def retry_one(
    admission: Admission, directory: Directory, dead_letters: DeadLetters, scope: Scope, dead_letter_id: int
) -> HeadwaterError | None:
    """Admit a refused event again, as its sender; gives the reason of another refusal, or None.

    Errors that are not the event's (an outage, a full queue) are raised.
    """
    found = await asyncio.to_thread(dead_letters.get, scope, dead_letter_id)
    if found is None:
        return None
    dead_letter, body = found
    refusal: HeadwaterError | None = None
    try:
        check_not_withheld(body)
        await (await admission.admit(_sender(dead_letter, directory.tenant_index), body, is_retry=True))
    except (RefusedEvent, TenantRefused) as error:
        refusal = error
    outcome = None if refusal is None else (refusal.code, refusal.message, refusal.path)
    await asyncio.to_thread(dead_letters.settle, scope, dead_letter_id, time.time_ns() // 1000, outcome)
    return refusal


async def retry_all(
    admission: Admission, directory: Directory, dead_letters: DeadLetters, scope: Scope, wanted: Filter, limit: int
) -> tuple[int, int]:
    """Retry those that are still refused, newest first; gives how many were taken, and were not."""
    taken = refused = 0
    before: int | None = None
    wanted = msgspec.structs.replace(wanted, state=REFUSED)
    while taken + refused < limit:
        page = await asyncio.to_thread(dead_letters.list, scope, wanted, limit=_PAGE, below=before)
        if not page:
            break
        page = page[: limit - taken - refused]
        work = [retry_one(admission, directory, dead_letters, scope, dead_letter.id) for dead_letter in page]
        outcomes = await asyncio.gather(*work)
        refused += sum(outcome is not None for outcome in outcomes)
        taken += sum(outcome is None for outcome in outcomes)
        before = page[-1].id
    return taken, refused


def _sender(dead_letter: DeadLetter, known: TenantIndex) -> Identity:
    """The sender as stored: the source, and the tenant that the event or an assertion named."""
    if dead_letter.key_id is None:
        return SINGLE_USER
    if dead_letter.vouched is not None:
        tenant = find_asserted_tenant(known, msgspec.json.decode(dead_letter.vouched, type=AssertedTenant))
    else:
        tenant = known.by_id.get(dead_letter.tenant_id) if dead_letter.tenant_id is not None else None
    return Identity(source=dead_letter.source, roles=frozenset({Role.WRITER}), tenant=tenant, key_id=dead_letter.key_id)
