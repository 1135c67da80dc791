"""Lines of a split: number, bytes, time received.

A line belongs to the split in which it begins.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from typing import IO, Any

import msgspec
import pyarrow as pa
import zstandard

from headwater.pipeline.errors import MissingSource, UnreadableSource
from headwater.pipeline.sources.splits import EVENT_COLUMNS, Split, open_file

__all__ = ["LONGEST", "read_lines"]

LONGEST = 32 << 20
"""Longer lines are no events; they are cut, so that none of them fills the memory."""
_ROWS = 1000
_DAMAGED = (gzip.BadGzipFile, zlib.error, EOFError, zstandard.ZstdError, pa.ArrowInvalid)
"""Errors of damaged files, which reading again would not fix."""


_RECEIVED = "received_at"
"""Column of an archive with the time at which an event was received."""

Line = tuple[int, bytes, int | None]


def read_lines(split: Split) -> Iterator[Line]:
    """Every line, empty ones too. Raises `UnreadableSource` where a file is gone or damaged."""
    try:
        yield from _read(split)
    except FileNotFoundError:
        raise MissingSource(f"{split.path} is not there any more.") from None
    except _DAMAGED as error:
        raise UnreadableSource(
            f"{split.path} is damaged: {str(error).rstrip('.')}.", hint="Put it in again, whole."
        ) from None


def _read(split: Split) -> Iterator[Line]:
    if split.form in ("gzip", "zstd") and split.size == 0:  # nothing, compressed, has some bytes
        raise UnreadableSource(f"{split.path} is empty: not even the beginning of a compressed file is there.")
    with open_file(split.path) as file:
        if split.form == "parquet":
            yield from _rows(file, split)
        elif split.form == "document":
            yield from _numbered(_elements(file.read()))
        elif split.form == "gzip":
            with gzip.open(file) as inside:
                yield from _numbered(_stream(inside))
        elif split.form == "zstd":
            with zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True) as inside:
                yield from _numbered(_stream(_Buffered(inside)))
        else:
            yield from _numbered(_range(file, split.start, split.end))


def _numbered(lines: Iterable[bytes]) -> Iterator[Line]:
    for number, line in enumerate(lines):
        yield number, line, None


def _range(file: IO[bytes], start: int, end: int) -> Iterator[bytes]:
    position = start
    if start > 0:
        file.seek(start - 1)
        position = start - 1 + _skip(file)  # the rest of a line that began before
    while position < end:
        line = file.readline(LONGEST)
        if not line:
            return
        position += len(line)
        if len(line) == LONGEST and not line.endswith(b"\n"):
            position += _skip(file)
        yield line


def _stream(file: Any) -> Iterator[bytes]:
    while line := file.readline(LONGEST):
        if len(line) == LONGEST and not line.endswith(b"\n"):
            _skip(file)
        yield line


def _skip(file: Any) -> int:
    """Pass over the rest of a line; gives how many bytes that were."""
    passed = 0
    while part := file.readline(LONGEST):
        passed += len(part)
        if part.endswith(b"\n"):
            break
    return passed


def _elements(document: bytes) -> list[bytes]:
    """The events of a JSON array; of an object, itself; anything else is one line that will be refused."""
    text = document.removeprefix(b"\xef\xbb\xbf").strip()
    if text.startswith(b"["):
        try:
            return [bytes(element) for element in msgspec.json.decode(text, type=list[msgspec.Raw])]
        except (msgspec.DecodeError, RecursionError):
            return [text]
    return [text]


def _rows(file: IO[bytes], split: Split) -> Iterator[Line]:
    from pyarrow import parquet  # noqa: PLC0415 - only for such files

    try:
        table = parquet.ParquetFile(file)
        names = table.schema_arrow.names
        name = next((known for known in EVENT_COLUMNS if known in names), None)
        if name is None:
            raise UnreadableSource(
                f"{split.path} has no column of events, only {', '.join(names)}.",
                hint=f"Name it one of {', '.join(EVENT_COLUMNS)}.",
            )
        is_dated = _RECEIVED in names and pa.types.is_timestamp(table.schema_arrow.field(_RECEIVED).type)
        columns, number = [name, *([_RECEIVED] if is_dated else [])], 0
        for batch in table.iter_batches(batch_size=_ROWS, row_groups=[split.start], columns=columns):
            values = batch.column(name).to_pylist()
            times = _microseconds(batch.column(_RECEIVED)) if is_dated else [None] * len(values)
            for value, received in zip(values, times, strict=True):
                yield number, value.encode() if isinstance(value, str) else (value or b""), received
                number += 1
    except OSError as error:  # Arrow says so of a file whose footer or pages cannot be understood
        if error.errno is not None:
            raise
        raise UnreadableSource(
            f"{split.path} is damaged: {str(error).rstrip('.')}.", hint="Put it in again, whole."
        ) from None


def _microseconds(times: pa.Array) -> list[int | None]:
    return times.cast(pa.timestamp("us", tz="UTC")).cast(pa.int64()).to_pylist()  # type: ignore[no-any-return]


class _Buffered:
    """`readline` for a stream that only reads."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._rest = stream, b""

    def readline(self, limit: int) -> bytes:
        parts, size = [self._rest], len(self._rest)
        while b"\n" not in parts[-1] and size < limit:
            block = self._stream.read(1 << 20)
            if not block:
                break
            parts.append(block)
            size += len(block)
        text = b"".join(parts)
        end = min(text.find(b"\n") + 1 or len(text), limit)
        self._rest = text[end:]
        return text[:end]
