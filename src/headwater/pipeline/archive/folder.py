"""Where an archive is: a folder of this machine, a shared one, or an object store."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.fs as pafs

from headwater.pipeline.archive.errors import ArchiveUnusable
from headwater.pipeline.archive.layout import ArchiveFile, parse_path, tenant_folder

__all__ = ["ArchiveFolder", "open_archive"]

_SCHEME = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]+://")
_SAME = {"s3a": "s3", "s3n": "s3", "gs": "gcs", "abfss": "abfs"}
"""Arrow's names by Hadoop's."""
_PIECE = 8 << 20
_MANIFEST = "_headwater.json"


class ArchiveFolder:
    """Files of one archive, by their paths below its folder. A file appears whole or not at all."""

    def __init__(self, folder: str) -> None:
        self._local = not _SCHEME.match(folder) or folder.startswith("file://")
        self._system, root = _system(folder)
        self._root = root.rstrip("/")
        self.folder = self._root if self._local else folder
        """The folder, so that another process finds the same."""

    def files(self, tenant: str | None = None) -> list[ArchiveFile]:
        """All files, or those of one tenant."""
        below = self._root if tenant is None else f"{self._root}/{tenant_folder(tenant)}"
        selector = pafs.FileSelector(below, recursive=True, allow_not_found=True)
        parsed = [parse_path(info.path) for info in self._system.get_file_info(selector) if info.is_file]
        return sorted(file for file in parsed if file is not None)

    def check_writable(self) -> None:
        """Raises `ArchiveUnusable` for a folder where nothing can be written, before any work is done."""
        if not self._local:
            return
        try:
            with self.writing(".headwater-was-here") as name:
                Path(name).write_bytes(b"")
            Path(self._full(".headwater-was-here")).unlink()
        except OSError as error:
            raise ArchiveUnusable(
                f"The archive {self.folder} cannot be written: {error.strerror or error}.",
                hint="Name a folder that can be made and written from here and from all workers, or a URL.",
            ) from None

    def exists(self, path: str) -> bool:
        return bool(self._system.get_file_info(self._full(path)).type == pafs.FileType.File)

    def open(self, path: str) -> Any:
        """A file for reading at any place; close it."""
        return self._system.open_input_file(self._full(path))

    @contextmanager
    def writing(self, path: str) -> Iterator[str]:
        """Gives the path of a file to write on this machine; it is put in place when the block ends well."""
        target = Path(self._full(path))
        if self._local:
            _make_folders(target.parent)
        handle, name = tempfile.mkstemp(prefix=".writing-", dir=target.parent if self._local else None)
        os.close(handle)
        scratch = Path(name)
        try:
            yield name
            if self._local:
                _settle(scratch, target)
            else:
                self._upload(scratch, path)
        finally:
            scratch.unlink(missing_ok=True)

    def read_manifest(self) -> dict[str, int]:
        """Up to which id of the log the archive is complete: of every tenant ("*"), and further for some."""
        if not self.exists(_MANIFEST):
            return {}
        with self.open(_MANIFEST) as file:
            try:
                return msgspec.json.decode(bytes(file.read()), type=_Manifest).archived_to
            except msgspec.DecodeError as error:
                raise ArchiveUnusable(
                    f"{self.folder}/{_MANIFEST} cannot be read: {error}.",
                    hint="Remove that file: all that is in the log is then compared with the archive again.",
                ) from None

    def write_manifest(self, archived_to: dict[str, int]) -> None:
        with self.writing(_MANIFEST) as name:
            Path(name).write_bytes(msgspec.json.encode(_Manifest(archived_to)))

    def _full(self, path: str) -> str:
        return f"{self._root}/{path}"

    def _upload(self, scratch: Path, path: str) -> None:
        with scratch.open("rb") as source, self._system.open_output_stream(self._full(path)) as target:
            while piece := source.read(_PIECE):
                target.write(piece)


class _Manifest(msgspec.Struct):
    archived_to: dict[str, int]


@cache
def open_archive(folder: str) -> ArchiveFolder:
    """The archive in a folder; one per process."""
    return ArchiveFolder(folder)


def _settle(scratch: Path, target: Path) -> None:
    """Rename durably: archived events may be deleted from the store next."""
    with scratch.open("rb") as file:
        os.fsync(file.fileno())
    scratch.replace(target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _make_folders(folder: Path) -> None:
    """For their owner alone, as the files in them are; folders that are there stay as they are."""
    for place in reversed([place for place in (folder, *folder.parents) if not place.exists()]):
        place.mkdir(mode=0o700, exist_ok=True)


def _system(folder: str) -> tuple[Any, str]:
    if not _SCHEME.match(folder):
        return pafs.LocalFileSystem(), str(Path(folder).absolute())
    scheme, rest = folder.split("://", 1)
    try:
        system, root = pafs.FileSystem.from_uri(f"{_SAME.get(scheme, scheme)}://{rest}")
    except (ValueError, OSError) as error:
        raise ArchiveUnusable(
            f"{folder} cannot be opened: {error}.",
            hint="Name a folder, or a URL: s3://, gs://, abfss://, hdfs:// or file://.",
        ) from None
    return system, root
