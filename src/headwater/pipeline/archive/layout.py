"""How an archive is laid out: `FOLDER/tenant=CODE/day=YYYY-MM-DD/part-NUMBER.parquet`.

A file holds the events of one tenant and day (UTC, by event time) whose ids in the log belong to one *chunk*: ids from
NUMBER * CHUNK on. So the name of a file follows from the events in it, and archiving the same events again, after a
crash or beside another process, meets the same file.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import quote, unquote

import pyarrow as pa
from msgspec import Struct

__all__ = ["CHUNK", "SCHEMA", "ArchiveFile", "day_of", "day_start", "file_path", "parse_path", "tenant_folder"]

CHUNK = 65_536
"""Ids of the log in a chunk. Never change it: names of files depend on it."""

_TIME = pa.timestamp("us", tz="UTC")
SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False),
        pa.field("event_time", _TIME, nullable=False),
        pa.field("fingerprint", pa.binary(16), nullable=False),
        pa.field("event_kind", pa.string(), nullable=False),
        pa.field("event_type", pa.string()),
        pa.field("run", pa.binary()),
        pa.field("job_namespace", pa.string()),
        pa.field("job_name", pa.string()),
        pa.field("producer", pa.string()),
        pa.field("event", pa.binary(), nullable=False),
        pa.field("warnings", pa.string()),
        pa.field("received_at", _TIME, nullable=False),
    ]
)
"""Columns of the log without the tenant, which is in the folder's name. `event` is the body as received."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = 86_400_000_000
_PATH = re.compile(r"tenant=([^/]+)/day=(\d{4}-\d{2}-\d{2})/part-(\d+)\.parquet$")


class ArchiveFile(Struct, frozen=True, order=True):
    """One file of an archive; `path` is relative to its folder."""

    tenant: str
    day: str
    chunk: int
    path: str


def day_of(micros: int) -> str:
    """The day of an event.

    >>> day_of(1750253530030000), day_of(-1)
    ('2025-06-18', '1969-12-31')
    """
    return (_EPOCH + timedelta(days=micros // _DAY)).date().isoformat()


def day_start(day: str) -> int:
    """The first microsecond of a day.

    >>> day_start("1970-01-02")
    86400000000
    """
    return (datetime.fromisoformat(day).replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)


def tenant_folder(tenant: str) -> str:
    return f"tenant={quote(tenant, safe='')}"


def file_path(tenant: str, day: str, chunk: int) -> str:
    return f"{tenant_folder(tenant)}/day={day}/part-{chunk:012d}.parquet"


def parse_path(path: str) -> ArchiveFile | None:
    """Tenant, day and chunk of a file's path; None for a file that is not of an archive.

    >>> parse_path("tenant=acme/day=2025-06-18/part-000000000003.parquet").chunk
    3
    """
    found = _PATH.search(path)
    if found is None:
        return None
    return ArchiveFile(unquote(found[1]), found[2], int(found[3]), path[found.start() :])
