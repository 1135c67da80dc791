"""Executes one turn: claims a batch, runs it, and writes back the results."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

import sqlalchemy as sa

from headwater.store.dialects.failures import is_outage, reason_of
from headwater.store.tasks.models import ModelKey
from headwater.store.tasks.records import NewTask, TaskOutcome
from headwater.store.tasks.task_store import Added, Claim, SettledBatch, TaskStore
from headwater.store.write.log import Tenant
from headwater.tasks.channel import Turn
from headwater.tasks.halving import Ran, describe, run_halved
from headwater.tasks.handler import Handler
from headwater.tasks.leases import Leases
from headwater.tasks.meter import TaskMeter
from headwater.tasks.options import WorkerOptions
from headwater.tasks.schedule import together

__all__ = ["Executor"]

_T = TypeVar("_T")
_log = logging.getLogger(__name__)
_GIVE_WAY = 0.002
"""Seconds after a transaction: those that wait for the one connection that writes would else find it taken again."""
_AGAIN = 1.0
"""Seconds between two tries to write back to a database that is away."""


class Executor:
    """Used by all threads of a worker."""

    def __init__(
        self,
        name: str,
        store: TaskStore,
        handlers: Mapping[str, Handler],
        leases: Leases,
        meter: TaskMeter,
        options: WorkerOptions,
    ) -> None:
        self._name, self._store, self._handlers, self._leases = name, store, handlers, leases
        self._meter, self._options = meter, options
        self._ends = threading.Event()

    def stop(self) -> None:
        """Begin no further part of a batch."""
        self._ends.set()

    def execute(self, tenant: Tenant, turn: Turn) -> tuple[bool, Sequence[int], tuple[Added, ...]]:
        """Whether the table may have more of this model, which pushed tasks are left, and which tasks follow."""
        handler = self._handlers[turn.model.task_type]
        claim = self._store.claim(
            tenant,
            turn.model,
            worker=self._name,
            lease=self._options.lease,
            size=handler.batch_size,
            choose=together,
            numbers=turn.numbers,
        )
        time.sleep(_GIVE_WAY)
        if claim is None:
            return False, (), ()
        taken = {work.task for work in claim.work}
        back = [number for number in reversed(turn.numbers or ()) if number not in taken]
        self._meter.count("claimed", claim.task_type, tenant.code, len(taken))
        began = time.monotonic()
        self._leases.hold(claim)
        try:
            settled = self._work(handler, claim, began)
        finally:
            self._leases.let_go(claim)
            self._meter.batch(claim.task_type, time.monotonic() - began)
            time.sleep(_GIVE_WAY)
        return turn.numbers is None, back, settled.added

    def _work(self, handler: Handler, claim: Claim, began: float) -> SettledBatch:
        ends = began + self._options.longest_batch

        def goes_on() -> bool:
            return not self._ends.is_set() and time.monotonic() < ends

        ran = run_halved(partial(handler.run, claim.tenant, claim.fingerprint), claim.work, goes_on)
        if ran.pause is not None:
            pause = ran.pause
            model = ModelKey(claim.tenant.id, claim.task_type, claim.fingerprint)
            told = f"{pause.message} {pause.hint or ''}".rstrip()
            self._insist(began, lambda: self._store.pause(model, pause.reason, told, pause.until))
            self._meter.pause(pause.reason, claim.tenant.code)
            _log.warning("a model is paused", extra={"tenant": claim.tenant.code, "reason": pause.reason})
        settled = self._insist(began, lambda: self._write_back(handler, claim, ran, began)) or SettledBatch()
        self._count(claim, settled)
        if settled.succeeded:
            try:
                handler.written(claim.tenant.id, settled.succeeded)
            except Exception as error:  # noqa: BLE001 - the results are stored
                _log.warning("what follows results has failed", extra={"reason": describe(error)[1]})
        return settled

    def _write_back(self, handler: Handler, claim: Claim, ran: Ran, began: float) -> SettledBatch:
        def write(connection: sa.Connection, good: Sequence[TaskOutcome]) -> Sequence[NewTask]:
            return handler.write(connection, claim.tenant.id, claim.fingerprint, good)

        milliseconds = int((time.monotonic() - began) * 1000)
        try:
            return self._store.settle(claim, ran.outcomes, ran.released, write, milliseconds)
        except Exception as error:
            if isinstance(error, sa.exc.SQLAlchemyError) and is_outage(error):
                raise
            # Results that cannot be stored are failures of their tasks; which of them, the next attempts tell.
            code, text = describe(error)
            failed = [
                TaskOutcome(outcome.task, ok=False, error_type=code, error=text)
                if outcome.ok and not outcome.is_needless
                else outcome
                for outcome in ran.outcomes
            ]
            return self._store.settle(claim, failed, ran.released, write, milliseconds)

    def _insist(self, began: float, work: Callable[[], _T]) -> _T | None:
        """Do this although the database is away, as long as the lease can be ours: results may have cost money."""
        ends = max(time.monotonic(), began) + self._options.lease
        while True:
            try:
                return work()
            except sa.exc.SQLAlchemyError as error:
                if not is_outage(error) or time.monotonic() > ends:
                    _log.warning("a batch could not be written back", extra={"reason": reason_of(error)})
                    return None
            time.sleep(_AGAIN)

    def _count(self, claim: Claim, settled: SettledBatch) -> None:
        for what, number in (
            ("succeeded", len(settled.succeeded)),
            ("retried", settled.failed),
            ("dead", settled.dead),
            ("released", settled.released),
            ("removed", settled.removed),
            ("lost", settled.lost),
        ):
            self._meter.count(what, claim.task_type, claim.tenant.code, number)
        for added in settled.added:
            self._meter.count("created", added.model.task_type, claim.tenant.code)
