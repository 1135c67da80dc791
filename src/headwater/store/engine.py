"""Connections. SQLite is set up to be durable and to serve readers beside the one writer."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event

from headwater.errors import HeadwaterError

__all__ = ["StoreUnavailable", "make_engine", "sqlite_url"]

WRITING = {"headwater_writes": True}
"""Execution option of a connection that is going to write."""

_PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",  # 201 means durable; with group commit this costs next to nothing
    "PRAGMA busy_timeout=10000",
    "PRAGMA temp_store=MEMORY",
    "PRAGMA cache_size=-65536",
    "PRAGMA wal_autocheckpoint=4000",
)


class StoreUnavailable(HeadwaterError):
    code = "store_unavailable"


def sqlite_url(data: Path) -> str:
    return f"sqlite:///{data / 'headwater.db'}"


def make_engine(url: str) -> sa.Engine:
    """An engine for any of the supported databases."""
    try:
        parsed = sa.make_url(url)
    except sa.exc.ArgumentError:
        raise StoreUnavailable(
            f"{url!r} is not a database URL.",
            hint="For example sqlite:////var/lib/headwater/headwater.db, or leave it out to use the data folder.",
        ) from None
    if parsed.get_backend_name() == "sqlite":
        return _sqlite(parsed)
    return sa.create_engine(parsed, pool_pre_ping=True)


def _sqlite(url: sa.URL) -> sa.Engine:
    engine = sa.create_engine(url, connect_args={"check_same_thread": False, "timeout": 10, "cached_statements": 256})

    @event.listens_for(engine, "connect")
    def _connect(connection: sqlite3.Connection, _: Any) -> None:
        connection.isolation_level = None  # BEGIN is ours, below: the driver's own comes too late
        cursor = connection.cursor()
        for pragma in _PRAGMAS:
            cursor.execute(pragma)
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        writes = connection.get_execution_options().get("headwater_writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine
