"""`headwater config`: the settings in force, and where each comes from."""

from __future__ import annotations

import json
import os
from typing import Annotated

import msgspec
import typer

from headwater.cli.options import ConfigOption
from headwater.cli.output.terminal import say

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    app.command("config")(config)


def config(
    config: ConfigOption = None,
    format_: Annotated[str, typer.Option("--format", "-f", help="table or json.")] = "table",
) -> None:
    """Show the settings in force, and where each comes from."""
    if format_ not in ("table", "json"):
        raise typer.BadParameter(f"{format_!r} is neither table nor json", param_hint="--format")
    from headwater.settings import load_settings

    settings, origins = load_settings({}, os.environ, config)
    values = {name: _hide(name, value) for name, value in msgspec.structs.asdict(settings).items()}
    if format_ == "json":
        say(json.dumps({name: {"value": value, "origin": origins[name]} for name, value in values.items()}, indent=2))
        return
    width = max(map(len, values))
    shown = {name: json.dumps(value) for name, value in values.items()}
    value_width = max(map(len, shown.values()))
    for name, text in shown.items():
        say(f"{name:{width}}  {text:{value_width}}  {origins[name]}")


def _hide(name: str, value: object) -> object:
    """A database URL without its password."""
    if name == "store" and isinstance(value, str) and "@" in value and "://" in value:
        scheme, _, rest = value.partition("://")
        credentials, _, host = rest.rpartition("@")
        return f"{scheme}://{credentials.partition(':')[0]}:***@{host}"
    return value
