"""Runs by job and dataset, and their events in the log. The tenant is the first argument of every method."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from typing import Any

import sqlalchemy as sa

from headwater.deadline import check, take
from headwater.graph.facts import Run, RunShape, RunStatus
from headwater.store.compression import decompress
from headwater.store.read.lookup import Lookup
from headwater.store.read.reader import LoggedEvent, fitting
from headwater.store.tables import events, fact_tables

__all__ = ["ActivityReader"]

_JOBS_AT_ONCE = 100
_PAIRS_AT_ONCE = 100
_RUNS_AT_ONCE = 100
_OF_RUNS = (
    "SELECT run, id, event_time, event, warnings, received_at FROM lineage_events WHERE tenant_id = ? AND run {ids}"
)
_run, _run_shape = fact_tables[Run], fact_tables[RunShape]


class ActivityReader:
    """Reads runs of one tenant at a time. Runs are given by their ids, newest first."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def latest_runs(
        self, tenant: int, jobs: Collection[bytes], limit: int, *, ended: bool = False
    ) -> dict[bytes, list[bytes]]:
        """The newest runs of each job, or of those that succeeded.

        One statement for many jobs, with a short look into the index for each of them.
        """
        found: dict[bytes, list[tuple[int, bytes]]] = {}
        with self._engine.connect() as connection:
            for chunk in _chunks(jobs, _JOBS_AT_ONCE):
                rows = connection.execute(_latest(len(chunk), ended=ended), _values(tenant, chunk, limit))
                for job, first, run in rows.all():
                    found.setdefault(job, []).append((first or 0, run))
        return {job: [run for _, run in sorted(runs, reverse=True)] for job, runs in found.items()}

    def runs_of_job(self, tenant: int, job: bytes, *, limit: int, offset: int) -> list[bytes]:
        query = (
            sa.select(_run.c.run)
            .where(_run.c.tenant == tenant, _run.c.job == job)
            .order_by(_run.c.first_seen.desc(), _run.c.run.desc())
        )
        with self._engine.connect() as connection:
            return [row[0] for row in connection.execute(query.limit(limit).offset(offset))]

    def count_runs(self, tenant: int, job: bytes) -> int:
        query = sa.select(sa.func.count()).select_from(_run).where(_run.c.tenant == tenant, _run.c.job == job)
        with self._engine.connect() as connection:
            return int(connection.execute(query).scalar_one())

    def runs_with(
        self, tenant: int, jobs: Collection[bytes], shapes: Collection[bytes], *, limit: int, offset: int
    ) -> list[bytes]:
        """Runs of these jobs with one of these shapes."""
        query = _runs_with(tenant, jobs, shapes)
        first = sa.func.min(_run.c.first_seen)
        query = query.with_only_columns(_run.c.run).group_by(_run.c.run).order_by(first.desc(), _run.c.run.desc())
        with self._engine.connect() as connection:
            return [row[0] for row in connection.execute(query.limit(limit).offset(offset))]

    def count_runs_with(self, tenant: int, jobs: Collection[bytes], shapes: Collection[bytes]) -> int:
        query = _runs_with(tenant, jobs, shapes).with_only_columns(sa.func.count(sa.distinct(_run.c.run)))
        with self._engine.connect() as connection:
            return int(connection.execute(query).scalar_one())

    def events_of_namespace(self, tenant: int, namespace: str, *, limit: int, offset: int) -> list[LoggedEvent]:
        """Events of the jobs of a namespace, newest first."""
        query = (
            sa.select(*_event_columns)
            .where(events.c.tenant_id == tenant, events.c.job_namespace == namespace)
            .order_by(events.c.event_time.desc(), events.c.id.desc())
        )
        with self._engine.connect() as connection:
            return fitting(_event(row) for row in connection.execute(query.limit(limit).offset(offset)))

    def events_of_runs(self, tenant: int, runs: Collection[bytes]) -> dict[bytes, list[LoggedEvent]]:
        """All events of these runs in the order of their times, up to the size limit of an answer."""
        found: dict[bytes, list[LoggedEvent]] = {}
        for chunk in _chunks(runs, _RUNS_AT_ONCE):
            for row in Lookup(self._engine).rows(_OF_RUNS, tenant, chunk):
                event = _event(row[1:])
                if take(len(event.body)):
                    found.setdefault(row[0], []).append(event)
        for of_job in found.values():
            of_job.sort(key=lambda event: (event.time, event.id))
        return found

    def events_at(self, tenant: int, stamps: Collection[tuple[int, bytes]]) -> dict[tuple[int, bytes], LoggedEvent]:
        """The events with these stamps (time and fingerprint), up to the size limit of an answer."""
        found: dict[tuple[int, bytes], LoggedEvent] = {}
        ordered = sorted(set(stamps))
        with self._engine.connect() as connection:
            for start in range(0, len(ordered), _PAIRS_AT_ONCE):
                pairs = ordered[start : start + _PAIRS_AT_ONCE]
                values: dict[str, Any] = {"tenant": tenant}
                for index, (time, fingerprint) in enumerate(pairs):
                    values |= {f"time_{index}": time, f"fingerprint_{index}": fingerprint}
                check()
                for row in connection.execute(_at(len(pairs)), values).all():
                    event = _event(row[1:])
                    if take(len(event.body)):
                        found[row[2], bytes(row[0])] = event
        return found


_event_columns = (events.c.id, events.c.event_time, events.c.event, events.c.warnings, events.c.received_at)


@cache
def _latest(count: int, *, ended: bool) -> sa.TextClause:
    """Newest runs of several jobs. As text: building it from expressions takes longer than running it."""
    state = f" AND status = {int(RunStatus.SUCCEEDED)}" if ended else ""
    part = (
        "SELECT * FROM (SELECT job, first_seen, run FROM run WHERE tenant = :tenant AND job = :job_{index}{state}"
        " ORDER BY first_seen DESC, run DESC LIMIT :most) AS of_{index}"
    )
    return sa.text(" UNION ALL ".join(part.format(index=index, state=state) for index in range(count)))


@cache
def _at(count: int) -> sa.TextClause:
    """Events by their stamps: one index lookup for each. A long OR would make SQLite scan."""
    part = (
        "SELECT fingerprint, id, event_time, event, warnings, received_at FROM lineage_events"
        " WHERE tenant_id = :tenant AND event_time = :time_{index} AND fingerprint = :fingerprint_{index}"
    )
    return sa.text(" UNION ALL ".join(part.format(index=index) for index in range(count)))


def _values(tenant: int, jobs: list[bytes], most: int) -> dict[str, Any]:
    return {"tenant": tenant, "most": most, **{f"job_{index}": job for index, job in enumerate(jobs)}}


def _runs_with(tenant: int, jobs: Collection[bytes], shapes: Collection[bytes]) -> sa.Select[Any]:
    joined = _run.join(_run_shape, sa.and_(_run_shape.c.tenant == tenant, _run_shape.c.run == _run.c.run))
    return (
        sa.select(_run.c.run)
        .select_from(joined)
        .where(_run.c.tenant == tenant, _run.c.job.in_(sorted(jobs)), _run_shape.c.shape.in_(sorted(shapes)))
    )


def _event(row: Any) -> LoggedEvent:
    return LoggedEvent(row[0], row[1], decompress(row[2]), row[3], row[4])


def _chunks(ids: Collection[bytes], size: int) -> Iterator[list[bytes]]:
    ordered = sorted(set(ids))
    for start in range(0, len(ordered), size):
        yield ordered[start : start + size]
