"""`headwater dead-letters`: events that were refused."""

from __future__ import annotations

from typing import Annotated

import typer

from headwater.cli.client.request import call
from headwater.cli.options import ConfigOption, UrlOption, WhereOption
from headwater.cli.output.table import TableOption, check_table, print_json, print_record, print_table
from headwater.cli.output.terminal import say

__all__ = ["register"]

LetterArgument = Annotated[str, typer.Argument(metavar="ID", help="The dead letter's id.")]
OptionalLetter = Annotated[
    str | None, typer.Argument(metavar="ID", help="One of them; else all that the options mean.")
]
TenantOption = Annotated[str | None, typer.Option("--tenant", help="Code of a tenant; all if not given.")]
ReasonOption = Annotated[str | None, typer.Option("--reason", help="Only those refused for this reason.")]
SourceOption = Annotated[str | None, typer.Option("--source", help="Only those from this source.")]
AfterOption = Annotated[
    str | None,
    typer.Option("--since", "--after", help="Received at this time or later; or yesterday, -1d."),
]
BeforeOption = Annotated[
    str | None, typer.Option("--until", "--before", help="Received before this time; of a day, to its end.")
]
StateOption = Annotated[str, typer.Option("--state", help="refused, taken (by a retry) or any.")]
_COLUMNS = ("id", "received_at", "tenant", "source", "key", "reason", "path", "state", "attempts")
letters = typer.Typer(help="List, show, retry and purge refused events.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(letters, name="dead-letters")


@letters.command("list")
def list_(
    tenant: TenantOption = None,
    reason: ReasonOption = None,
    source: SourceOption = None,
    after: AfterOption = None,
    before: BeforeOption = None,
    state: StateOption = "refused",
    limit: Annotated[int, typer.Option(help="How many at most.")] = 100,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """List refused events, the newest first."""
    check_table(format_)
    wanted = {"tenant": tenant, "reason": reason, "source": source, "since": after, "until": before, "state": state}
    answer = call((data, url, config), "GET", ("dead-letters",), {**wanted, "limit": limit})
    if format_ == "json":
        print_json(answer)
        return
    print_table(answer["dead_letters"], _COLUMNS)
    if answer["total"] > len(answer["dead_letters"]):
        say(f"and {answer['total'] - len(answer['dead_letters'])} more")


@letters.command("show")
def show(
    id_: LetterArgument,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Show one refused event with its body."""
    check_table(format_)
    answer = call((data, url, config), "GET", ("dead-letters", str(id_)))
    if format_ == "json":
        print_json(answer)
        return
    body = answer.pop("body")
    print_record(answer)
    say(f"\n{body}")


@letters.command("retry")
def retry(
    id_: OptionalLetter = None,
    tenant: TenantOption = None,
    reason: ReasonOption = None,
    source: SourceOption = None,
    after: AfterOption = None,
    before: BeforeOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Send refused events through admission again: one, or all that the options mean."""
    check_table(format_)
    if id_ is not None:
        answer = call((data, url, config), "POST", ("dead-letters", str(id_), "retry"))
    else:
        wanted = {"tenant": tenant, "reason": reason, "source": source, "since": after, "until": before}
        answer = call((data, url, config), "POST", ("dead-letters", "retry"), wanted)
    (print_json if format_ == "json" else print_record)(answer)


@letters.command("purge")
def purge(
    id_: OptionalLetter = None,
    tenant: TenantOption = None,
    reason: ReasonOption = None,
    source: SourceOption = None,
    after: AfterOption = None,
    before: BeforeOption = None,
    state: StateOption = "any",
    all_: Annotated[bool, typer.Option("--all", help="Needed when nothing narrows it down.")] = False,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Delete refused events for good: one, or all that the options mean."""
    check_table(format_)
    if id_ is not None:
        answer = call((data, url, config), "DELETE", ("dead-letters", str(id_)))
    else:
        wanted = {"tenant": tenant, "reason": reason, "source": source, "since": after, "until": before}
        if state == "any" and not any(wanted.values()) and not all_:
            raise typer.BadParameter("this deletes every dead letter; say --all, or narrow it down")
        answer = call((data, url, config), "DELETE", ("dead-letters",), {**wanted, "state": state})
    (print_json if format_ == "json" else print_record)(answer)
