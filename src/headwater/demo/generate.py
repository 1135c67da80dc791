"""A log of invented events in files: NDJSON, a folder per tenant, as a landing zone would have it."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import zstandard
from msgspec import Struct

from headwater.demo.stream import disorder, stream
from headwater.errors import HeadwaterError

__all__ = ["COMPRESSIONS", "CannotGenerate", "Generated", "Recipe", "generate", "tenant_bodies", "tenant_code"]

COMPRESSIONS = {"none": "", "gzip": ".gz", "zstd": ".zst"}
_BLOCK = 256
"""Events that are written at once."""


class CannotGenerate(HeadwaterError):
    code = "cannot_generate"


class Recipe(Struct, frozen=True, kw_only=True):
    """Parameters of a generated log. The same parameters give the same bytes."""

    events: int
    tenants: int = 1
    seed: int = 1
    jobs: int = 1000
    """Of each tenant."""
    late: float = 0.02
    """Share of events that come long after those of their time."""
    duplicates: float = 0.02
    """Share of events that come twice."""


class Generated(Struct, frozen=True):
    events: int
    bytes: int
    """Before compression."""
    files: int


def tenant_code(number: int) -> str:
    """The first tenant is the default one, so that a generated log can be looked at without more ado."""
    return "default" if number == 0 else f"tenant-{number + 1:03d}"


def tenant_bodies(recipe: Recipe, number: int) -> Iterator[bytes]:
    """The events of one tenant."""
    share = recipe.events // recipe.tenants + (number < recipe.events % recipe.tenants)
    seed = f"{recipe.seed}/{number}"
    chance = random.Random(f"{seed}/disorder")  # noqa: S311 - invented data
    return disorder(stream(seed, recipe.jobs), share, chance, late=recipe.late, duplicates=recipe.duplicates)


def generate(
    recipe: Recipe,
    folder: Path,
    *,
    compress: str = "none",
    file_bytes: int = 256 << 20,
    progress: Callable[[int], None] = lambda _: None,
) -> Generated:
    """Write `folder/tenant=CODE/part-00000.ndjson` and so on; `progress` hears how many events were added."""
    events = size = files = 0
    for number in range(recipe.tenants):
        tenant_folder = folder / f"tenant={tenant_code(number)}"
        _make_empty(tenant_folder)
        blocks = _blocks(tenant_bodies(recipe, number))
        block = next(blocks, None)
        part = 0
        while block is not None:
            path = tenant_folder / f"part-{part:05d}.ndjson{COMPRESSIONS[compress]}"
            written = 0
            with ExitStack() as stack:
                target = _open(path, compress, stack)
                while block is not None and written < file_bytes:
                    count, data = block
                    target.write(data)
                    written += len(data)
                    events += count
                    progress(count)
                    block = next(blocks, None)
            size += written
            files += 1
            part += 1
    return Generated(events, size, files)


def _blocks(bodies: Iterator[bytes]) -> Iterator[tuple[int, bytes]]:
    while block := list(islice(bodies, _BLOCK)):
        yield len(block), b"\n".join((*block, b""))


def _make_empty(tenant_folder: Path) -> None:
    try:
        tenant_folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotGenerate(
            f"The folder {tenant_folder} cannot be made: {error.strerror}.", hint="Name another one with --out."
        ) from None
    if any(tenant_folder.iterdir()):
        raise CannotGenerate(
            f"There are files in {tenant_folder} already.", hint="Name another folder with --out, or remove this one."
        )


def _open(path: Path, compress: str, stack: ExitStack) -> BinaryIO:
    file = stack.enter_context(path.open("wb"))
    if compress == "gzip":  # no time and no name inside: the same recipe gives the same bytes
        zipped = gzip.GzipFile(filename="", mode="wb", compresslevel=1, fileobj=file, mtime=0)
        return stack.enter_context(zipped)  # type: ignore[return-value]  # it writes bytes, which is all that is asked
    if compress == "zstd":
        return stack.enter_context(zstandard.ZstdCompressor(level=1).stream_writer(file, closefd=False))
    return file
