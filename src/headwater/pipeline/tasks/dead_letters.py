"""Dead letters of a stream, each stored once however often its batch is repeated."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache

import sqlalchemy as sa

from headwater.errors import HeadwaterError
from headwater.store.dialects.failures import retried
from headwater.store.engine import make_engine
from headwater.store.scope import EVERY_TENANT
from headwater.store.write.dead_letters import DeadLetters, Filter, Refusal
from headwater.store.write.log import Tenant

__all__ = ["dead_letter", "keep_dead_letters"]

SENDER = "pipeline"
"""In place of a key: such a letter is retried for its own tenant."""
_MOST = 1_000_000


@cache
def _engine(url: str) -> sa.Engine:
    """One engine per process and store."""
    return make_engine(url)


def dead_letter(
    source: str, origin: str, tenant: Tenant | None, error: HeadwaterError, body: bytes, received_at: int | None
) -> Refusal:
    """A refused message or line; the place is part of its message."""
    return Refusal(
        tenant_id=tenant.id if tenant else None,
        key_id=SENDER,
        source=source,
        received_at=time.time_ns() // 1000 if received_at is None else received_at,
        reason=error.code,
        message=f"{origin}: {error.message}",
        path=error.path,
        body=body,
    )


def keep_dead_letters(url: str, refused: Sequence[Refusal], *, again: bool) -> None:
    """Keep them; when the batch may have been done before, only those that are not there yet."""
    if not refused:
        return
    dead_letters = DeadLetters(_engine(url))
    new = list(refused)
    if again:
        times = [refusal.received_at for refusal in refused]
        wanted = Filter(source=refused[0].source, after=min(times), before=max(times) + 1)
        known = {found.message for found in dead_letters.list(EVERY_TENANT, wanted, limit=_MOST)}
        new = [refusal for refusal in refused if refusal.message not in known]
    if new:
        retried(lambda: dead_letters.add(new))
