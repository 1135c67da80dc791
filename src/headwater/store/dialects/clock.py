"""The time of the database: processes of several machines compare with it, whatever their own clocks are."""

from __future__ import annotations

import sqlalchemy as sa

__all__ = ["database_time"]

_MICROSECONDS = {
    "sqlite": "SELECT CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER)",
    "postgresql": "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)",
    "mysql": "SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))",
}


def database_time(connection: sa.Connection) -> int:
    """Microseconds since 1970."""
    name = connection.dialect.name
    return int(connection.exec_driver_sql(_MICROSECONDS["mysql" if name == "mariadb" else name]).scalar_one())
