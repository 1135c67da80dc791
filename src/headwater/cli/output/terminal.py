"""Everything that commands print for people goes through here, so that names cannot steer a terminal.

Programs read JSON, printed by `table.print_json`, which has names exactly as they were sent.
"""

from __future__ import annotations

from collections.abc import Iterable

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from headwater.escaping import printable

__all__ = ["SafeConsole", "say"]


def say(text: str, *, colour: str | None = None, err: bool = False) -> None:
    """Print a message; its own lines stay lines."""
    typer.secho(printable(text, keep="\n"), fg=colour, err=err)


class SafeConsole(Console):
    """Prints trees and tables; control characters in them are shown as escapes."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment(printable(segment.text, keep="\n"), segment.style)
