"""Records as a table, or as JSON."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any

import typer

from headwater.cli.output.terminal import say
from headwater.escaping import json_text, printable

__all__ = ["TableOption", "check_table", "masking_of", "print_json", "print_record", "print_table", "seconds"]

TableOption = Annotated[str, typer.Option("--format", "-f", help="table or json.")]
_DURATION = re.compile(r"(\d+)\s*([smhdw]?)")
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


def check_table(format_: str) -> None:
    if format_ not in ("table", "json"):
        raise typer.BadParameter(f"{format_!r} is neither table nor json", param_hint="--format")


def print_json(value: Any) -> None:
    typer.echo(json_text(json.dumps(value, indent=2, ensure_ascii=False)))


def print_table(records: list[dict[str, Any]], columns: tuple[str, ...]) -> None:
    """One line a record, with a heading; a sentence where there are none."""
    if not records:
        say("There are none.")
        return
    rows = [[column.replace("_", " ") for column in columns]]
    rows += [[_text(record.get(column)) for column in columns] for record in records]
    widths = [max(len(row[store_options]) for row in rows) for store_options in range(len(columns))]
    for row in rows:
        say("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def print_record(record: dict[str, Any]) -> None:
    width = max(map(len, record))
    for name, value in record.items():
        say(f"{name.replace('_', ' '):{width}}  {_text(value)}")


def seconds(text: str | None, option: str) -> int | None:
    """A duration: 3600, 90m, 24h, 30d, 2w."""
    if text is None:
        return None
    found = _DURATION.fullmatch(text.strip().lower())
    if not found:
        raise typer.BadParameter(f"{text!r} is no duration; write 90m, 24h or 30d", param_hint=option)
    return int(found.group(1)) * _UNITS[found.group(2)]


def _text(value: Any) -> str:
    if value is None or value == "":
        return "-"
    return printable(",".join(map(str, value)) if isinstance(value, list) else str(value))


def masking_of(way: dict[str, Any]) -> str:
    """Whether a way masks, in few words; none if it does not."""
    return {True: "masked", None: "masking unknown"}.get(way["masking"], "")
