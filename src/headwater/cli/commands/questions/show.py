"""`headwater show`: details of one thing."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from headwater.cli.client.complete import complete_name
from headwater.cli.options import (
    ConfigOption,
    TenantOption,
    UrlOption,
    WhereOption,
    ask_server,
    open_reader,
    server_of,
)
from headwater.cli.output.table import print_json

__all__ = ["register"]

NameArgument = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="A name or part of it, dataset:NAMESPACE:NAME, job:NAMESPACE:NAME, run:ID or just the id, "
        "location:NAMESPACE, user:NAME or sql:ID.",
        autocompletion=complete_name,
    ),
]


def register(app: typer.Typer) -> None:
    app.command("show")(show)


def show(
    name: NameArgument,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: Annotated[str, typer.Option("--format", "-f", help="tree, table or json.")] = "tree",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """Show details of a dataset, job, run, operation, location, user or statement."""
    if format_ != "table":
        _check(format_)
    url = server_of(url, data)
    if url:
        answer = json.load(ask_server(url, "/api/v2/show", {"name": name, "tenant": tenant}))
    else:
        from headwater.lineage.entities.entity import show as local_show

        answer = local_show(*open_reader(data, config, tenant), name)
    if format_ == "json":
        print_json(answer)
        return
    from headwater.cli.output.entity import print_entity, print_members

    (print_members if format_ == "table" else print_entity)(answer)


def _check(format_: Any) -> None:
    if format_ not in ("tree", "json"):
        raise typer.BadParameter(f"{format_!r} is neither tree nor json", param_hint="--format")
