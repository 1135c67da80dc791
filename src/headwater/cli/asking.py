"""One question, to the local store or to a server: the same answer either way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from headwater.cli.options import open_reader
from headwater.cli.remote import get_json, server_of

__all__ = [
    "PICTURES",
    "AsOfOption",
    "DepthOption",
    "DirectionOption",
    "PictureOption",
    "SinceOption",
    "Target",
    "UntilOption",
    "answer_of",
    "check_format",
    "moment",
    "window",
]

Target = tuple[str | None, str | None, str | None, str | None]
"""The options --data, --url, --tenant and --config."""
SinceOption = Annotated[str | None, typer.Option("--since", help="Only what was said at this time or later.")]
UntilOption = Annotated[str | None, typer.Option("--until", help="Only what was said at this time or earlier.")]
AsOfOption = Annotated[str | None, typer.Option("--as-of", help="The graph as it was at this time.")]
DirectionOption = Annotated[str, typer.Option("--direction", help="upstream, downstream or both.")]
PICTURES = ("tree", "table", "json", "csv", "mermaid", "dot")
PictureOption = Annotated[str, typer.Option("--format", "-f", help="tree, table, json, csv, mermaid or dot.")]
"""How an answer is shown that can be drawn, one of PICTURES."""
DepthOption = Annotated[int, typer.Option("--depth", help="How many steps to go, 1 to 50.")]


def answer_of(target: Target, path: str, sent: dict[str, Any], ask: Callable[[Any, int], Any]) -> Any:
    """The answer of a server to what is sent, or of the question asked on the local store."""
    data, url, tenant, config = target
    server = server_of(url, data)
    if server:
        return get_json(server, path, {**{name: _text(value) for name, value in sent.items()}, "tenant": tenant})
    return ask(*open_reader(data, config, tenant))


def check_format(chosen: str, formats: tuple[str, ...]) -> None:
    if chosen not in formats:
        known = f"{', '.join(formats[:-1])} nor {formats[-1]}"
        raise typer.BadParameter(f"{chosen!r} is neither {known}", param_hint="--format")


def moment(text: str | None, option: str) -> int | None:
    """A time as it is typed, in microseconds."""
    from headwater.openlineage.times import parse_time

    if text is None:
        return None
    time = parse_time(text)
    if time is None:
        raise typer.BadParameter(f"{text!r} is no time; write 2026-01-31T12:00:00Z", param_hint=option)
    return time


def window(since: str | None, until: str | None, as_of: str | None) -> Any:
    from headwater.store.held import Window

    return Window(moment(since, "--since"), moment(until, "--until"), moment(as_of, "--as-of"))


def _text(value: Any) -> Any:
    return (
        str(value).lower() if isinstance(value, bool) else value or None if isinstance(value, list | tuple) else value
    )
