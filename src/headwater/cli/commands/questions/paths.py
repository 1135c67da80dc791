"""`headwater paths`: how data gets from one thing to another."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from headwater.cli.client.question import (
    PICTURES,
    AsOfOption,
    PictureOption,
    SinceOption,
    UntilOption,
    answer_of,
    check_format,
    window,
)
from headwater.cli.options import ConfigOption, TenantOption, UrlOption, WhereOption

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    app.command("paths")(paths)


def paths(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A dataset, DATASET#COLUMN, job, run or SQL.")],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="The same.")],
    limit: Annotated[int, typer.Option(help="How many ways are listed, 1 to 1000.")] = 20,
    depth: Annotated[int, typer.Option("--depth", help="How many steps to go, 1 to 50.")] = 50,
    since: SinceOption = None,
    until: UntilOption = None,
    as_of: AsOfOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: PictureOption = "tree",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """List the shortest ways that data takes from one thing to another."""
    check_format(format_, PICTURES)
    times = window(since, until, as_of)
    sent: dict[str, Any] = {"from": source, "to": target, "limit": limit, "depth": depth}
    sent |= {"since": since, "until": until, "as_of": as_of}

    def ask(reader: Any, tenant_id: int) -> Any:
        from headwater.lineage.walk.paths import paths as ask_paths

        return ask_paths(reader, tenant_id, source, target, window=times, limit=limit, depth=depth)

    answer = answer_of((data, url, tenant, config), "/api/v2/paths", sent, ask)
    from headwater.cli.output.tree import print_paths

    print_paths(answer, format_)
