"""`headwater list`: datasets, jobs, runs and the like, sorted and filtered, in a data folder or on a server."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from headwater.cli.client.question import check_format
from headwater.cli.client.request import call
from headwater.cli.options import ConfigOption, TenantOption, UrlOption, WhereOption, server_of
from headwater.cli.output.table import print_json, print_table
from headwater.cli.output.terminal import say

__all__ = ["register"]

_FORMATS = ("table", "json", "csv")
_SHOWN = {
    "datasets": ("id", "last_seen", "tags", "owners"),
    "jobs": ("id", "type", "last_seen", "tags", "owners"),
    "runs": ("id", "job", "status", "started_at", "duration_ms"),
    "operations": ("id", "job", "status", "started_at", "duration_ms"),
    "locations": ("id", "type", "datasets", "jobs", "owners"),
    "users": ("name", "runs", "owns", "last_seen"),
    "tags": ("tag", "datasets", "columns", "jobs"),
    "sql": ("id", "dialect", "jobs", "last_seen"),
}


def register(app: typer.Typer) -> None:
    app.command("list")(list_)


def list_(
    kind: Annotated[str, typer.Argument(metavar="KIND", help=f"{', '.join(_SHOWN)}.")],
    where: Annotated[
        list[str] | None,
        typer.Option("--where", help="A filter of the list, as in tag=pii or status=FAILED; may be repeated."),
    ] = None,
    order: Annotated[str | None, typer.Option("--order", help="As in last_seen; -last_seen turns it round.")] = None,
    fields: Annotated[
        str | None, typer.Option("--fields", help="Only these members, with commas between them.")
    ] = None,
    counts: Annotated[
        list[str] | None, typer.Option("--counts", help="With the number of items by each value; may be repeated.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", help="How many at most, 1 to 1000.")] = 50,
    cursor: Annotated[str | None, typer.Option("--cursor", help="`next` of the page before.")] = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: Annotated[str, typer.Option("--format", "-f", help="table, json or csv.")] = "table",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """List things of a kind: sorted, filtered, counted, as a table, JSON or CSV."""
    check_format(format_, _FORMATS)
    if kind not in _SHOWN:
        raise typer.BadParameter(f"{kind!r} is none of {', '.join(_SHOWN)}", param_hint="KIND")
    wanted: dict[str, Any] = {"order": order, "fields": fields, "limit": limit, "cursor": cursor}
    if counts:
        wanted["counts"] = counts
    for text in where or ():
        name, is_filter, value = text.partition("=")
        if not is_filter or name in wanted:
            raise typer.BadParameter(f"{text!r} is no filter; write for example tag=pii", param_hint="--where")
        wanted.setdefault(name, []).append(value)
    wanted["tenant"] = tenant or (None if server_of(url, data) else "default")
    answer = call((data, url, config), "GET", (kind,), wanted)
    if format_ == "json":
        print_json(answer)
        return
    items = answer["items"]
    names = tuple(items[0]) if items and (fields or format_ == "csv") else _SHOWN[kind]
    if format_ == "csv":
        from headwater.cli.output.tree import print_csv

        print_csv(items, names, names)
        return
    print_table(items, names)
    for facet, values in answer.get("counts", {}).items():
        say(f"{facet}: " + ", ".join(f"{it['value'] or '-'} {it['items']}" for it in values))
    if answer["next"] is not None:
        say(f"{len(items)} of {answer['total']}; the next page: --cursor {answer['next']}")
