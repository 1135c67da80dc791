"""Reads an archive, in parts that tasks read on their own. Plain Arrow: no Spark, and no database.

An event that is also in the log, or was archived twice, comes twice. That does no harm to a fold; counts go by time and
fingerprint.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import pyarrow as pa
from msgspec import Struct
from pyarrow import parquet

from headwater.pipeline.archive.errors import ArchiveUnusable
from headwater.pipeline.archive.folder import ArchiveFolder, open_archive
from headwater.pipeline.archive.layout import ArchiveFile, day_of

__all__ = ["ArchiveSplit", "ArchivedEvent", "archived_keys", "plan_archive", "read_archive", "read_split"]

_ROWS = 500
_FOOTERS_AT_ONCE = 16


class ArchivedEvent(NamedTuple):
    tenant: str
    """Its code."""
    id: int
    """Its id in the log that it came from."""
    body: bytes


class ArchiveSplit(Struct, frozen=True):
    """A row group of a file."""

    folder: str
    path: str
    tenant: str
    row_group: int
    rows: int
    bytes: int
    """Of its events, before compression."""
    since: int | None = None
    until: int | None = None


def plan_archive(
    folder: str, *, tenants: Collection[str] | None = None, since: int | None = None, until: int | None = None
) -> list[ArchiveSplit]:
    """The parts of an archive: of some tenants (by code) or all, in a window of event time, `until` not included."""
    place = open_archive(folder)
    chosen = [
        file
        for file in place.files()
        if (tenants is None or file.tenant in tenants)
        and (since is None or file.day >= day_of(since))
        and (until is None or file.day <= day_of(until - 1))
    ]
    with ThreadPoolExecutor(_FOOTERS_AT_ONCE) as pool:
        found = pool.map(partial(_row_groups, place, since, until), chosen)
        return [split for splits in found for split in splits]


def read_split(split: ArchiveSplit) -> Iterator[ArchivedEvent]:
    """The events of a part."""
    place = open_archive(split.folder)
    with _opened(place, split.path) as file:
        for batch in file.iter_batches(
            batch_size=_ROWS, row_groups=[split.row_group], columns=["id", "event_time", "event"]
        ):
            ids, bodies = batch.column("id").to_pylist(), batch.column("event").to_pylist()
            times = batch.column("event_time").cast(pa.int64()).to_pylist()
            for number, time, body in zip(ids, times, bodies, strict=True):
                if (split.since is None or time >= split.since) and (split.until is None or time < split.until):
                    yield ArchivedEvent(split.tenant, number, body)


def read_archive(
    folder: str, *, tenants: Collection[str] | None = None, since: int | None = None, until: int | None = None
) -> Iterator[ArchivedEvent]:
    """All events of an archive, one part after the other."""
    for split in plan_archive(folder, tenants=tenants, since=since, until=until):
        yield from read_split(split)


def archived_keys(place: ArchiveFolder, path: str) -> dict[tuple[int, bytes], int]:
    """Time and fingerprint of every event of a file, and the row it is in; nothing if there is no such file."""
    if not place.exists(path):
        return {}
    with _opened(place, path) as file:
        table = file.read(columns=["event_time", "fingerprint"])
    times = table.column("event_time").cast(pa.int64()).to_pylist()
    return {key: row for row, key in enumerate(zip(times, table.column("fingerprint").to_pylist(), strict=True))}


def _row_groups(place: ArchiveFolder, since: int | None, until: int | None, file: ArchiveFile) -> list[ArchiveSplit]:
    with _opened(place, file.path) as opened:
        groups = [opened.metadata.row_group(number) for number in range(opened.metadata.num_row_groups)]
        column = opened.schema_arrow.names.index("event")
    return [
        ArchiveSplit(
            place.folder,
            file.path,
            file.tenant,
            number,
            group.num_rows,
            group.column(column).total_uncompressed_size,
            since,
            until,
        )
        for number, group in enumerate(groups)
    ]


def _opened(place: ArchiveFolder, path: str) -> Any:
    try:
        return parquet.ParquetFile(place.open(path), pre_buffer=True)
    except (OSError, pa.ArrowInvalid) as error:
        raise ArchiveUnusable(
            f"{place.folder}/{path} cannot be read: {error}.",
            hint="Restore the file from a backup, or move it away to go on without its events.",
        ) from None
