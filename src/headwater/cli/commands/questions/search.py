"""`headwater search`: whatever has these words, in a data folder or on a server."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from headwater.cli.client.request import call
from headwater.cli.options import ConfigOption, TenantOption, UrlOption, WhereOption, server_of
from headwater.cli.output.table import TableOption, check_table, print_json, print_table
from headwater.cli.output.terminal import say
from headwater.escaping import printable

__all__ = ["register"]

_KINDS = ("dataset", "job", "sql", "location", "asset")
_MODES = ("text", "semantic", "hybrid")
_NO_MODEL = "model_missing"
_LONGEST = 120
"""Characters of a description."""
_MOST_MEANINGS = 2
"""Of a hit; a table whose columns are near, too, has many."""


def register(app: typer.Typer) -> None:
    app.command("search")(search)


def search(
    words: Annotated[
        list[str], typer.Argument(metavar="WORDS", help="All of them must occur; of the last the beginning is enough.")
    ],
    kind: Annotated[
        list[str] | None, typer.Option("--kind", help="dataset, job, sql, location or asset; may be repeated.")
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option("--mode", help="text, semantic or hybrid; hybrid if not given and the tenant has a model."),
    ] = None,
    namespace: Annotated[str | None, typer.Option("--namespace", help="Only datasets and jobs of this one.")] = None,
    limit: Annotated[int, typer.Option("--limit", help="How many at most, 1 to 1000.")] = 20,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """Search names, columns, descriptions, tags, owners and SQL; the best first."""
    check_table(format_)
    for word in kind or ():
        if word not in _KINDS:
            raise typer.BadParameter(f"{word!r} is none of {', '.join(_KINDS)}", param_hint="--kind")
    if mode is not None and mode not in _MODES:
        raise typer.BadParameter(f"{mode!r} is none of {', '.join(_MODES)}", param_hint="--mode")
    wanted: dict[str, Any] = {"q": " ".join(words), "kind": kind, "namespace": namespace, "limit": limit}
    wanted["mode"] = mode or "hybrid"
    wanted["tenant"] = tenant or (None if server_of(url, data) else "default")
    answer = call((data, url, config), "GET", ("search",), wanted)
    if format_ == "json":
        print_json(answer)
        return
    print_table([{**hit, "found_in": _found_in(hit)} for hit in answer["items"]], ("kind", "id", "found_in"))
    notice = answer["notice"]
    if notice is not None and (mode is not None or notice["code"] != _NO_MODEL):
        say(f"Searched by words alone: {printable(notice['message'])} {printable(notice['hint'] or '')}".rstrip())
    if answer["total"] > len(answer["items"]):
        counts = ", ".join(f"{count} {name}" for name, count in answer["totals"].items() if count)
        say(f"{len(answer['items'])} of {answer['total']} ({counts})")


def _found_in(hit: dict[str, Any]) -> str:
    """Where the words were found, with the words in brackets, and hits by meaning."""
    found = []
    near = sorted((one for one in hit["reasons"] if one["by"] == "meaning"), key=lambda one: -one["score"])
    for reason in near[:_MOST_MEANINGS]:
        named = f"{reason['field']} {reason['name']}" if reason["name"] else reason["field"]
        found.append(f"meaning of {named} {reason['score']:.2f}")
    for item in hit["highlights"][:3]:
        text, end = "", 0
        for start, stop in item["marks"]:
            text += f"{item['text'][end:start]}[{item['text'][start:stop]}]"
            end = stop
        text += item["text"][end:]
        found.append(f"{item['field']} {' '.join(text.split())[:100]}")
    description = " ".join((hit["description"] or "").split())
    if near and description and not any(item["field"] == "description" for item in hit["highlights"]):
        found.append(f'"{description[:_LONGEST]}"')
    return "; ".join(found)
