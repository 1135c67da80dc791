"""Renews the leases of batches that run."""

from __future__ import annotations

import logging
import threading
import time

import sqlalchemy as sa

from headwater.background import Background
from headwater.store.dialects.failures import reason_of
from headwater.store.tasks.task_store import Claim, TaskStore

__all__ = ["Leases"]

_log = logging.getLogger(__name__)


class Leases(Background):
    """A batch that runs for longer than `longest` loses its lease: its thread may hang."""

    def __init__(self, store: TaskStore, lease: float, longest: float) -> None:
        super().__init__("task-leases")
        self._store, self._lease, self._longest = store, lease, longest
        self._held: dict[str, tuple[Claim, float]] = {}
        self._lock = threading.Lock()

    def hold(self, claim: Claim) -> None:
        with self._lock:
            self._held[claim.token] = (claim, time.monotonic())

    def let_go(self, claim: Claim) -> None:
        with self._lock:
            self._held.pop(claim.token, None)

    def _run(self) -> None:
        while not self._ends.wait(self._lease / 3):
            now = time.monotonic()
            with self._lock:
                held = [claim for claim, began in self._held.values() if now - began < self._longest]
            for claim in held:
                try:
                    self._store.renew(claim, [work.task for work in claim.work], self._lease)
                except sa.exc.SQLAlchemyError as error:  # the next third tries again, before the lease is over
                    _log.warning("a lease could not be renewed", extra={"reason": reason_of(error)})
