"""`headwater key`: API keys for senders and readers."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from headwater.cli.client.request import call
from headwater.cli.options import ConfigOption, UrlOption, WhereOption
from headwater.cli.output.table import TableOption, check_table, print_json, print_record, print_table, seconds
from headwater.cli.output.terminal import say

__all__ = ["register"]

KeyArgument = Annotated[str, typer.Argument(metavar="ID", help="The key's id: the part between hw_ and the next _.")]
_COLUMNS = ("id", "tenant", "source", "roles", "name", "state", "created_at", "expires_at", "last_used_at")
key = typer.Typer(help="Create, list, revoke and rotate API keys.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(key, name="key")


@key.command("create")
def create(
    tenant: Annotated[str | None, typer.Option(help="Code of the tenant it is for; none if not given.")] = None,
    source: Annotated[str, typer.Option(help="Who will use it: GRAVITINO, SPARK, FLINK, HIVE, ... or ANY.")] = "ANY",
    role: Annotated[
        list[str] | None,
        typer.Option("--role", help="writer (default), reader, editor, monitor or admin; may be repeated."),
    ] = None,
    name: Annotated[str | None, typer.Option(help="What it is for, in your words.")] = None,
    network: Annotated[
        list[str] | None,
        typer.Option("--network", help="Network from which it may be used, such as 10.0.0.0/8; may be repeated."),
    ] = None,
    expires: Annotated[str | None, typer.Option(help="How long it works: 24h, 30d; for good if not given.")] = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Create a key and print it: this is the only time it is shown. From the first key on, everybody needs one."""
    check_table(format_)
    body = {
        "tenant": tenant,
        "source": source,
        "roles": role,
        "name": name,
        "expires_in": seconds(expires, "--expires"),
        "networks": network,
    }
    _hand_out(call((data, url, config), "POST", ("keys",), body=body, creates=True), format_)


@key.command("list")
def list_(
    tenant: Annotated[str | None, typer.Option(help="Code of a tenant; all if not given.")] = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """List the keys, without their secrets."""
    check_table(format_)
    found = call((data, url, config), "GET", ("keys",), {"tenant": tenant})["keys"]
    if format_ == "json":
        print_json(found)
    else:
        print_table(found, _COLUMNS)


@key.command("revoke")
def revoke(
    id_: KeyArgument,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Revoke a key; servers know it within a few seconds."""
    check_table(format_)
    answer = call((data, url, config), "POST", ("keys", id_, "revoke"))
    (print_json if format_ == "json" else print_record)(answer)


@key.command("rotate")
def rotate(
    id_: KeyArgument,
    grace: Annotated[str, typer.Option(help="How long the old key still works: 24h, 7d.")] = "24h",
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Create a key like an old one, which then works for a while only."""
    check_table(format_)
    body = {"grace": seconds(grace, "--grace")}
    _hand_out(call((data, url, config), "POST", ("keys", id_, "rotate"), body=body), format_)


def _hand_out(answer: dict[str, Any], format_: str) -> None:
    if format_ == "json":
        print_json(answer)
        return
    text = answer.pop("key")
    print_record(answer)
    say(f"\n{text}\n\nKeep it now: it is not shown again.")
