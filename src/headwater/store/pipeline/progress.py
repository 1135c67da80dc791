"""How far each job of the pipeline is. It belongs to the store as a whole, not to a tenant."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from headwater.openlineage.naming import clean
from headwater.store.dialects.failures import retried
from headwater.store.engine import WRITING
from headwater.store.tables import events, pipeline_progress

__all__ = ["JobProgress", "Progress"]

_MESSAGE = 2000


class JobProgress(Struct, frozen=True, kw_only=True):
    """Where one job stands. Times are microseconds since 1970."""

    job: str
    position: int
    """Position in the source: the last id of the log, or the number of messages or lines."""
    batch: int
    """The last batch that was done; -1 before the first."""
    events: int
    """Of all batches together."""
    batch_events: int
    batch_seconds: float
    updated_at: int
    """When that batch was done; 0 before the first."""
    event_received_at: int | None
    """When the newest event of that batch came in."""
    error: str | None
    """The last error; it is over if `updated_at` is later than `error_at`."""
    error_at: int | None


class Progress:
    """Reads and writes the table `pipeline_progress`."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def write(
        self,
        job: str,
        *,
        position: int,
        batch: int,
        batch_events: int,
        batch_seconds: float,
        now: int,
        event_received_at: int | None = None,
    ) -> None:
        """Note that a batch is done. A batch that is done a second time, after a crash, counts once."""
        table = pipeline_progress.c
        before = sa.case((table.batch == batch, table.events - table.batch_events), else_=table.events)
        values: dict[str, Any] = {
            "position": position,
            "batch": batch,
            "batch_events": batch_events,
            "batch_seconds": batch_seconds,
            "updated_at": now,
            "event_received_at": event_received_at,
        }
        # `events` first: MySQL applies these from left to right, and `before` is about the old values.
        change = (
            pipeline_progress.update()
            .where(table.job == job)
            .ordered_values(
                (table.events, before + batch_events), *((table[name], value) for name, value in values.items())
            )
        )
        self._write(job, change, {**values, "events": batch_events})

    def fail(self, job: str, message: str, now: int) -> None:
        """Store an error; the position stays."""
        failure = {"error": clean(message)[:_MESSAGE], "error_at": now}
        change = pipeline_progress.update().where(pipeline_progress.c.job == job).values(failure)
        nothing = {"position": 0, "batch": -1, "events": 0, "batch_events": 0, "batch_seconds": 0.0, "updated_at": 0}
        self._write(job, change, {**nothing, **failure})

    def rename(self, before: str, now: str) -> None:
        """Give a job that ran under another name the one that it has now, unless it has run under that already."""
        table = pipeline_progress.c

        def once() -> None:
            with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
                names = set(connection.execute(sa.select(table.job).where(table.job.in_([before, now]))).scalars())
                if names == {before}:
                    connection.execute(pipeline_progress.update().where(table.job == before).values(job=now))

        retried(once)

    def read_all(self) -> list[JobProgress]:
        """All jobs that ever ran, by name."""
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(pipeline_progress).order_by(pipeline_progress.c.job))
            return [JobProgress(**row) for row in rows.mappings()]

    def waiting(self, tenant: int | None, position: int) -> tuple[int, int | None]:
        """How many events of a tenant, or (None) of all, are in the log beyond a position, and when the first came."""
        query = sa.select(sa.func.count(), sa.func.min(events.c.received_at)).where(events.c.id > position)
        if tenant is not None:
            query = query.where((events.c.tenant_id + 0) == tenant)  # by the ids, of which few are beyond
        with self._engine.connect() as connection:
            count, first = connection.execute(query).one()
        return int(count), first

    def _write(self, job: str, change: Any, first: dict[str, Any]) -> None:
        def once() -> None:
            with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
                known = sa.select(pipeline_progress.c.job).where(pipeline_progress.c.job == job)
                if connection.execute(known).first() is not None:
                    connection.execute(change)
                else:
                    connection.execute(pipeline_progress.insert(), {"job": job, **first})

        try:
            retried(once)
        except sa.exc.IntegrityError:  # another process wrote the first row just now
            retried(once)
