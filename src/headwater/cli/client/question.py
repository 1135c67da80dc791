"""One question, to the local store or to a server: the same answer either way."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from headwater.cli.client.server import get_json, server_of
from headwater.cli.options import open_reader

if TYPE_CHECKING:
    from headwater.lineage.answer.moment import Edge

__all__ = [
    "PICTURES",
    "AsOfOption",
    "DepthOption",
    "DirectionOption",
    "MomentCommand",
    "PictureOption",
    "SinceOption",
    "Target",
    "UntilOption",
    "answer_of",
    "check_format",
    "local_metrics",
    "moment",
    "present",
    "window",
]

Target = tuple[str | None, str | None, str | None, str | None]
"""The options --data, --url, --tenant and --config."""
SinceOption = Annotated[
    str | None,
    typer.Option("--since", help="Only what was said at this time or later: a time, a date, yesterday, -1d."),
]
UntilOption = Annotated[str | None, typer.Option("--until", help="Only what was said at this time or earlier.")]
AsOfOption = Annotated[
    str | None, typer.Option("--as-of", help="The graph as it was at this time; of a day, at its end.")
]
DirectionOption = Annotated[str, typer.Option("--direction", help="upstream, downstream or both.")]
PICTURES = ("tree", "table", "json", "csv", "mermaid", "dot")
PictureOption = Annotated[str, typer.Option("--format", "-f", help="tree, table, json, csv, mermaid or dot.")]
"""How an answer is shown that can be drawn, one of PICTURES."""
DepthOption = Annotated[int, typer.Option("--depth", help="How many steps to go, 1 to 50.")]


def answer_of(target: Target, path: str, sent: dict[str, Any], ask: Callable[[Any, int], Any]) -> Any:
    """Answer of a server to a request, or of the question on the local store."""
    data, url, tenant, config = target
    server = server_of(url, data)
    if server:
        return get_json(server, path, {**{name: _text(value) for name, value in sent.items()}, "tenant": tenant})
    return ask(*open_reader(data, config, tenant))


def local_metrics(reader: Any) -> Any:
    """Finder of catalog metrics in the local store."""
    from headwater.lineage.assets.affected_metrics import MetricFinder
    from headwater.store.assets.projection import Projection
    from headwater.store.engine import make_engine

    url = reader.engine.url.render_as_string(hide_password=False)
    return MetricFinder(reader, Projection(reader.engine, make_engine(url, writes=True)))


def check_format(chosen: str, formats: tuple[str, ...]) -> None:
    if chosen not in formats:
        known = f"{', '.join(formats[:-1])} nor {formats[-1]}"
        raise typer.BadParameter(f"{chosen!r} is neither {known}", param_hint="--format")


def moment(text: str | None, option: str, edge: Edge = "first", now: int | None = None) -> int | None:
    """A typed time, in microseconds; `edge` chooses the microsecond of a day."""
    from headwater.lineage.answer.moment import FORMS, parse_moment

    if text is None:
        return None
    found = parse_moment(text, present() if now is None else now, edge)
    if found is None:
        raise typer.BadParameter(f"{text!r} is no time; write {FORMS}", param_hint=option)
    return found


def present() -> int:
    """The present time, in microseconds."""
    return time.time_ns() // 1000


def window(since: str | None, until: str | None, as_of: str | None) -> Any:
    from headwater.store.read.shapes.current_shapes import Window

    now = present()
    return Window(
        moment(since, "--since", now=now), moment(until, "--until", "last", now), moment(as_of, "--as-of", "last", now)
    )


class MomentCommand(TyperCommand):
    """A command whose arguments may be moments such as `-1d`, which look like options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        from headwater.lineage.answer.moment import is_ago

        # With a blank in front it is no option, and to a moment the blank means nothing.
        return super().parse_args(ctx, [f" {arg}" if is_ago(arg) else arg for arg in args])


def _text(value: Any) -> Any:
    return (
        str(value).lower() if isinstance(value, bool) else value or None if isinstance(value, list | tuple) else value
    )
