"""Use of all limited resources of this process."""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from contextlib import suppress
from itertools import count
from typing import Any

from anyio.to_thread import current_default_thread_limiter
from sqlalchemy.exc import SQLAlchemyError

from headwater.api.http.body import BodyMemory
from headwater.api.http.middleware import count_events
from headwater.api.query_process.pool import QueryPool
from headwater.ingest.concurrency_limit import ConcurrencyLimit
from headwater.ingest.load_history import LoadHistory
from headwater.ingest.metrics import BODY_BYTES, POOL_IN_USE, POOL_MOST, QUEUED_BYTES, QUEUED_EVENTS
from headwater.ingest.request_times import RequestTimes
from headwater.lineage.lists.pipeline_state import pipeline_state
from headwater.store.assets.neo4j.server import GraphServer
from headwater.store.pipeline.progress import Progress
from headwater.store.pools import PoolUse, pool_use
from headwater.store.sql_store import SqlStore

__all__ = ["Pressure"]

_SECONDS = 1.0
_LOOK_AT_LAG = 60
"""Seconds after which it is looked at again how far the pipeline is behind."""


class Pressure:
    """Used from the event loop."""

    def __init__(
        self,
        store: SqlStore,
        concurrency: ConcurrencyLimit,
        memory: BodyMemory,
        times: RequestTimes,
        short: Counter[int],
        progress: Progress,
        query_processes: QueryPool | None = None,
        graph: GraphServer | None = None,
    ) -> None:
        self._graph = graph
        self._short, self._progress = short, progress
        self._store, self._concurrency, self._memory, self._times = store, concurrency, memory, times
        self._query_processes = query_processes

    @property
    def history(self) -> LoadHistory:
        """The last day."""
        return self._times.history

    def pools(self) -> dict[str, PoolUse]:
        """Connections for questions and for the writer, and the threads that ask."""
        threads = current_default_thread_limiter()
        return {
            **{name: pool_use(engine) for name, engine in self._store.engines.items()},
            **({"graph": PoolUse(self._graph.in_use, self._graph.pool)} if self._graph is not None else {}),
            "threads": PoolUse(threads.borrowed_tokens, int(threads.total_tokens)),
        }

    def report(self) -> dict[str, Any]:
        """Summary for operators."""
        return {
            "process": os.getpid(),
            "last_minute": self._times.summary(),
            "queued": {"events": self._concurrency.events, "bytes": self._concurrency.bytes},
            "body_bytes": self._memory.used,
            "pools": {name: {"in_use": use.in_use, "most": use.most} for name, use in self.pools().items()},
            "query_processes": self._query_processes.report() if self._query_processes is not None else None,
        }

    def publish(self) -> None:
        """Update Prometheus; not with every event, which would cost more than the counting itself."""
        QUEUED_EVENTS.set(self._concurrency.events)
        QUEUED_BYTES.set(self._concurrency.bytes)
        BODY_BYTES.set(self._memory.used)
        for status, number in self._short.items():
            count_events(status, number)
        self._short.clear()
        for name, use in self.pools().items():
            POOL_IN_USE.labels(name).set(use.in_use)
            POOL_MOST.labels(name).set(use.most)

    async def keep_publishing(self) -> None:
        """With several processes any of them may be asked for the metrics of all, so each writes down its own."""
        for second in count():
            self.publish()
            if second % _LOOK_AT_LAG == 0:
                await self._note_lag()
            await asyncio.sleep(_SECONDS)

    async def _note_lag(self) -> None:
        with suppress(SQLAlchemyError):  # a database that does not answer only leaves it out
            state = await asyncio.to_thread(pipeline_state, None, self._progress, time.time_ns() // 1000)
            self.history.note_lag(state.lag_events, state.lag_seconds)
