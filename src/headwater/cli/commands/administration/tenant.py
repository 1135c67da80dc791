"""`headwater tenant`: owners of data."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from headwater.cli.client.request import call
from headwater.cli.options import ConfigOption, UrlOption, WhereOption, server_of
from headwater.cli.output.table import TableOption, check_table, print_json, print_record, print_table

__all__ = ["register"]

CodeArgument = Annotated[str, typer.Argument(metavar="CODE", help="The tenant's short name.")]
_COLUMNS = ("id", "code", "name", "state", "rate", "burst")
tenant = typer.Typer(help="Create, list, limit, disable and enable tenants.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(tenant, name="tenant")


@tenant.command("create")
def create(
    code: CodeArgument,
    name: Annotated[str | None, typer.Option(help="Its name in full; the code if not given.")] = None,
    id_: Annotated[
        int | None, typer.Option("--id", help="The id by which Gravitino knows it; the next free one if not given.")
    ] = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Create a tenant."""
    check_table(format_)
    body = {"code": code, "name": name, "id": id_}
    answer = call((data, url, config), "POST", ("tenants",), body=body, creates=True)
    (print_json if format_ == "json" else print_record)(answer)


@tenant.command("list")
def list_(
    data: WhereOption = None, url: UrlOption = None, format_: TableOption = "table", config: ConfigOption = None
) -> None:
    """List the tenants."""
    check_table(format_)
    found = call((data, url, config), "GET", ("tenants",))["tenants"]
    if format_ == "json":
        print_json(found)
    else:
        print_table(found, _COLUMNS)


@tenant.command("show")
def show(
    code: CodeArgument,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Show one tenant."""
    check_table(format_)
    answer = call((data, url, config), "GET", ("tenants", code))
    (print_json if format_ == "json" else print_record)(answer)


@tenant.command("status")
def status(
    code: CodeArgument,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Show whether events of a tenant's catalogs count as they come, or a full reading goes on, and how far it is."""
    check_table(format_)
    answer = call((data, url, config), "GET", ("tenants", code, "status"))
    _print_status(answer, format_)


@tenant.command("source")
def source(
    code: CodeArgument,
    metalake: Annotated[str, typer.Option("--metalake", help="The metalake that is read from there.")],
    gravitino: Annotated[
        str | None, typer.Option("--gravitino", help="Address of the Gravitino server, such as http://gravitino:8090.")
    ] = None,
    token: Annotated[
        str | None, typer.Option("--token", help="Where the access token is: env:NAME or file:PATH.")
    ] = None,
    rate: Annotated[int, typer.Option("--rate", min=0, help="Requests a second at most; 0 for any number.")] = 50,
    hold: Annotated[
        bool, typer.Option("--hold/--no-hold", help="Hold its events from now on until it was read as a whole.")
    ] = True,
    remove: Annotated[bool, typer.Option("--remove", help="Forget the server of this metalake.")] = False,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Name the Gravitino server that a metalake of a tenant is read from."""
    check_table(format_)
    if remove == (gravitino is not None):
        raise typer.BadParameter("Say either --gravitino or --remove.")
    target = (data, url, config)
    if remove:
        answer = call(target, "POST", ("tenants", code, "sources", "remove"), body={"metalake": metalake})
    else:
        body = {"metalake": metalake, "url": gravitino, "token": token, "rate": rate, "hold": hold}
        answer = call(target, "POST", ("tenants", code, "sources"), body=body)
    _print_status(answer, format_)


@tenant.command("sync")
def sync(
    code: CodeArgument,
    metalake: Annotated[str | None, typer.Option("--metalake", help="Which, if the tenant has several.")] = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Let a server begin a full reading of a metalake; `headwater pipeline sync gravitino` does it here."""
    check_table(format_)
    if server_of(url, data) is None:
        raise typer.BadParameter("Name the server with --url, or use headwater pipeline sync gravitino.")
    _print_status(call((data, url, config), "POST", ("tenants", code, "sync"), body={"metalake": metalake}), format_)


@tenant.command("set-limit")
def set_limit(
    code: CodeArgument,
    rate: Annotated[int | None, typer.Option(help="Events a second that are taken of it; 0 for any number.")] = None,
    burst: Annotated[
        int | None, typer.Option(help="Events that are taken at once; what the rate gives in 2 seconds if not given.")
    ] = None,
    default: Annotated[bool, typer.Option("--default", help="What the settings say, and nothing of its own.")] = False,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Limit how many events a second are taken of a tenant."""
    check_table(format_)
    if default == (rate is not None):
        raise typer.BadParameter("Say either --rate or --default.")
    answer = call((data, url, config), "POST", ("tenants", code, "limit"), body={"rate": rate, "burst": burst})
    (print_json if format_ == "json" else print_record)(answer)


@tenant.command("disable")
def disable(
    code: CodeArgument,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Take no more events for a tenant, and let its keys read nothing; its data stays."""
    check_table(format_)
    answer = call((data, url, config), "POST", ("tenants", code, "disable"))
    (print_json if format_ == "json" else print_record)(answer)


@tenant.command("enable")
def enable(
    code: CodeArgument,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Take events for a tenant again; those kept as dead letters can be retried."""
    check_table(format_)
    answer = call((data, url, config), "POST", ("tenants", code, "enable"))
    (print_json if format_ == "json" else print_record)(answer)


def _print_status(answer: dict[str, Any], format_: str) -> None:
    if format_ == "json":
        print_json(answer)
        return
    job = answer["job"] or {}
    shown = {"code": answer["code"], "state": answer["state"], "assets_waiting": answer["assets_waiting"]}
    if answer["catalogs"] or answer["sources"]:
        shown["embedding_model"] = answer["embedding_model"] or "none: see headwater model set"
    if job:
        progress = f"{job['step'] or 'begins'}, {job['done']} of {job['total']}" if job["running"] else "not running"
        shown |= {"sync": progress, "error": job["error"]}
    print_record(shown)
    if answer["catalogs"]:
        print_table(answer["catalogs"], ("metalake", "state", "cutover_time", "sync_started"))
    if answer["sources"]:
        print_table(answer["sources"], ("metalake", "url", "has_token", "rate"))
