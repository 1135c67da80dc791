"""`headwater tag`, `describe`, `own`, `hide`, `edit`: changes by hand, and their history."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from headwater.cli.client.complete import complete_name
from headwater.cli.client.request import call
from headwater.cli.commands.administration import edit_edges
from headwater.cli.commands.administration.made import ByOption, ReasonOption, tenant_parameter, user_of
from headwater.cli.options import ConfigOption, TenantOption, UrlOption, WhereOption, server_of
from headwater.cli.output.table import TableOption, check_table, print_json, print_record, print_table
from headwater.cli.output.terminal import say

__all__ = ["register"]

ThingArgument = Annotated[
    str,
    typer.Argument(
        metavar="NAME", help="A dataset, DATASET#COLUMN, a job or location:NAMESPACE.", autocompletion=complete_name
    ),
]
RemoveOption = Annotated[bool, typer.Option("--remove", help="Take it off instead.")]
_COLUMNS = ("time", "of", "change", "by", "reason", "id")
edit = typer.Typer(
    help="Lineage by hand: add, remove and hide edges; list changes and take them back.", no_args_is_help=True
)


def register(app: typer.Typer) -> None:
    app.command("tag")(tag)
    app.command("describe")(describe)
    app.command("own")(own)
    app.command("hide")(hide)
    edit_edges.register(edit)
    app.add_typer(edit, name="edit")


def tag(
    name: ThingArgument,
    tags: Annotated[list[str], typer.Argument(metavar="TAGS", help="KEY or KEY=VALUE; several are possible.")],
    remove: RemoveOption = False,
    by: ByOption = None,
    reason: ReasonOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """Put tags on a dataset, a column or a job, or take them off."""
    body = {"name": name, "remove" if remove else "add": tags}
    _change("tag", body, (by, reason), (data, url, config), tenant, format_)


def describe(
    name: ThingArgument,
    description: Annotated[str, typer.Argument(metavar="[DESCRIPTION]", help="What it is; not with --remove.")] = "",
    remove: Annotated[bool, typer.Option("--remove", help="Take back what was written.")] = False,
    by: ByOption = None,
    reason: ReasonOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """Describe a dataset, a column, a job or a location."""
    if bool(description.strip()) == remove:
        raise typer.BadParameter("write a text, or say --remove", param_hint="DESCRIPTION")
    body = {"name": name, "description": description}
    _change("describe", body, (by, reason), (data, url, config), tenant, format_)


def own(
    name: ThingArgument,
    owners: Annotated[list[str], typer.Argument(metavar="OWNERS", help="Who is responsible; several are possible.")],
    remove: RemoveOption = False,
    by: ByOption = None,
    reason: ReasonOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """Name owners of a dataset, a job or a location, or strike them out."""
    body = {"name": name, "remove" if remove else "add": owners}
    _change("own", body, (by, reason), (data, url, config), tenant, format_)


def hide(
    name: ThingArgument,
    undo: Annotated[bool, typer.Option("--undo", help="Show it again.")] = False,
    until_heard: Annotated[bool, typer.Option("--until-heard", help="Only until an event names it again.")] = False,
    by: ByOption = None,
    reason: ReasonOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """Hide a dataset, a job or a location from lists, search and lineage, or show it again."""
    body = {"name": name, "undo": undo, "until_heard": until_heard}
    _change("hide", body, (by, reason), (data, url, config), tenant, format_)


@edit.command("list")
def list_(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Only changes of this thing.")] = None,
    limit: Annotated[int, typer.Option("--limit", help="How many at most, 1 to 1000.")] = 100,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """List changes by hand, the newest first."""
    check_table(format_)
    wanted = {"name": name, "limit": limit, **tenant_parameter(tenant, url, data)}
    found = call((data, url, config), "GET", ("edits",), wanted)
    if format_ == "json":
        print_json(found)
        return
    print_table(found["items"], _COLUMNS)
    if found["total"] > len(found["items"]):
        say(f"{len(found['items'])} of {found['total']}")


@edit.command("undo")
def undo(
    id_: Annotated[str, typer.Argument(metavar="ID", help="Of the change, as `headwater edit list` shows it.")],
    by: ByOption = None,
    reason: ReasonOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """Take a change back, unless another one replaced it."""
    _change("edits/undo", {"id": id_}, (by, reason), (data, url, config), tenant, format_)


def _change(
    route: str,
    body: dict[str, Any],
    made: tuple[str | None, str | None],
    target: tuple[str | None, str | None, str | None],
    tenant: str | None,
    format_: str,
) -> None:
    check_table(format_)
    by, reason = made
    data, url, _ = target
    if by is None and server_of(url, data) is None:
        by = user_of()
    sent = {**body, "by": by, "reason": reason, "via": "CLI"}
    answer = call(target, "POST", tuple(route.split("/")), tenant_parameter(tenant, url, data), sent)
    if format_ == "json":
        print_json(answer)
        return
    print_record({key: value for key, value in answer.items() if value not in (None, [], "")})
