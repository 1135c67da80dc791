"""Kind of the place at which a dataset is."""

from __future__ import annotations

from headwater.openlineage.naming import location_of

__all__ = ["storage_of"]

_SAME = {
    "s3": "s3",
    "gs": "gcs",
    "abfss": "azure",
    "abfs": "azure",
    "wasb": "azure",
    "wasbs": "azure",
    "adl": "azure",
    "viewfs": "hdfs",
    "webhdfs": "hdfs",
    "arn": "aws",
    "trino": "trino",
    "presto": "trino",
    "awsathena": "athena",
}


def storage_of(namespace: str) -> str | None:
    """The scheme of the namespace, or its only word; places of one kind have one word.

    >>> storage_of("postgresql://db:5432"), storage_of("s3a://lake"), storage_of("bigquery"), storage_of("")
    ('postgres', 's3', 'bigquery', None)
    """
    kind = location_of(namespace).type[:40] if namespace.strip() else ""
    return _SAME.get(kind, kind) or None
