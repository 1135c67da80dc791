"""Threads that do the adapter's work beside a server: one reads versions, one sends events, one compares listings."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

import sqlalchemy as sa

from headwater.emit.emitter import Emitter
from headwater.errors import HeadwaterError
from headwater.store.access.tenants import ACTIVE
from headwater.store.dialects.failures import reason_of
from headwater.store.write.log import Tenant

__all__ = ["EmitWorker", "Waker"]

_log = logging.getLogger(__name__)
_IDLE = 0.5
"""Seconds between two looks at the database while there is something configured."""
_UNUSED = 2.0
"""The same while nothing is."""
_MEASURED = 5.0


class Waker:
    """Wakes the threads that wait for work."""

    def __init__(self) -> None:
        self._events: list[threading.Event] = []

    def __call__(self) -> None:
        for event in self._events:
            event.set()

    def listen(self) -> threading.Event:
        event = threading.Event()
        self._events.append(event)
        return event


class EmitWorker:
    """Started with a server, in each of its processes; leases divide the work."""

    def __init__(self, emitter: Emitter, tenants: Callable[[], dict[int, Tenant]], waker: Waker) -> None:
        """`tenants`: all of them by id, as known a moment ago."""
        self._emitter, self._tenants, self._waker = emitter, tenants, waker
        self._ends = threading.Event()
        rounds = {"read": self._read, "send": self._send, "check": self._check}
        self._threads = [
            threading.Thread(target=self._work, args=(work, waker.listen()), name=f"headwater-emit-{name}", daemon=True)
            for name, work in rounds.items()
        ]
        self._measured: dict[int, float] = {}

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End the threads; unfinished work is taken up again when its lease has expired."""
        self._ends.set()
        self._waker()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(30)
        self._emitter.close()

    def _work(self, work: Callable[[Tenant], int], wanted: threading.Event) -> None:
        while not self._ends.is_set():
            wanted.clear()
            done = 0
            ids = self._configured()
            for tenant in ids:
                if self._ends.is_set():
                    return
                try:
                    done += work(tenant)
                except HeadwaterError as error:
                    _log.info("the adapter could not work", extra={"tenant": tenant.code, "reason": error.message})
                except sa.exc.SQLAlchemyError as error:
                    _log.warning("the adapter could not work", extra={"reason": reason_of(error)})
                except Exception:  # noqa: BLE001 - a defect; the others go on
                    _log.exception("the adapter could not work", extra={"tenant": tenant.code})
            if not done:
                wanted.wait(_IDLE if ids else _UNUSED)

    def _configured(self) -> list[Tenant]:
        try:
            ids, known = self._emitter.peers.tenants(), self._tenants()
        except sa.exc.SQLAlchemyError:
            return []
        return [known[tenant] for tenant in ids if tenant in known and known[tenant].state == ACTIVE]

    def _read(self, tenant: Tenant) -> int:
        done = self._emitter.read_round(tenant)
        if done:
            self._waker()  # the events are to be sent
        return done

    def _send(self, tenant: Tenant) -> int:
        done = self._emitter.send_round(tenant)
        if time.monotonic() - self._measured.get(tenant.id, float("-inf")) > _MEASURED:
            self._measured[tenant.id] = time.monotonic()
            self._emitter.measure(tenant)
        return done

    def _check(self, tenant: Tenant) -> int:
        self._emitter.check_due(tenant, self._ends.is_set)
        return 0
