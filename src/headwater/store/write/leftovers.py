"""Tables that a killed job built aside and could not take away any more."""

from __future__ import annotations

import re

import sqlalchemy as sa

from headwater.store.dialects.clock import database_time
from headwater.store.pipeline.job_locks import is_alive
from headwater.store.tables import fact_tables, pipeline_jobs

__all__ = ["drop_leftovers"]

_OURS = re.compile(r"(?:staged|aside)_([0-9a-f]{8})_\w+")


def drop_leftovers(engine: sa.Engine) -> list[str]:
    """Drop the tables of jobs that are gone; gives their names. A job's own name is in the store before its tables."""
    named = {name: _OURS.fullmatch(name) for name in sa.inspect(engine).get_table_names()}
    with engine.connect() as connection:
        now = database_time(connection)
        query = sa.select(pipeline_jobs).where(pipeline_jobs.c.ended_at.is_(None))
        alive = {row.token[:8] for row in connection.execute(query) if is_alive(row, now)}
    gone = {name for name, found in named.items() if found is not None and found.group(1) not in alive}
    gone |= {f"staged_{table.name}" for table in fact_tables.values()} & named.keys()  # as replays called them once
    dropped = sorted(gone)
    for name in dropped:
        sa.Table(name, sa.MetaData()).drop(engine, checkfirst=True)
    return dropped
