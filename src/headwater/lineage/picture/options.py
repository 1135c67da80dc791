"""Options of a picture."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from headwater.graph.current.window import ALWAYS, NOW, Window
from headwater.lineage.errors import BadQuestion
from headwater.lineage.picture.answer import Direction, Granularity
from headwater.lineage.walk.options import check_window

__all__ = ["MOST_EXPANSIONS", "MOST_NODES", "MOST_STEPS", "Columns", "Fold", "PictureOptions"]

MOST_NODES, MOST_STEPS, MOST_EXPANSIONS, _MOST_PATTERNS = 2_000, 20, 100, 20
Columns = Literal["none", "lit", "all"]
Fold = Literal["jobs", "applications", "none"]
_FOLDS: dict[Granularity, tuple[Fold, ...]] = {
    "DATASET": ("jobs", "applications"),
    "JOB": ("none", "applications"),
    "APPLICATION": ("applications",),
    "RUN": ("none",),
    "OPERATION": ("none",),
}
"""By granularity, the foldable kinds; the first is the default."""


class PictureOptions(Struct, frozen=True, kw_only=True):
    direction: Direction = "both"
    steps: int = 1
    granularity: Granularity = "DATASET"
    window: Window = ALWAYS
    current: bool = False
    columns: Columns = "none"
    column: str | None = None
    """Whose path is lit: a column of the start, DATASET#COLUMN or a key."""
    columns_of: tuple[str, ...] = ()
    """Keys of nodes whose columns are shown, with the edges to and from them; all nodes if none is named."""
    fold: Fold | None = None
    hide: tuple[str, ...] = ()
    """temporary, tool, or a pattern for names, in which `*` stands for any text."""
    expand: tuple[str, ...] = ()
    """KEY:upstream, KEY:downstream, or KEY for both."""
    limit: int = 500
    ends: bool = False

    def check(self) -> None:
        """Refuses options that contradict each other, with the parameter."""
        _between("steps", self.steps, 0, MOST_STEPS)
        _between("limit", self.limit, 1, MOST_NODES)
        _at_most("expand", self.expand, MOST_EXPANSIONS)
        _at_most("hide", self.hide, _MOST_PATTERNS)
        _at_most("columns_of", self.columns_of, MOST_EXPANSIONS)
        check_window(self.window)
        if self.current and not self.window.is_always:
            raise BadQuestion(
                "`current` asks for the graph as of now, and a window or moment for another.",
                path="?current",
                hint="Give one or the other.",
            )
        if self.fold is not None and self.fold not in _FOLDS[self.granularity]:
            raise BadQuestion(
                f"fold={self.fold} does not go with the granularity {self.granularity}.",
                path="?fold",
                hint=f"With {self.granularity} use {' or '.join(_FOLDS[self.granularity])}.",
            )
        if self.column is not None and self.columns != "lit":
            raise BadQuestion(
                "`column` says whose path is lit, and nothing is to be lit.", path="?columns", hint="Add columns=lit."
            )

    @property
    def folds(self) -> Fold:
        return self.fold or _FOLDS[self.granularity][0]

    @property
    def most_datasets(self) -> int:
        """Where jobs are nodes too, they need room beside the datasets."""
        return self.limit if self.granularity == "DATASET" else max(1, self.limit * 3 // 5)

    @property
    def sides(self) -> tuple[bool, ...]:
        """Whether to go downstream, for each direction."""
        return {"both": (False, True), "upstream": (False,), "downstream": (True,)}[self.direction]

    @property
    def walked(self) -> Window:
        """The time of the graph that is walked."""
        return NOW if self.current else self.window


def _between(name: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise BadQuestion(f"{name} must be a whole number from {low} to {high}, not {value}.", path=f"?{name}")


def _at_most(name: str, values: tuple[Any, ...], most: int) -> None:
    if len(values) > most:
        raise BadQuestion(f"{name} is given {len(values)} times; {most} is the most.", path=f"?{name}")
