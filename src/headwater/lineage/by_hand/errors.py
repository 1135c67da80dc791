"""Errors of a request to change edges: all problems at once, each with its place."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from headwater.errors import HeadwaterError
from headwater.lineage.errors import BadQuestion

__all__ = ["EditConflict", "Problem", "WrongEdges"]

_MOST_SHOWN = 100


class Problem(Struct, frozen=True, omit_defaults=True):
    """One thing that is wrong."""

    path: str
    """Where in the request."""
    message: str
    error: str
    """A word for programs: type, not_found, no_information, same, both, reported, name."""
    hint: str | None = None
    allowed: tuple[str, ...] = ()
    """Types that would be allowed in its place, if the type is wrong."""
    end: str | None = None
    """Which end of the edge it is about, as it was sent."""


class WrongEdges(BadQuestion):
    """Nothing of the request was done."""

    code = "wrong_edges"

    def __init__(self, problems: Sequence[Problem]) -> None:
        first = problems[0]
        more = f" And {len(problems) - 1} more: see `errors`." if len(problems) > 1 else ""
        super().__init__(f"{first.message}{more}", path=first.path, hint=first.hint)
        self.problems = tuple(problems)

    @property
    def shown(self) -> tuple[Problem, ...]:
        """As many as an answer has room for."""
        return self.problems[:_MOST_SHOWN]


class EditConflict(HeadwaterError):
    """Somebody else changed the same in the meantime."""

    code = "edit_conflict"
