"""Newest statements about many things: a fixed number of queries for a whole page, never one per row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from headwater.graph.facts import Evidence, Node, Run, RunShape, RunStatus, Shape, ShapeDataset
from headwater.store.read.reader import Reader
from headwater.store.tables import fact_tables

__all__ = ["DatasetUse", "JobSummary", "StatementUse", "Summaries"]

_node, _run, _shape, _part = fact_tables[Node], fact_tables[Run], fact_tables[Shape], fact_tables[ShapeDataset]
_evidence, _link = fact_tables[Evidence], fact_tables[RunShape]
_NEWEST = 5
"""Number of newest shapes of a job to read: one run may have several, at its start and its end."""


class JobSummary(Struct, frozen=True):
    last: bytes
    type: str | None
    processing: str | None
    parent: bytes | None
    facets: tuple[bytes, ...]
    """JSON, the newest first."""


class DatasetUse(Struct, frozen=True):
    """Of one dataset in one role."""

    jobs: int
    last: bytes
    """Stamp of the newest event."""


class StatementUse(Struct, frozen=True):
    jobs: int
    last: bytes


class Summaries:
    """Reads for pages of lists."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def dataset_facets(self, tenant: int, datasets: Collection[bytes]) -> dict[bytes, tuple[bytes, ...]]:
        """JSON of all facets that were ever given, the newest first, each once."""
        query = (
            sa.select(_part.c.dataset, _part.c.facets, _evidence.c.last)
            .select_from(_part.join(_evidence, _same_shape(tenant, _part)))
            .where(_part.c.tenant == tenant, _part.c.dataset.in_(datasets), _part.c.facets.is_not(None))
        )
        found: dict[bytes, dict[bytes, bytes]] = defaultdict(dict)
        with self._engine.connect() as connection:
            for dataset, facets, last in connection.execute(query):
                found[dataset][facets] = max(last or b"", found[dataset].get(facets, b""))
        return {
            dataset: tuple(sorted(facets_of, key=lambda facets, facets_of=facets_of: facets_of[facets], reverse=True))  # type: ignore[misc]
            for dataset, facets_of in found.items()
        }

    def dataset_use(self, tenant: int, datasets: Collection[bytes]) -> dict[tuple[bytes, int], DatasetUse]:
        """By dataset and role: how many jobs, and when last."""
        joined = _part.join(_evidence, _same_shape(tenant, _part)).join(
            _shape, sa.and_(_shape.c.tenant == tenant, _shape.c.shape == _part.c.shape)
        )
        query = (
            sa.select(_part.c.dataset, _part.c.role, _shape.c.job, _evidence.c.last)
            .select_from(joined)
            .where(_part.c.tenant == tenant, _part.c.dataset.in_(datasets))
        )
        jobs: dict[tuple[bytes, int], set[bytes]] = defaultdict(set)
        last: dict[tuple[bytes, int], bytes] = defaultdict(bytes)
        with self._engine.connect() as connection:
            for dataset, role, job, stamp in connection.execute(query):
                jobs[dataset, role] |= {job} if job else set()
                last[dataset, role] = max(last[dataset, role], stamp or b"")  # PostgreSQL has no max() of bytes
        return {key: DatasetUse(len(found), last[key]) for key, found in jobs.items()}

    def dataset_runs(self, tenant: int, datasets: Collection[bytes]) -> dict[int, int]:
        """By role, how many runs used any of these datasets."""
        joined = _part.join(_link, sa.and_(_link.c.tenant == tenant, _link.c.shape == _part.c.shape))
        query = (
            sa.select(_part.c.role, sa.func.count(_link.c.run.distinct()))
            .select_from(joined)
            .where(_part.c.tenant == tenant, _part.c.dataset.in_(datasets))
            .group_by(_part.c.role)
        )
        with self._engine.connect() as connection:
            return {row[0]: row[1] for row in connection.execute(query)}

    def jobs(self, tenant: int, jobs: Collection[bytes]) -> dict[bytes, JobSummary]:
        """The newest shapes of these jobs, summarised."""
        place = sa.func.row_number().over(partition_by=_shape.c.job, order_by=_evidence.c.last.desc()).label("place")
        columns = (_shape.c.job, _shape.c.shape, _evidence.c.last, place)
        ranked = (
            sa.select(*columns)
            .select_from(_shape.join(_evidence, _same_shape(tenant, _shape)))
            .where(_shape.c.tenant == tenant, _shape.c.job.in_(jobs))
            .subquery()
        )
        facets_of = (_shape.c.job_type, _shape.c.processing, _shape.c.parent_job, _shape.c.facets)
        query = (
            sa.select(ranked.c.job, ranked.c.last, *facets_of)
            .select_from(ranked.join(_shape, sa.and_(_shape.c.tenant == tenant, _shape.c.shape == ranked.c.shape)))
            .where(ranked.c.place <= _NEWEST)
            .order_by(ranked.c.place)
        )
        rows: dict[bytes, list[Any]] = defaultdict(list)
        with self._engine.connect() as connection:
            for job, *row in connection.execute(query):
                rows[job].append(row)
        return {job: _job_summary(found) for job, found in rows.items()}

    def latest_runs(self, tenant: int, jobs: Collection[bytes]) -> dict[bytes, Run]:
        """The newest run of each of these jobs; of a job whose runs were only ever mentioned, any."""
        newest = (
            sa.select(_run.c.run)
            .where(_run.c.tenant == tenant, _run.c.job == _node.c.node, _run.c.first_seen.is_not(None))
            .order_by(_run.c.first_seen.desc(), _run.c.run.desc())
            .limit(1)
            .scalar_subquery()
        )
        query = sa.select(newest).where(_node.c.tenant == tenant, _node.c.node.in_(jobs))
        with self._engine.connect() as connection:
            ids = [row[0] for row in connection.execute(query) if row[0] is not None]
        found = {run.job: run for run in Reader(self._engine).facts(tenant, Run, run=ids) if run.job}
        rest = [job for job in jobs if job not in found]
        mentioned = (
            sa.select(_run.c.run)
            .where(_run.c.tenant == tenant, _run.c.job == _node.c.node)
            .order_by(_run.c.run.desc())
            .limit(1)
            .scalar_subquery()
        )
        query = sa.select(mentioned).where(_node.c.tenant == tenant, _node.c.node.in_(rest))
        with self._engine.connect() as connection:
            ids = [row[0] for row in connection.execute(query) if row[0] is not None]
        return found | {run.job: run for run in Reader(self._engine).facts(tenant, Run, run=ids) if run.job}

    def count_runs(self, tenant: int, jobs: Collection[bytes]) -> dict[RunStatus, int]:
        """How many runs these jobs had, by status."""
        condition = (_run.c.tenant == tenant, _run.c.job.in_(jobs))
        query = sa.select(_run.c.status, sa.func.count()).where(*condition).group_by(_run.c.status)
        found: dict[RunStatus, int] = {}
        with self._engine.connect() as connection:
            for status, count in connection.execute(query):
                found[RunStatus(status or 0)] = found.get(RunStatus(status or 0), 0) + count
        return found

    def statements(self, tenant: int, statements: Collection[bytes]) -> dict[bytes, StatementUse]:
        """How many jobs state these, and when last."""
        query = (
            sa.select(_shape.c.sql, _shape.c.job, _evidence.c.last)
            .select_from(_shape.join(_evidence, _same_shape(tenant, _shape)))
            .where(_shape.c.tenant == tenant, _shape.c.sql.in_(statements))
        )
        jobs: dict[bytes, set[bytes]] = defaultdict(set)
        last: dict[bytes, bytes] = defaultdict(bytes)
        with self._engine.connect() as connection:
            for sql, job, stamp in connection.execute(query):
                jobs[sql] |= {job} if job else set()
                last[sql] = max(last[sql], stamp or b"")
        return {sql: StatementUse(len(found), last[sql]) for sql, found in jobs.items()}

    def executions(self, tenant: int, statement: bytes) -> int:
        """How many runs completed a statement."""
        joined = _shape.join(_link, sa.and_(_link.c.tenant == tenant, _link.c.shape == _shape.c.shape)).join(
            _run, sa.and_(_run.c.tenant == tenant, _run.c.run == _link.c.run)
        )
        conditions = (_shape.c.tenant == tenant, _shape.c.sql == statement, _run.c.status == int(RunStatus.SUCCEEDED))
        query = sa.select(sa.func.count(_link.c.run.distinct())).select_from(joined).where(*conditions)
        with self._engine.connect() as connection:
            return int(connection.execute(query).scalar_one())


def _same_shape(tenant: int, table: sa.Table) -> sa.ColumnElement[bool]:
    return sa.and_(_evidence.c.tenant == tenant, _evidence.c.shape == table.c.shape)


def _job_summary(rows: list[Any]) -> JobSummary:
    """Rows of one job, the newest first: last, type, processing, parent, facets."""
    types = [row[1] for row in rows if row[1]]
    known = [kind for kind in types if kind != "UNKNOWN"]
    return JobSummary(
        last=rows[0][0] or b"",
        type=(known or types or [None])[0],
        processing=next((row[2] for row in rows if row[2]), None),
        parent=next((row[3] for row in rows if row[3]), None),
        facets=tuple(dict.fromkeys(row[4] for row in rows if row[4])),
    )
