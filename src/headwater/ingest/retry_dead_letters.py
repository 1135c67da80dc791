"""Refused events once more, after what was wrong has been mended."""

from __future__ import annotations

import asyncio
import time

import msgspec

from headwater.access.asserted_tenant import Vouched, vouched_tenant
from headwater.access.directory import Directory
from headwater.access.errors import TenantRefused
from headwater.access.identity import SINGLE_USER, Identity, Role, TenantBook
from headwater.errors import HeadwaterError
from headwater.ingest.admission import Admission
from headwater.openlineage.errors import RefusedEvent
from headwater.store.scope import Scope
from headwater.store.write.dead_letters import REFUSED, DeadLetter, DeadLetters, Filter

__all__ = ["retry_all", "retry_one"]

_PAGE = 64
"""So many are retried together, and share commits."""


async def retry_one(
    admission: Admission, directory: Directory, letters: DeadLetters, scope: Scope, letter_id: int
) -> HeadwaterError | None:
    """Admit a refused event again, as its sender; gives why it is refused once more, or None.

    What has nothing to do with the event (an outage, a full queue) is raised.
    """
    found = await asyncio.to_thread(letters.get, scope, letter_id)
    if found is None:
        return None
    letter, body = found
    refusal: HeadwaterError | None = None
    try:
        await (await admission.admit(_sender(letter, directory.book), body))
    except (RefusedEvent, TenantRefused) as error:
        refusal = error
    outcome = None if refusal is None else (refusal.code, refusal.message, refusal.path)
    await asyncio.to_thread(letters.settle, scope, letter_id, time.time_ns() // 1000, outcome)
    return refusal


async def retry_all(
    admission: Admission, directory: Directory, letters: DeadLetters, scope: Scope, wanted: Filter, limit: int
) -> tuple[int, int]:
    """Retry those that are still refused, newest first; gives how many were taken, and were not."""
    taken = refused = 0
    before: int | None = None
    wanted = msgspec.structs.replace(wanted, state=REFUSED)
    while taken + refused < limit:
        page = await asyncio.to_thread(letters.list, scope, wanted, limit=_PAGE, below=before)
        if not page:
            break
        page = page[: limit - taken - refused]
        work = [retry_one(admission, directory, letters, scope, letter.id) for letter in page]
        outcomes = await asyncio.gather(*work)
        refused += sum(outcome is not None for outcome in outcomes)
        taken += sum(outcome is None for outcome in outcomes)
        before = page[-1].id
    return taken, refused


def _sender(letter: DeadLetter, known: TenantBook) -> Identity:
    """Who sent it, as far as it is kept: the source, and the tenant it was attributed to or vouched for."""
    if letter.key_id is None:
        return SINGLE_USER
    if letter.vouched is not None:
        tenant = vouched_tenant(known, msgspec.json.decode(letter.vouched, type=Vouched))
    else:
        tenant = known.by_id.get(letter.tenant_id) if letter.tenant_id is not None else None
    return Identity(source=letter.source, roles=frozenset({Role.WRITER}), tenant=tenant, key_id=letter.key_id)
