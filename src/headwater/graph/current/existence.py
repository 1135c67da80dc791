"""Whether a dataset exists. Creating, dropping, renaming and writing count only for runs that did not fail."""

from __future__ import annotations

from headwater.graph.facts import OutputType, Role, RunStatus

__all__ = ["UNDONE", "is_there", "shows_it_is_there"]

UNDONE = (RunStatus.KILLED, RunStatus.FAILED)
"""Outcomes of runs whose changes did not happen."""


def is_there(dropped_at: int | None, created_at: int | None, written_at: int | None) -> bool:
    """Whether a dataset that was named is there: it was never dropped, or created or written since.

    >>> is_there(5, 3, 9), is_there(5, None, 5), is_there(None, None, None)
    (True, False, True)
    """
    return dropped_at is None or any(time is not None and time > dropped_at for time in (created_at, written_at))


def shows_it_is_there(role: int, types: int) -> bool:
    """Whether an interaction after a drop shows that the dataset is there again: all but reading and dropping it.

    >>> shows_it_is_there(Role.OUTPUT, 0), shows_it_is_there(Role.OUTPUT, OutputType.DROP)
    (True, False)
    """
    return role != Role.INPUT and not types & OutputType.DROP
