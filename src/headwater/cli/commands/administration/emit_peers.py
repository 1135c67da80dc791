"""`headwater emit overlay|sink|dlq`: sources of versions, sinks of events, and dead letters."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from headwater.cli.client.request import call
from headwater.cli.commands.administration.made import tenant_parameter
from headwater.cli.options import ConfigOption, TenantOption, UrlOption, WhereOption
from headwater.cli.output.table import TableOption, check_table, print_json, print_record, print_table
from headwater.cli.output.terminal import say

__all__ = ["register"]

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Its name.")]
SinkOption = Annotated[str | None, typer.Option("--sink", help="Name of a sink; all if not given.")]
SecretOption = typer.Option(help="Name of the file with the Bearer token, in the tenant's folder of secrets.")
CaOption = typer.Option(help="Name of the file with authorities' certificates (PEM), in the same folder.")
CertificateOption = typer.Option(help="Name of the file with our certificate (PEM), in the same folder.")
KeyOption = typer.Option(help="Name of the file with its key (PEM), in the same folder.")
_OVERLAYS = ("name", "url", "producer_host", "job_by", "min_confs", "stable_confs", "checked_at")
_SINKS = ("name", "kind", "url", "state", "pending", "sent", "dead", "reason")
_LETTERS = ("id", "version_id", "step", "attempts", "reason", "dead_since")

overlays = typer.Typer(help="Configure, list and remove overlays.", no_args_is_help=True)
sinks = typer.Typer(help="Configure, list, remove and resume sinks.", no_args_is_help=True)
letters = typer.Typer(help="List, show and retry events that a sink did not take.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(overlays, name="overlay")
    app.add_typer(sinks, name="sink")
    app.add_typer(letters, name="dlq")


@overlays.command("add")
def add_overlay(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The environment: namespace overlay:NAME.")],
    address: Annotated[str, typer.Argument(metavar="ADDRESS", help="Where /bundle, /ready and /listings are.")],
    producer_host: Annotated[
        str, typer.Option(help="Host in the producer of the events: https://HOST/adapter/openlineage/1.0.")
    ],
    job_by: Annotated[str, typer.Option(help="By what jobs are named: versionId or txid.")] = "versionId",
    start: Annotated[bool, typer.Option("--start", help="Emit a START before the first COMPLETE.")] = False,
    ready: Annotated[bool, typer.Option("--ready/--no-ready", help="Whether /ready is asked.")] = True,
    min_confs: Annotated[int, typer.Option(help="Confirmations that a version needs to be shown.")] = 0,
    stable_confs: Annotated[int, typer.Option(help="Confirmations from which on it is watched no longer.")] = 6,
    poll_seconds: Annotated[int, typer.Option(help="Seconds between two looks at a version.")] = 10,
    give_up_seconds: Annotated[
        int, typer.Option(help="Seconds after which a transaction that a reorg removed is given up.")
    ] = 86_400,
    check_seconds: Annotated[
        int, typer.Option(help="Seconds between two comparisons with the listings; 0 for none.")
    ] = 3_600,
    token: Annotated[str, SecretOption] = "",
    ca: Annotated[str, CaOption] = "",
    certificate: Annotated[str, CertificateOption] = "",
    key: Annotated[str, KeyOption] = "",
    tenant: TenantOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Configure an overlay, or configure it again."""
    check_table(format_)
    body = {
        "name": name,
        "url": address,
        "producer_host": producer_host,
        "job_by": job_by,
        "start": start,
        "ready": ready,
        "min_confs": min_confs,
        "stable_confs": stable_confs,
        "poll_seconds": poll_seconds,
        "give_up_seconds": give_up_seconds,
        "check_seconds": check_seconds,
        "token": token,
        "ca": ca,
        "certificate": certificate,
        "key": key,
    }
    whose = tenant_parameter(tenant, url, data)
    answer = call((data, url, config), "POST", ("emit", "overlays"), whose, body, creates=True)
    (print_json if format_ == "json" else print_record)(answer)


@overlays.command("list")
def list_overlays(
    tenant: TenantOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """List overlays."""
    _list("overlays", _OVERLAYS, tenant, (data, url, config), format_)


@overlays.command("remove")
def remove_overlay(
    name: NameArgument,
    tenant: TenantOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    config: ConfigOption = None,
) -> None:
    """Remove an overlay; its emitted events stay."""
    call((data, url, config), "DELETE", ("emit", "overlays", name), tenant_parameter(tenant, url, data))
    say(f"{name} was removed.")


@sinks.command("add")
def add_sink(
    name: NameArgument,
    kind: Annotated[str, typer.Option(help="headwater (this server), marquez, or http.")] = "headwater",
    to: Annotated[str, typer.Option(help="Address of Marquez, or the whole URL of another OpenLineage endpoint.")] = "",
    token: Annotated[str, SecretOption] = "",
    ca: Annotated[str, CaOption] = "",
    certificate: Annotated[str, CertificateOption] = "",
    key: Annotated[str, KeyOption] = "",
    seconds: Annotated[int, typer.Option(help="Time for one request.")] = 10,
    rate: Annotated[int, typer.Option(help="Events a second that each process sends; 0 for any number.")] = 0,
    tenant: TenantOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Configure a sink, or configure it again; `emit repair` then gives it the events of before."""
    check_table(format_)
    body: dict[str, Any] = {"name": name, "kind": kind, "url": to, "token": token, "ca": ca}
    body |= {"certificate": certificate, "key": key, "seconds": seconds, "rate": rate}
    whose = tenant_parameter(tenant, url, data)
    answer = call((data, url, config), "POST", ("emit", "sinks"), whose, body, creates=True)
    (print_json if format_ == "json" else print_record)(answer)


@sinks.command("list")
def list_sinks(
    tenant: TenantOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """List sinks, with the number of events that wait for each."""
    _list("sinks", _SINKS, tenant, (data, url, config), format_)


@sinks.command("remove")
def remove_sink(
    name: NameArgument,
    tenant: TenantOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    config: ConfigOption = None,
) -> None:
    """Remove a sink and the events that are for it."""
    call((data, url, config), "DELETE", ("emit", "sinks", name), tenant_parameter(tenant, url, data))
    say(f"{name} was removed.")


@sinks.command("resume")
def resume_sink(
    name: NameArgument,
    tenant: TenantOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    config: ConfigOption = None,
) -> None:
    """Let a sink have its events again now: one that was paused, or one that did not answer."""
    call((data, url, config), "POST", ("emit", "sinks", name, "resume"), tenant_parameter(tenant, url, data))
    say(f"{name} is active.")


@letters.command("list")
def list_letters(
    sink: SinkOption = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many at most.")] = 100,
    tenant: TenantOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """List events that a sink did not take, the newest first."""
    check_table(format_)
    wanted = {"sink": sink, "limit": limit, **tenant_parameter(tenant, url, data)}
    answer = call((data, url, config), "GET", ("emit", "dlq"), wanted)
    if format_ == "json":
        print_json(answer)
        return
    print_table(answer["dead_letters"], _LETTERS)
    if answer["total"] > len(answer["dead_letters"]):
        say(f"and {answer['total'] - len(answer['dead_letters'])} more")


@letters.command("show")
def show_letter(
    id_: Annotated[str, typer.Argument(metavar="ID", help="The dead letter's id.")],
    tenant: TenantOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Show one of them with its body."""
    check_table(format_)
    answer = call((data, url, config), "GET", ("emit", "dlq", id_), tenant_parameter(tenant, url, data))
    if format_ == "json":
        print_json(answer)
        return
    body = answer.pop("body")
    print_record(answer)
    say(f"\n{body}")


@letters.command("retry")
def retry_letters(
    id_: Annotated[str | None, typer.Argument(metavar="ID", help="One of them; else all of the sink.")] = None,
    sink: SinkOption = None,
    tenant: TenantOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Send events again: one, or all that a sink did not take."""
    check_table(format_)
    whose = tenant_parameter(tenant, url, data)
    if id_ is not None:
        answer = call((data, url, config), "POST", ("emit", "dlq", id_, "retry"), whose)
    else:
        answer = call((data, url, config), "POST", ("emit", "dlq", "retry"), {"sink": sink, **whose})
    (print_json if format_ == "json" else print_record)(answer)


def _list(
    what: str,
    columns: tuple[str, ...],
    tenant: str | None,
    target: tuple[str | None, str | None, str | None],
    format_: str,
) -> None:
    check_table(format_)
    data, url, _ = target
    answer = call(target, "GET", ("emit", what), tenant_parameter(tenant, url, data))
    print_json(answer) if format_ == "json" else print_table(answer[what], columns)
