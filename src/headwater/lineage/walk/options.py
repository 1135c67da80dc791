"""Options of a question about lineage."""

from __future__ import annotations

from msgspec import Struct

from headwater.graph.walk import NODE_LIMIT
from headwater.lineage.errors import BadQuestion
from headwater.store.read.shapes.current_shapes import ALWAYS, Window

__all__ = ["DIRECTIONS", "GRANULARITIES", "Options"]

DIRECTIONS = ("upstream", "downstream", "both")
GRANULARITIES = ("OPERATION", "RUN", "JOB", "DATASET", "COLUMN")
DEEPEST = 50


class Options(Struct, frozen=True):
    direction: str = "both"
    depth: int = 5
    granularity: str | None = None
    """None is that of the start: a column's is COLUMN, a run's RUN, an operation's OPERATION, otherwise JOB."""
    window: Window = ALWAYS
    current: bool = False
    """Only current edges: the graph as of now."""
    columns: bool = False
    """Whether to add the column edges between the datasets of the answer."""
    indirect: bool = True
    """Whether filters, joins and the like count as column lineage."""
    masked: bool | None = None
    """Only columns that values reach masked (or unmasked)."""
    locations: tuple[str, ...] = ()
    job_types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    shows_hidden: bool = False
    """Whether edges that somebody hid by hand are shown, and marked."""
    keep_symlinks: bool = False
    unfold: bool = False
    """Whether the parts of a start, and the datasets between them, are nodes of their own."""
    node_limit: int = NODE_LIMIT

    def check(self) -> None:
        """Refuses options that contradict each other, with the parameter."""
        if self.direction not in DIRECTIONS:
            raise BadQuestion(
                f"There is no direction {self.direction!r}.",
                path="?direction",
                hint="Use upstream, downstream or both.",
            )
        if not 1 <= self.depth <= DEEPEST:
            raise BadQuestion(f"The depth must be from 1 to {DEEPEST}, not {self.depth}.", path="?depth")
        if self.granularity is not None and self.granularity not in GRANULARITIES:
            raise BadQuestion(
                f"There is no granularity {self.granularity!r}.",
                path="?granularity",
                hint=f"Use {', '.join(GRANULARITIES)}.",
            )
        if not 1 <= self.node_limit <= NODE_LIMIT:
            raise BadQuestion(f"limit must be from 1 to {NODE_LIMIT}, not {self.node_limit}.", path="?limit")
        check_window(self.window)
        if self.current and not self.window.is_always:
            raise BadQuestion(
                "`current` asks for the graph as of now, and a window or moment for another.",
                path="?current",
                hint="Give one or the other.",
            )

    @property
    def sides(self) -> tuple[str, ...]:
        return ("upstream", "downstream") if self.direction == "both" else (self.direction,)


def check_window(window: Window) -> None:
    if window.as_of is not None and (window.since is not None or window.until is not None):
        raise BadQuestion(
            "as_of is one moment, since and until are a window.", path="?as_of", hint="Give one or the other."
        )
    if window.since is not None and window.until is not None and window.since > window.until:
        raise BadQuestion("The window ends before it begins.", path="?since")
