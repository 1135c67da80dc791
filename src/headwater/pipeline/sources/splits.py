"""Sources of an import: files, folders, patterns and URLs, cut into splits."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import IO, Any

import msgspec
import pyarrow.fs as pafs
from msgspec import Struct

from headwater.pipeline.errors import UnreadableSource

__all__ = ["EVENT_COLUMNS", "Split", "absolute", "open_file", "plan_splits", "split_size", "tenant_in"]

_LINES = (".ndjson", ".jsonl", ".json", ".log", ".txt")
_PACKED = {".gz": "gzip", ".gzip": "gzip", ".zst": "zstd", ".zstd": "zstd"}
_SCHEME = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]+://")
_SAME = {"s3a": "s3", "s3n": "s3", "gs": "gcs", "abfss": "abfs"}
"""Arrow's names by Hadoop's."""
_PEEK = 1 << 20
_SPLITS_PER_TASK = 8
_LEAST_BYTES, _MOST_BYTES = 32 << 20, 128 << 20
EVENT_COLUMNS = ("event", "value", "body", "payload", "raw")
"""Columns of a Parquet file that may hold events, the first that is there."""


class Split(Struct, frozen=True, gc=False):
    """A part of a source that one task reads."""

    path: str
    form: str
    """lines, gzip, zstd (lines, compressed), document (a JSON object or array) or parquet."""
    start: int = 0
    end: int = 0
    """Bytes of `lines`, row groups of `parquet`."""
    size: int = 0
    """Bytes to read, for the progress."""
    stamp: str = ""
    """Changes when the file does: an import that goes on must not trust a part of another file."""


def plan_splits(sources: Iterable[str], split_bytes: int | None = None, tasks: int = 1) -> list[Split]:
    """All splits of all sources, in a fixed order.

    Of a size that gives each task several of them, unless one is given: larger ones leave fewer facts to merge for each
    event, smaller ones are shared out more evenly.
    """
    files: list[tuple[str, int, str]] = []
    for source in sources:
        found = sorted(_files(source))
        if not found:
            raise UnreadableSource(
                f"There are no events under {source}.",
                hint=f"Files end in {', '.join(_LINES)}, these with {', '.join(sorted(_PACKED))}, or .parquet.",
            )
        files += found
    if split_bytes is None:
        split_bytes = split_size(sum(size for _, size, _ in files), tasks)
    return [split for file in files for split in _cut(*file, split_bytes)]


def split_size(size: int, tasks: int) -> int:
    """Bytes of a split, from the bytes of all sources."""
    return min(max(size // (tasks * _SPLITS_PER_TASK), _LEAST_BYTES), _MOST_BYTES)


def absolute(source: str) -> str:
    """A source by a name that means the same in every process, whatever folder it runs in.

    >>> absolute("/log/*.ndjson"), absolute("s3://bucket/log")
    ('/log/*.ndjson', 's3://bucket/log')
    """
    return source if _SCHEME.match(source) else os.path.abspath(source)  # noqa: PTH100 - keeps links as they are


def open_file(path: str) -> IO[bytes]:
    """A file of this machine, or of an object store, for reading at any place."""
    if not _SCHEME.match(path):
        return open(path, "rb", buffering=1 << 20)  # noqa: PTH123 - the caller closes it
    system, inner = _system(path)
    return system.open_input_file(inner)  # type: ignore[no-any-return]


def tenant_in(path: str) -> str | None:
    """Tenant in a folder's name.

    >>> tenant_in("/log/tenant=acme/day=2025-01-01/part-0.parquet")
    'acme'
    """
    for part in PurePosixPath(path).parts:
        if part.startswith("tenant="):
            return part.removeprefix("tenant=")
    return None


def _files(source: str) -> Iterator[tuple[str, int, str]]:
    """Path, size and time stamp of every file that a source names."""
    if _SCHEME.match(source):
        yield from _remote_files(source)
        return
    source = absolute(source)
    named = sorted(glob.glob(source, recursive=True)) if glob.has_magic(source) else [source]  # noqa: PTH207 - absolute too
    local = pafs.LocalFileSystem()
    for name in named:
        info = local.get_file_info(name)
        if info.type == pafs.FileType.NotFound:
            raise UnreadableSource(f"There is no file or folder {name}.", hint="Check the path; quote patterns.")
        if info.type == pafs.FileType.File:
            yield name, info.size, str(info.mtime_ns)
        else:
            for inner in local.get_file_info(pafs.FileSelector(name, recursive=True)):
                if inner.type == pafs.FileType.File and _form(inner.path) is not None:
                    yield inner.path, inner.size, str(inner.mtime_ns)


def _remote_files(source: str) -> Iterator[tuple[str, int, str]]:
    system, inner = _system(source)
    prefix = source[: source.index("://") + 3]
    try:
        info = system.get_file_info(inner)
        if info.type == pafs.FileType.Directory:
            selector = pafs.FileSelector(inner, recursive=True)
            infos = [item for item in system.get_file_info(selector) if _form(item.path) is not None]
        else:
            infos = [info]
    except OSError as error:
        raise UnreadableSource(f"{source} cannot be read: {error}.", hint="Check credentials and region.") from None
    for item in infos:
        if item.type == pafs.FileType.File:
            yield prefix + item.path, item.size, str(item.mtime_ns)


def _system(source: str) -> tuple[Any, str]:
    scheme, rest = source.split("://", 1)
    try:
        system, inner = pafs.FileSystem.from_uri(f"{_SAME.get(scheme, scheme)}://{rest}")
    except (ValueError, OSError) as error:
        raise UnreadableSource(
            f"{source} cannot be opened: {error}.",
            hint="Known are s3://, gs://, abfss://, hdfs:// and file://; others must be copied first.",
        ) from None
    return system, inner


def _form(path: str) -> str | None:
    """Form of a file by its name; None for a file that is not ours."""
    suffixes = [suffix.lower() for suffix in PurePosixPath(path).suffixes]
    if not suffixes or PurePosixPath(path).name.startswith((".", "_")):
        return None
    if suffixes[-1] in _PACKED:
        return _PACKED[suffixes[-1]]
    if suffixes[-1] == ".parquet":
        return "parquet"
    return "lines" if suffixes[-1] in _LINES else None


def _cut(path: str, size: int, stamp: str, split_bytes: int) -> list[Split]:
    form = _form(path) or "lines"  # a file that was named is read, whatever it is called
    if form == "parquet":
        return _row_groups(path, size, stamp)
    if form == "lines" and _is_document(path):
        form = "document"
    if form != "lines" or size <= split_bytes:
        return [Split(path, form, 0, size, size, stamp)]
    starts = range(0, size, split_bytes)
    return [Split(path, form, at, min(at + split_bytes, size), min(split_bytes, size - at), stamp) for at in starts]


def _row_groups(path: str, size: int, stamp: str) -> list[Split]:
    from pyarrow import parquet  # noqa: PLC0415 - only for such files

    with open_file(path) as file:
        try:
            metadata = parquet.ParquetFile(file).metadata
        except (OSError, ValueError):  # whoever reads it says so, and the other files are read nevertheless
            return [Split(path, "parquet", 0, 1, size, stamp)]
        return [
            Split(path, "parquet", group, group + 1, metadata.row_group(group).total_byte_size, stamp)
            for group in range(metadata.num_row_groups)
        ]


def _is_document(path: str) -> bool:
    """Whether a file holds one JSON value over several lines, or an array, and not an event a line."""
    with open_file(path) as file:
        head = file.read(_PEEK).lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"["):
        return True
    first, newline, _ = head.partition(b"\n")
    if not first.startswith(b"{") or not newline:
        return False
    try:
        msgspec.json.decode(first)
    except (msgspec.DecodeError, RecursionError):
        return first.rstrip().endswith((b"{", b",", b"["))
    return False
