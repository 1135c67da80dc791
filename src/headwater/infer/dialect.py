"""Dialect of a statement: the event's, else by its engine or its database."""

from __future__ import annotations

from collections.abc import Iterable

from headwater.sql import DIALECTS

__all__ = ["dialect_of"]

_NAMES = {"spark_sql": "spark", "hiveql": "hive", "t-sql": "tsql", "standardsql": "bigquery", "googlesql": "bigquery"}
_SCHEMES = {"awsathena": "athena", "unitycatalog": "databricks", "sqlserver": "tsql", "mssql": "tsql"}
"""Schemes of namespaces that are called otherwise than the dialect."""


def dialect_of(stated: str | None, job_type: str | None, namespaces: Iterable[str]) -> str:
    """The name of a dialect that `headwater.sql` knows.

    >>> dialect_of(None, "SPARK_SQL_JOB", []), dialect_of(None, "AIRFLOW_TASK", ["postgres://db:5432"])
    ('spark', 'postgres')
    >>> dialect_of("Snowflake", "DBT_MODEL", []), dialect_of("?", None, ["s3://lake"])
    ('snowflake', 'ansi')
    """
    words = [stated or "", (job_type or "").partition("_")[0]]
    words += sorted(namespace.partition(":")[0] for namespace in namespaces)
    for word in words:
        name = word.strip().casefold()
        name = _NAMES.get(name, _SCHEMES.get(name, name))
        if name in DIALECTS and name != "ansi":
            return name
    return "ansi"
