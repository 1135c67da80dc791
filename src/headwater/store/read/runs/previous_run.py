"""Which run of a job came before another. The tenant is the first argument."""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa

from headwater.graph.facts import Run
from headwater.store.tables import fact_tables

__all__ = ["previous_run"]

_run = fact_tables[Run]


def previous_run(engine: sa.Engine, tenant: int, jobs: Collection[bytes], before: int, run: bytes) -> bytes | None:
    """The newest run of a job, under all its names, that was first seen before this one."""
    found: list[tuple[int, bytes]] = []
    earlier = sa.or_(_run.c.first_seen < before, sa.and_(_run.c.first_seen == before, _run.c.run < run))
    query = sa.select(_run.c.first_seen, _run.c.run).order_by(_run.c.first_seen.desc(), _run.c.run.desc()).limit(1)
    with engine.connect() as connection:
        for job in sorted(jobs):  # one by one: each is the end of an index
            named = query.where(_run.c.tenant == tenant, _run.c.job == job, _run.c.first_seen <= before, earlier)
            found += [(first, bytes(other)) for first, other in connection.execute(named)]
    return max(found)[1] if found else None
