"""Worker: threads that execute tasks, and one that plans, recovers and pulls.

Whatever fails here fails here alone: nothing of it is on the way of an event.
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from typing import cast

import sqlalchemy as sa

from headwater.errors import HeadwaterError
from headwater.store.access.tenants import ACTIVE, Tenants
from headwater.store.dialects.failures import reason_of
from headwater.store.scope import EVERY_TENANT
from headwater.store.sql_store import SqlStore
from headwater.store.tasks.delivered import DeliveredNotes
from headwater.store.tasks.notes import TaskNotes
from headwater.store.tasks.recovery import Recovery
from headwater.store.tasks.task_store import Added, TaskStore
from headwater.store.tasks.tenants import enabled_tenants
from headwater.store.write.log import Tenant
from headwater.tasks.channel import Channel
from headwater.tasks.execute import Executor
from headwater.tasks.halving import describe
from headwater.tasks.handler import Handler, Planner
from headwater.tasks.leases import Leases
from headwater.tasks.meter import CollectingMeter, TaskMeter
from headwater.tasks.options import WorkerOptions
from headwater.tasks.planning import Planning

__all__ = ["Worker", "worker_name"]

_log = logging.getLogger(__name__)
_ROUNDS = 20
"""Steps of recovery, and of planning, before other things have their turn."""
_MOST_MODELS = 1_000
_PRUNE_SECONDS = 600.0
_PRUNED = 500
_LONGEST_PAUSE = 30.0
_STOP_SECONDS = 30.0
_TENANT_SECONDS = 10.0


def worker_name() -> str:
    """Host, process and a little chance: unique, and of at most 64 characters."""
    return f"{socket.gethostname()[:40]}:{os.getpid()}:{secrets.token_hex(4)}"


class Worker:
    """Owns its threads. `wake` may be called from any thread."""

    def __init__(
        self,
        store: SqlStore,
        planner: Planner,
        handlers: Sequence[Handler],
        options: WorkerOptions | None = None,
        meter: TaskMeter | None = None,
    ) -> None:
        self._options = options or WorkerOptions()
        self._meter: TaskMeter = meter or CollectingMeter()
        self._database = store
        reading, writing = store.engines["questions"], store.engines["writer"]
        self.store = TaskStore(reading, writing, self._options.delays)
        self._recovery = Recovery(reading, writing)
        notes, delivered = TaskNotes(reading, writing), DeliveredNotes(reading)
        self._planning = Planning(planner, notes, delivered, self.store, self._options.notes)
        self._handlers: Mapping[str, Handler] = {handler.task_type: handler for handler in handlers}
        self._leases = Leases(self.store, self._options.lease, self._options.longest_batch)
        self.name = worker_name()
        self._executor = Executor(self.name, self.store, self._handlers, self._leases, self._meter, self._options)
        self.channel = Channel(
            lambda task_type: self._handlers[task_type].batch_size,
            most=self._options.channel,
            most_of_tenant=self._options.channel_of_tenant,
            threads=self._options.threads,
        )
        self._tenants = _TenantsById(Tenants(reading))
        self._ends, self._woken = threading.Event(), threading.Event()
        self._busy = 0
        self._lock = threading.Lock()
        self._pruned = -_PRUNE_SECONDS
        self._threads = [
            threading.Thread(target=self._execute, name=f"headwater-task-{number}", daemon=True)
            for number in range(self._options.threads)
        ]
        self._keeper = threading.Thread(target=self._keep, name="headwater-task-keeper", daemon=True)

    def start(self) -> None:
        self._leases.start()
        self._keeper.start()
        for thread in self._threads:
            thread.start()

    def stop(self, seconds: float = _STOP_SECONDS) -> None:
        """Finish running tasks, within this time; leases of the rest expire by themselves."""
        self._ends.set()
        self._woken.set()
        self._executor.stop()
        self.channel.close()
        ends = time.monotonic() + seconds
        for thread in (*self._threads, self._keeper):
            thread.join(max(0.0, ends - time.monotonic()))
        self._leases.stop()

    def wake(self) -> None:
        """Something was noted, or created by another way."""
        self._woken.set()

    def push(self, tenant: Tenant, added: Sequence[Added]) -> None:
        """Put tasks that were created just now into the channel."""
        for task in added:
            self._meter.count("created", task.model.task_type, tenant.code)
        for model in dict.fromkeys(task.model for task in added):
            if model.task_type in self._handlers:
                self.channel.push(model, [task.task for task in added if task.model == model])

    def _execute(self) -> None:
        failures = 0
        while not self._ends.is_set():
            turn = self.channel.take(1.0)
            if turn is None:
                continue
            self._count_busy(1)
            has_more, back = turn.numbers is None, cast("Sequence[int]", ())
            try:
                tenant = self._tenants.get(turn.model.tenant)
                if tenant is None or tenant.state != ACTIVE:
                    has_more = False
                    continue
                has_more, back, added = self._executor.execute(tenant, turn)
                self.push(tenant, added)
                failures = 0
            except Exception as error:  # noqa: BLE001 - the thread must outlive every failure
                failures += 1
                has_more = True
                self._say("a batch of tasks has failed", error)
                self._ends.wait(min(0.1 * 2**failures, _LONGEST_PAUSE))
            finally:
                self._count_busy(-1)
                self.channel.done(turn, has_more=has_more, back=back)

    def _keep(self) -> None:
        failures = 0
        while not self._ends.is_set():
            try:
                is_behind = self._look()
                failures = 0
            except Exception as error:  # noqa: BLE001 - the thread must outlive every failure
                failures += 1
                is_behind = False
                self._say("tasks could not be looked after", error)
            pause = min(self._options.poll * 2**failures, max(_LONGEST_PAUSE, self._options.poll))
            self._woken.wait(0.0 if is_behind else pause)
            self._woken.clear()

    def _look(self) -> bool:
        """Follow the assets, plan, recover and pull; gives whether there is more to plan or recover at once."""
        if self._options.follows_assets:
            for number in enabled_tenants(self._database.engine):
                self._database.projection.drain(number, self._options.notes)
        is_behind = False
        for _ in range(_ROUNDS):
            is_behind = not self._ends.is_set() and self._planning.plan(self._tenants.get, self.push)
            if not is_behind:
                break
        for _ in range(_ROUNDS):
            found = self._recovery.recover(self._options.recovered)
            for what, number in (("taken_over", found.taken_over), ("dead", found.dead)):
                self._meter.count(what, "", "", number)
            if found.count < self._options.recovered:
                break
        for _ in range(_ROUNDS):
            removed = self._recovery.remove_of_gone_models(self._options.recovered)
            self._meter.count("removed", "", "", removed)
            if removed < self._options.recovered:
                break
        self.channel.note_more(self.store.models_with_work(tuple(self._handlers), _MOST_MODELS))
        self._prune()
        self._report()
        return is_behind

    def _prune(self) -> None:
        if time.monotonic() - self._pruned > _PRUNE_SECONDS:
            before = int((time.time() - self._options.history) * 1_000_000)
            if self._recovery.remove_history(before, _PRUNED) < _PRUNED:
                self._pruned = time.monotonic()

    def _count_busy(self, change: int) -> None:
        with self._lock:
            self._busy += change
        self._report()

    def _report(self) -> None:
        self._meter.level(len(self.channel), self._busy)

    def _say(self, what: str, error: Exception) -> None:
        if isinstance(error, HeadwaterError):
            reason = error.message
        elif isinstance(error, sa.exc.SQLAlchemyError):
            reason = reason_of(error)
        else:
            reason = describe(error)[1]
        _log.warning(what, extra={"reason": reason})


class _TenantsById:
    """Tenants by their number, read again after a while, and when one is new."""

    def __init__(self, tenants: Tenants) -> None:
        self._tenants = tenants
        self._known: dict[int, Tenant] = {}
        self._read = -_TENANT_SECONDS

    def get(self, number: int) -> Tenant | None:
        if number not in self._known or time.monotonic() - self._read > _TENANT_SECONDS:
            self._known = {tenant.id: tenant for tenant in self._tenants.list(EVERY_TENANT)}
            self._read = time.monotonic()
        return self._known.get(number)
