"""Writes one chunk of the log into the archive.

Events are only ever added. A writer reads the log first and the existing file last, and keeps the events of both; and
an event leaves the log only after it was found in the archive. So none is lost, however many processes archive,
whenever they stop.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import sqlalchemy as sa
from msgspec import Struct
from pyarrow import parquet

from headwater.pipeline.archive.folder import ArchiveFolder
from headwater.pipeline.archive.layout import CHUNK, SCHEMA, day_of, file_path
from headwater.pipeline.archive.read import archived_keys
from headwater.store.compression import decompress
from headwater.store.tables import events

__all__ = ["ChunkReport", "archive_chunk", "chunk_of"]

_PAGE = 1000
_GROUP_BYTES = 16 << 20
"""Of events in a row group, before compression; a task reads one at a time."""
_WAITING_BYTES = 96 << 20
_PLAIN = ("id", "event_time", "fingerprint", "run", "event", "received_at")
"""Columns whose values hardly repeat."""
_COLUMNS = [events.c[name] for name in SCHEMA.names]
_TIME, _MARK, _BODY = map(SCHEMA.names.index, ("event_time", "fingerprint", "event"))
_FILES_AT_ONCE = 256
_Key = tuple[int, bytes]
_Group = tuple[str, str]
"""Code of a tenant, and a day."""


class ChunkReport(Struct, frozen=True):
    chunk: int
    events: int = 0
    """That the log has."""
    added: int = 0
    """That the archive had not."""
    files: int = 0
    bytes: int = 0
    """Of files that were written."""


def chunk_of(event_id: int) -> int:
    return event_id // CHUNK


def archive_chunk(
    engine: sa.Engine, place: ArchiveFolder, chunk: int, last: int, *, tenant: int | None = None, rewrite: bool = False
) -> ChunkReport:
    """Add missing events with ids up to `last`; `rewrite`: make every file again from the log's events."""
    part = _Part(chunk * CHUNK, min(last, (chunk + 1) * CHUNK - 1), tenant)
    known: dict[_Group, Container[_Key]] = {}
    seen, wanted = 0, set()
    for code, time, mark in _pages(engine, part, [events.c.tenant_code, events.c.event_time, events.c.fingerprint]):
        seen += 1
        group = (code, day_of(time))
        if group not in wanted:
            if group not in known:
                known[group] = () if rewrite else archived_keys(place, file_path(*group, chunk))
            if (time, mark) not in known[group]:
                wanted.add(group)
    added = size = 0
    ordered = sorted(wanted)
    for start in range(0, len(ordered), _FILES_AT_ONCE):
        chosen = ordered[start : start + _FILES_AT_ONCE]
        with ExitStack() as stack:
            writers = {group: _FileWriter(place, file_path(*group, chunk), stack) for group in chosen}
            _fill(writers, _pages(engine, part, [events.c.tenant_code, *_COLUMNS]))
            for writer in writers.values():
                added += writer.finish()
                size += writer.size
    return ChunkReport(chunk, seen, added, len(ordered), size)


class _Part(NamedTuple):
    first: int
    last: int
    tenant: int | None


class _FileWriter:
    """A file on its way into the archive. It is opened when there is too much to hold, at the latest when it ends."""

    def __init__(self, place: ArchiveFolder, path: str, stack: ExitStack) -> None:
        self._place, self._path, self._stack = place, path, stack
        self._rows: list[tuple[Any, ...]] = []
        self._keys: set[_Key] = set()
        self._name = ""
        self._writer: Any = None
        self.waiting = 0
        self.size = 0

    def add(self, row: tuple[Any, ...]) -> int:
        """Take a row with its body decompressed; gives the bytes that wait longer because of it."""
        self._rows.append(row)
        self._keys.add((row[_TIME], row[_MARK]))
        before, self.waiting = self.waiting, self.waiting + len(row[_BODY])
        if self.waiting >= _GROUP_BYTES:
            self.flush()
        return self.waiting - before

    def flush(self) -> int:
        """Write a row group; gives the bytes that no longer wait."""
        if self._rows:
            columns = zip(*self._rows, strict=True)
            arrays = [_array(values, field.type) for values, field in zip(columns, SCHEMA, strict=True)]
            self._write(pa.Table.from_arrays(arrays, schema=SCHEMA))
        freed, self.waiting = self.waiting, 0
        self._rows = []
        return freed

    def finish(self) -> int:
        """Put the file in place, with the events that only the former one had; gives the number of new events."""
        self.flush()
        before = archived_keys(self._place, self._path)
        others = [row for key, row in before.items() if key not in self._keys]
        if others:
            with self._place.open(self._path) as file:
                kept = parquet.ParquetFile(file).read().take(others).cast(SCHEMA)
            for start in range(0, kept.num_rows, _PAGE):
                self._write(kept.slice(start, _PAGE))
        self._writer.close()
        self.size = Path(self._name).stat().st_size
        return len(self._keys) - sum(key in self._keys for key in before)

    def _write(self, table: pa.Table) -> None:
        if self._writer is None:
            self._name = self._stack.enter_context(self._place.writing(self._path))
            self._writer = parquet.ParquetWriter(
                self._name,
                SCHEMA,
                compression="zstd",
                use_dictionary=[name for name in SCHEMA.names if name not in _PLAIN],
                write_statistics=["id", "event_time", "received_at"],
            )
        self._writer.write_table(table)


def _fill(writers: dict[_Group, _FileWriter], rows: Iterator[Any]) -> None:
    waiting = 0
    for code, *values in rows:
        writer = writers.get((code, day_of(values[_TIME])))
        if writer is None:
            continue
        values[_BODY] = decompress(values[_BODY])
        waiting += writer.add(tuple(values))
        if waiting > _WAITING_BYTES:
            waiting -= max(writers.values(), key=lambda each: each.waiting).flush()


def _array(values: tuple[Any, ...], kind: pa.DataType) -> pa.Array:
    if pa.types.is_timestamp(kind):
        return pa.array(values, pa.int64()).cast(kind)
    return pa.array(values, kind)


def _pages(engine: sa.Engine, part: _Part, columns: list[sa.Column[Any]]) -> Iterator[Any]:
    """Rows of the log in the order of their ids, page by page, so that no transaction stays open."""
    start = part.first
    # `+ 0` keeps the planner on the ids: the range is what makes this cheap, not the tenant.
    condition = sa.true() if part.tenant is None else (events.c.tenant_id + 0) == part.tenant
    while True:
        query = (
            sa.select(events.c.id, *columns)
            .where(events.c.id >= start, events.c.id <= part.last, condition)
            .order_by(events.c.id)
            .limit(_PAGE)
        )
        with engine.connect() as connection:
            page = connection.execute(query).all()
        for row in page:
            yield row[1:]
        if len(page) < _PAGE:
            return
        start = page[-1][0] + 1
