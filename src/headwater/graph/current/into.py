"""Inputs of one job's output dataset."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["Into"]


class Into(Struct, frozen=True, gc=False):
    """Datasets by the ids under which they are shown."""

    sources: frozenset[bytes]
    """Datasets that flow into the dataset through the job."""
    shapes: frozenset[bytes]
    """The shapes that count: those that write the dataset, and those that state a flow into it."""
    types: int
    """Flags of `OutputType`: all that the job did to it."""
    is_settled: bool = False
    """Whether all runs that wrote it had these sources, so that it does not matter which of them counts."""
    is_exact: bool = True
    """Whether no shape is from failed runs alone. It matters to columns only."""
