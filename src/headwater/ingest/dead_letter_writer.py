"""Batching writer for dead letters."""

from __future__ import annotations

import asyncio
import logging
import time

import sqlalchemy as sa

from headwater.access.errors import TenantRefused
from headwater.access.identity import Identity
from headwater.errors import HeadwaterError
from headwater.ingest.metrics import DEAD_LETTERS, LOST_DEAD_LETTERS
from headwater.store.dialects.failures import reason_of
from headwater.store.write.dead_letters import DeadLetters, Refusal

__all__ = ["DeadLetterWriter"]

_log = logging.getLogger(__name__)
_MOST_BYTES = 64 << 20
_OVERHEAD = 1 << 10
"""Of each refusal, beside its body."""
_AT_ONCE = 1000
"""Written in one transaction: others write in between."""


class DeadLetterWriter:
    """Used from the event loop. A refusal is queued at once; its request is answered when it is stored."""

    def __init__(self, dead_letters: DeadLetters) -> None:
        self._dead_letters = dead_letters
        self._waiting: list[Refusal] = []
        self._bytes = 0
        self._writing = asyncio.Lock()

    def put(self, identity: Identity, error: HeadwaterError, body: bytes) -> None:
        if self._bytes + len(body) + _OVERHEAD > _MOST_BYTES:
            LOST_DEAD_LETTERS.inc()
            return
        tenant_id = identity.tenant.id if identity.tenant else None
        if tenant_id is None and isinstance(error, TenantRefused):
            tenant_id = error.tenant_id
        self._waiting.append(
            Refusal(
                tenant_id=tenant_id,
                key_id=identity.key_id,
                source=identity.source,
                received_at=time.time_ns() // 1000,
                reason=error.code,
                message=error.message,
                path=error.path,
                body=body,
                vouched=identity.asserted,
            )
        )
        self._bytes += len(body) + _OVERHEAD

    async def emptied(self) -> None:
        """Wait until everything that was put in before is kept. That it could not be kept spoils no answer."""
        if not self._waiting and not self._writing.locked():
            return
        async with self._writing:  # what others took out before is written by now
            batch, self._waiting = self._waiting, []
            try:
                for start in range(0, len(batch), _AT_ONCE):
                    await self._write(batch[start : start + _AT_ONCE])
            finally:
                self._bytes -= sum(len(refusal.body) + _OVERHEAD for refusal in batch)

    async def _write(self, batch: list[Refusal]) -> None:
        try:
            await asyncio.to_thread(self._dead_letters.add, batch)
        except sa.exc.SQLAlchemyError as error:
            LOST_DEAD_LETTERS.inc(len(batch))
            _log.error("refused events could not be kept", extra={"events": len(batch), "reason": reason_of(error)})
        else:
            DEAD_LETTERS.inc(len(batch))
