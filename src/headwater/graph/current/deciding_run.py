"""Run that decides the inputs of a dataset: the newest of a job that wrote it and did not fail.

A run that has not ended counts once it has named inputs, or if there is no earlier one; where all runs failed, the
newest of them counts. The newest is the one that began last to name the dataset as output.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct

__all__ = ["WritingRun", "began_of", "deciding_run"]


class WritingRun(Struct, frozen=True):
    """A run with this dataset among its outputs."""

    run: bytes
    began: int
    """When it first stated that."""
    shapes: Collection[bytes]
    """All of its shapes."""
    has_failed: bool
    is_settled: bool
    """It has named inputs, or has ended."""


def deciding_run(runs: Iterable[WritingRun]) -> WritingRun | None:
    """The run that counts.

    >>> first = WritingRun(b"1", 5, (), has_failed=False, is_settled=True)
    >>> begun = WritingRun(b"2", 9, (), has_failed=False, is_settled=False)
    >>> deciding_run([first, begun]).run, deciding_run([begun]).run
    (b'1', b'2')
    """
    ordered = sorted(runs, key=lambda run: (run.began, run.run), reverse=True)
    sound = [run for run in ordered if not run.has_failed] or ordered
    settled = [run for run in sound if run.is_settled]
    return next(iter(settled or sound), None)


def began_of(first_seen: Mapping[bytes, int], writing: Collection[bytes]) -> int:
    """When a run first stated one of the shapes that write."""
    return min(time for shape, time in first_seen.items() if shape in writing)
