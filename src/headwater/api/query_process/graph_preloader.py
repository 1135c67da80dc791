"""Background loader that fills the tenant graph cache before the first question."""

from __future__ import annotations

import gc
import logging
import time
from collections.abc import Callable

import sqlalchemy as sa

from headwater.background import Background
from headwater.lineage.flows.preload import warm
from headwater.store.dialects.failures import reason_of
from headwater.store.read.lookup import looking
from headwater.store.read.reader import Reader

__all__ = ["GraphPreloader"]

_log = logging.getLogger(__name__)
_SECONDS = 1.0
_FIRST = 20
"""Tenants whose graphs are read at the start; of others, once something was asked about them."""
_SHARE = 0.05
"""Of a processor, in the long run, for a graph that again and again changes as a whole."""


class GraphPreloader(Background):
    """For a process that answers questions."""

    def __init__(self, reader: Reader, tenants: Callable[[], list[int]], seconds: float = _SECONDS) -> None:
        super().__init__("graph-preloader")
        self._reader, self._tenants, self._seconds = reader, tenants, seconds
        self.is_reading = False
        self._due: dict[int, float] = {}
        self._pauses: dict[int, float] = {}

    def _run(self) -> None:
        is_first = True
        while not self._ends.wait(0 if is_first else self._seconds):
            try:
                wanted = self._tenants()[:_FIRST] if is_first else self._reader.graph_cache.blank()
                for tenant in wanted:
                    self._preload(tenant)
                with looking(self._reader.engine) as lookup:
                    self._reader.graph_cache.catch_up(lookup)
            except sa.exc.SQLAlchemyError as error:  # it will be tried again; who asks looks for himself
                _log.warning("graphs could not be read ahead", extra={"reason": reason_of(error)})
            is_first = False

    def _preload(self, tenant: int) -> None:
        if self._ends.is_set() or self._due.get(tenant, 0) > time.monotonic():
            return
        began = time.thread_time()
        self.is_reading = True
        try:
            if warm(self._reader, tenant):
                gc.freeze()  # or every full collection would look through all of it while somebody waits
        finally:
            self.is_reading = False
        longest, now = (time.thread_time() - began) / _SHARE, time.monotonic()
        is_rare = now - self._due.get(tenant, 0) > longest
        self._pauses[tenant] = self._seconds if is_rare else min(2 * self._pauses[tenant], longest)
        self._due[tenant] = now + self._pauses[tenant]
