"""`headwater policy`: which facets, fields and values of events are kept."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from headwater.cli.client.request import call, conversation
from headwater.cli.commands.administration.made import tenant_parameter
from headwater.cli.options import ConfigOption, UrlOption, WhereOption, server_of
from headwater.cli.output.table import TableOption, check_table, print_json, print_table
from headwater.cli.output.terminal import say
from headwater.errors import HeadwaterError

__all__ = ["register"]

_MOST_EVENTS = 1000
FileArgument = Annotated[str, typer.Argument(metavar="FILE", help="A file, or - for standard input.")]
PolicyTenantOption = Annotated[str | None, typer.Option("--tenant", help="Code of the tenant.")]
policy = typer.Typer(help="Show, set, clear and try the facet policy of a tenant.", no_args_is_help=True)


class UnreadableFile(HeadwaterError):
    code = "unreadable_file"


def register(app: typer.Typer) -> None:
    app.add_typer(policy, name="policy")


@policy.command("show")
def show(
    tenant: PolicyTenantOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    config: ConfigOption = None,
) -> None:
    """Show the policy of a tenant as JSON, and the rules that are built in."""
    print_json(call((data, url, config), "GET", ("policy",), tenant_parameter(tenant, url, data)))


@policy.command("set")
def set_(
    file: FileArgument,
    tenant: PolicyTenantOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    config: ConfigOption = None,
) -> None:
    """Set the policy of a tenant from a JSON file; servers apply it within a few seconds."""
    body = _json(_read(file), file)
    parameters = tenant_parameter(tenant, url, data)
    print_json(call((data, url, config), "POST", ("policy", "set"), parameters, body)["policy"])


@policy.command("clear")
def clear(
    tenant: PolicyTenantOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    config: ConfigOption = None,
) -> None:
    """Take the policy of a tenant away; the rules that are built in still hold."""
    call((data, url, config), "POST", ("policy", "clear"), tenant_parameter(tenant, url, data))
    say("The tenant has no facet policy of its own.")


@policy.command("test")
def try_(
    file: FileArgument,
    policy_file: Annotated[
        str | None, typer.Option("--policy", help="A policy in a file, instead of the one that the tenant has.")
    ] = None,
    tenant: PolicyTenantOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Print the effect of a policy on the events of a file: an event, an array, or one per line. Nothing is stored.

    Without --url, --policy needs no data either.
    """
    check_table(format_)
    events = _events(_read(file), file)
    tried = None if policy_file is None else _json(_read(policy_file), policy_file)
    if tried is not None and server_of(url, data) is None:
        answers = _tried(events[:_MOST_EVENTS], tried)
    else:
        whose = tenant_parameter(tenant, url, data)
        with conversation((data, url, config)) as ask:
            answers = [
                ask("POST", ("policy", "test"), whose, {"event": event, "policy": tried})
                for event in events[:_MOST_EVENTS]
            ]
    if format_ == "json":
        print_json(answers)
    else:
        rows = [_row(number, answer) for number, answer in enumerate(answers, 1)]
        print_table(rows, ("event", "outcome", "removed", "redacted", "parts"))
    if len(events) > _MOST_EVENTS:
        say(f"and {len(events) - _MOST_EVENTS} more events, which were not tried", err=True)
    if any(answer["outcome"] == "refused" for answer in answers):
        raise typer.Exit(2)


def _tried(events: list[Any], policy: dict[str, Any]) -> list[dict[str, Any]]:
    """Effect of this policy on events, without a store or server."""
    import msgspec

    from headwater.api.operators.tenants.policy import trial_of
    from headwater.openlineage.policy.record import read_policy
    from headwater.openlineage.policy.rules import Rules

    rules = Rules(read_policy(json.dumps(policy)))
    return [msgspec.json.decode(msgspec.json.encode(trial_of(json.dumps(event).encode(), rules))) for event in events]


def _row(number: int, answer: dict[str, Any]) -> dict[str, Any]:
    parts = [f"{part['path']} {part['outcome']}" for part in answer["parts"]]
    redacted = ", ".join(f"{count} {kind}" for kind, count in answer["redacted"].items())
    return {
        "event": number,
        "outcome": answer["outcome"],
        "removed": answer["removed"],
        "redacted": redacted,
        "parts": answer["message"] or "; ".join(parts),
    }


def _read(file: str) -> str:
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableFile(f"{file} cannot be read: {error}.") from None


def _json(text: str, file: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"{file} is no JSON: {error}.") from None
    if not isinstance(value, dict):
        raise UnreadableFile(f"{file} is no JSON object.")
    return value


def _events(text: str, file: str) -> list[Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return [
            _json(line, f"{file}, line {number}") for number, line in enumerate(text.splitlines(), 1) if line.strip()
        ]
    return value if isinstance(value, list) else [value]
