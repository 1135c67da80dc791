"""Step of a walk: at a dataset, or at a job.

A walk leaves a job only towards flows of the dataset that led to it. Where every input feeds every output that makes no
difference, and the job is one step from whichever dataset.
"""

from __future__ import annotations

__all__ = ["Step", "behalf_of", "node_at"]

Step = bytes
"""A dataset; or a job, for its own sake (16 bytes), or on behalf of the dataset whose id comes after (32)."""
_ID = 16


def node_at(step: Step) -> bytes:
    """The dataset or job of a step."""
    return step[:_ID]


def behalf_of(step: Step) -> bytes | None:
    """The dataset that led to a job; None for a dataset, and for a job for its own sake."""
    return step[_ID:] or None
