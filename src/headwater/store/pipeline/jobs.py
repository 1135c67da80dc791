"""Running jobs of the pipeline: registered in the store, with progress and a lease that a thread renews.

A job that ends releases its locks. Those of a killed job are free once its lease has expired, or at once for a
process of the same machine, which sees that it is gone. A job that was suspended for longer than its lease notices
before it puts anything in place (`PipelineJob.confirm`), and stops.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from headwater.errors import HeadwaterError
from headwater.openlineage.naming import clean
from headwater.openlineage.times import format_time
from headwater.store.dialects.clock import database_time
from headwater.store.dialects.failures import retried
from headwater.store.engine import WRITING, make_engine
from headwater.store.pipeline.job_locks import LockedPart, LockState, is_alive, mark_over, release, take
from headwater.store.pipeline.process import this_process
from headwater.store.tables import pipeline_jobs, pipeline_locks

__all__ = ["LeaseLost", "LockedByOther", "PipelineJob", "RunningJob", "Waiting", "read_jobs", "running"]

_log = logging.getLogger(__name__)
LEASE = 60.0
"""Seconds without renewal after which a job loses its locks."""
_RENEW, _TELL = 15.0, 3.0
"""Seconds between renewals; and between updates of the progress, while it changes."""
_LOOK_AGAIN = 0.2
_KEPT = 200
"""Jobs that ended of which the store still knows."""
_SECOND = 1_000_000
_FOREVER = 1e9


class LockedByOther(HeadwaterError):
    code = "held_by_another_job"


class LeaseLost(HeadwaterError):
    code = "lease_lost"


class Waiting(Struct, frozen=True):
    """How long a job waits for others, and a callback that reports the wait."""

    seconds: float = 10.0
    tell: Callable[[str], None] = lambda _: None
    stop: Callable[[], bool] = lambda: False
    """Whether to give up before."""

    def for_ever(self) -> Waiting:
        return msgspec.structs.replace(self, seconds=_FOREVER)


class RunningJob(Struct, frozen=True, kw_only=True):
    """A job as the store knows it. Times are microseconds since 1970."""

    token: str
    job: str
    tenant: int | None
    """None: several, or all."""
    holder: str
    since: int
    renewed_at: int
    step: str | None
    done: int
    total: int
    figures: dict[str, Any]
    ended_at: int | None
    error: str | None
    is_alive: bool


class PipelineJob:
    """This process's side of a running job."""

    def __init__(self, engine: sa.Engine, job: str, tenant: int | None) -> None:
        self._engine, self._job, self._tenant = engine, job, tenant
        self._begin()

    def _begin(self) -> None:
        self.token = uuid4().hex
        self._reported: dict[str, Any] = {}
        self._lost, self._over = threading.Event(), threading.Event()
        process = this_process()
        values = {
            "token": self.token,
            "job": self._job,
            "tenant": self._tenant,
            "holder": clean(process.holder),
            "machine": process.machine,
            "pid": process.pid,
            "process_began": process.began,
            "done": 0,
            "total": 0,
        }
        retried(lambda: self._register(values))
        self._renewer = threading.Thread(target=self._renew, name="headwater-lease", daemon=True)
        self._renewer.start()

    def table_prefix(self, kind: str) -> str:
        """Prefix of the tables that a job creates; left-over tables are found by it."""
        return f"{kind}_{self.token[:8]}"

    def tell(self, step: str, done: int, total: int, figures: Mapping[str, Any] | None = None) -> None:
        """Set the job's progress; it is stored within seconds. Raises `LeaseLost`."""
        report = {"step": step, "done": done, "total": total}
        self._reported = report if figures is None else {**report, "figures": msgspec.json.encode(figures).decode()}
        self.check()

    def check(self) -> None:
        """Raise `LeaseLost` if another job may have taken the locks."""
        if self._lost.is_set():
            raise LeaseLost(
                f"The {self._job} was held up for longer than its lease ({LEASE:.0f} s), and another job took over.",
                hint="Nothing half done was put in place. Run it again; `headwater pipeline status` shows what runs.",
            )

    def begin_again(self) -> None:
        """Register anew after the lease was lost, for a job that can start over by itself."""
        if self._lost.is_set():
            self.end(None)
            self._begin()

    def confirm(self, connection: sa.Connection) -> None:
        """Renew the lease within a transaction that puts something in place, so that it holds until that is done."""
        if not self._touch(connection, {}):
            self._lost.set()
        self.check()

    @contextmanager
    def holding(self, tenants: Collection[int], parts: Collection[LockedPart], waiting: Waiting) -> Iterator[None]:
        """Hold locks on parts of tenants, all of them; waits for other jobs as `waiting` says. Raises `HeldByOther`."""
        deadline, last_message = time.monotonic() + waiting.seconds, ""
        while True:
            taken, locks = take(self._engine, self.token, tenants, parts)
            if taken or not tenants:
                break
            message = _message(self._job, locks)
            if time.monotonic() > deadline or waiting.stop():
                raise LockedByOther(message, hint=_hint(locks))
            if message != last_message:
                waiting.tell(message)
                last_message = message
            time.sleep(_LOOK_AGAIN)
        try:
            yield
        finally:
            self._release(tenants, parts)

    @contextmanager
    def holding_free(
        self, tenants: Collection[int], parts: Collection[LockedPart], waiting: Waiting
    ) -> Iterator[set[int]]:
        """Hold parts of those of the tenants that are free; waits until there is at least one."""
        while True:
            taken, locks = take(self._engine, self.token, tenants, parts, partly=True)
            if taken or not tenants:
                break
            if waiting.stop():
                raise LockedByOther(_message(self._job, locks), hint=_hint(locks))
            time.sleep(_LOOK_AGAIN)
        try:
            yield taken
        finally:
            self._release(taken, parts)

    def end(self, error: str | None) -> None:
        """Give everything back."""
        self._over.set()
        self._renewer.join()
        mark_over(self.token)

        def work() -> None:
            with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
                values = {"ended_at": database_time(connection), "error": error, **self._reported}
                mine = pipeline_jobs.c.token == self.token
                connection.execute(
                    pipeline_jobs.update().where(mine, pipeline_jobs.c.ended_at.is_(None)).values(values)
                )
                connection.execute(pipeline_locks.delete().where(pipeline_locks.c.token == self.token))

        self._quietly(work)

    def _register(self, values: dict[str, Any]) -> None:
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            now = database_time(connection)
            times = {"since": now, "renewed_at": now, "expires_at": now + int(LEASE * _SECOND)}
            connection.execute(pipeline_jobs.insert(), {**values, **times})
            ended = pipeline_jobs.c.ended_at
            query = sa.select(ended).where(ended.isnot(None)).order_by(ended.desc()).limit(1).offset(_KEPT)
            oldest = connection.execute(query).scalar()
            if oldest is not None:
                connection.execute(pipeline_jobs.delete().where(ended <= oldest))

    def _touch(self, connection: sa.Connection, report: dict[str, Any]) -> bool:
        now = database_time(connection)
        values = {"renewed_at": now, "expires_at": now + int(LEASE * _SECOND), **report}
        mine = (pipeline_jobs.c.token == self.token, pipeline_jobs.c.ended_at.is_(None))
        connection.execute(pipeline_jobs.update().where(*mine).values(values))
        return connection.execute(sa.select(sa.literal(1)).select_from(pipeline_jobs).where(*mine)).first() is not None

    def _renew(self) -> None:
        renewed, last_message = time.monotonic(), self._reported
        while not self._over.wait(_TELL):
            report = self._reported
            if report is last_message and time.monotonic() - renewed < _RENEW:
                continue
            try:
                with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
                    is_mine = self._touch(connection, report)
            except sa.exc.SQLAlchemyError as error:  # away, or locked by our own swap: the next turn comes soon
                _log.debug("the lease was not renewed", extra={"error": repr(error)})
                continue
            renewed, last_message = time.monotonic(), report
            if not is_mine:
                self._lost.set()
                return

    def _release(self, tenants: Collection[int], parts: Collection[LockedPart]) -> None:
        self._quietly(lambda: release(self._engine, self.token, tenants, parts))

    def _quietly(self, work: Callable[[], None]) -> None:
        """A failed release is harmless:

        the lock is free once the lease has expired. The job's own error matters more.
        """
        try:
            retried(work)
        except sa.exc.SQLAlchemyError as error:
            _log.warning("a lock stays until its lease runs out", extra={"job": self._job, "error": repr(error)})


@contextmanager
def running(url: str, job: str, tenant: int | None = None) -> Iterator[PipelineJob]:
    """Register a job in a store for as long as it runs."""
    engine = make_engine(url)
    try:
        registered = PipelineJob(engine, job, tenant)
        try:
            yield registered
        except BaseException as error:
            report = clean(str(error)).strip().splitlines()
            registered.end((report[0] if report else type(error).__name__)[:500])
            raise
        registered.end(None)
    finally:
        engine.dispose()


def read_jobs(engine: sa.Engine, *, ended: int = 0, of_tenant: tuple[int, str] | None = None) -> list[RunningJob]:
    """Running jobs, oldest first, then ended ones, newest first; all, or those of one tenant and name."""
    job = pipeline_jobs.c
    wanted = [] if of_tenant is None else [job.tenant == of_tenant[0], job.job == of_tenant[1]]
    with engine.connect() as connection:
        now = database_time(connection)
        alive = sa.select(pipeline_jobs).where(job.ended_at.is_(None), *wanted).order_by(job.since)
        rows = connection.execute(alive).all()
        query = sa.select(pipeline_jobs).where(job.ended_at.isnot(None), *wanted).order_by(job.ended_at.desc())
        query = query.limit(ended)
        rows = [*rows, *(connection.execute(query).all() if ended else ())]
    return [
        RunningJob(
            **{
                name: getattr(row, name) for name in RunningJob.__struct_fields__ if name not in ("figures", "is_alive")
            },
            figures=msgspec.json.decode(row.figures) if row.figures else {},
            is_alive=is_alive(row, now),
        )
        for row in rows
    ]


def _message(job: str, locks: list[LockState]) -> str:
    if not locks:
        return f"The {job} cannot begin: other jobs take and give back what it needs all the time."
    other = locks[0]
    more = f", and {len(locks) - 1} more" if len(locks) > 1 else ""
    return (
        f"The {job} cannot begin: the {other.job} of {other.holder} holds the {other.part} of tenant {other.code!r} "
        f"since {format_time(other.since)}{more}."
    )


def _hint(locks: list[LockState]) -> str:
    left = max(((each.expires_at - each.now) // _SECOND for each in locks), default=0)
    return (
        "Wait for it (--wait 10m), or end that process; if it is gone already, what it holds is free "
        f"in {left} seconds. `headwater pipeline status` shows what runs."
    )
