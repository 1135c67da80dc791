"""Zip file of the package, for the executors of a cluster."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import headwater
from headwater.pipeline.spark.session import is_local, is_remote

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["pack", "ship"]

_FIRST_DAY = (1980, 1, 1, 0, 0, 0)
"""The same files give the same bytes."""
_OLD = 7 * 86_400


def pack(target: Path) -> int:
    """Write the installed package into a zip file; gives the number of files in it."""
    folder = Path(headwater.__file__).parent
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".pyc"]
    with zipfile.ZipFile(target, "w") as archive:
        for path in files:
            name = (Path("headwater") / path.relative_to(folder)).as_posix()
            archive.writestr(zipfile.ZipInfo(name, _FIRST_DAY), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return len(files)


def _packed() -> Path:
    """The package in the temporary folder, named after its content: one copy, also after a killed process."""
    folder = Path(tempfile.gettempdir()) / f"headwater-package-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.getuid() or folder.is_symlink():
        folder = Path(tempfile.mkdtemp(prefix="headwater-"))  # somebody else made that one
    handle, name = tempfile.mkstemp(prefix=".packing-", dir=folder)
    os.close(handle)
    scratch = Path(name)
    pack(scratch)
    cached = folder / hashlib.sha256(scratch.read_bytes()).hexdigest()[:16]
    cached.mkdir(exist_ok=True)
    target = cached / "headwater.zip"
    scratch.replace(target)
    os.utime(cached)
    _forget_old(folder)
    return target


def _forget_old(folder: Path) -> None:
    """Remove packages of other versions, and leftovers of killed processes, after some days."""
    for path in folder.iterdir():
        if time.time() - path.stat().st_mtime > _OLD:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def ship(spark: SparkSession) -> bool:
    """Send the package of this process to the executors of a cluster, whatever version they have.

    False where there is nothing to do: they are this process, or `--py-files` brought the package to all of them.
    """
    is_elsewhere = is_remote(spark)
    if not Path(headwater.__file__).is_file() or (not is_elsewhere and is_local(spark.sparkContext.master or "")):
        return False
    target = _packed()  # stays: executors that come later fetch it later
    if is_elsewhere:
        spark.addArtifacts(str(target), pyfile=True)
    else:
        spark.sparkContext.addPyFile(str(target))
    return True
