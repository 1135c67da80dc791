"""`headwater pipeline package`: Headwater and its packages as files for executors."""

from __future__ import annotations

from pathlib import Path

from headwater.cli.output.terminal import say
from headwater.pipeline.errors import PipelineError
from headwater.pipeline.spark.python_environment import pack_environment
from headwater.pipeline.spark.python_package import pack

__all__ = ["write_environment", "write_package"]


def write_package(out: str) -> None:
    """Headwater itself, as a zip file."""
    try:
        files = pack(Path(out))
    except OSError as error:
        raise PipelineError(f"{out} cannot be written: {error.strerror}.") from None
    say(f"{out}: {files} files")


def write_environment(out: str, python: str | None) -> None:
    """Write the packages that Headwater needs, as an archive; prints how to give it to Spark."""
    try:
        packages = pack_environment(Path(out), python=python)
    except OSError as error:
        raise PipelineError(f"{out} cannot be written: {error.strerror}.") from None
    say(f"{out}: {packages} packages, {Path(out).stat().st_size / 1e6:.0f} MB")
    say(f"  --conf spark.archives={out}#environment --conf spark.pyspark.python=./environment/bin/python")
