"""`headwater emit`: publishes and recalls of overlays as OpenLineage events."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from headwater.cli.client.request import Call, conversation
from headwater.cli.commands.administration import emit_peers
from headwater.cli.commands.administration.made import tenant_parameter
from headwater.cli.options import ConfigOption, ServerError, TenantOption, UrlOption, WhereOption, server_of
from headwater.cli.output.table import TableOption, check_table, print_json, print_record, print_table
from headwater.cli.output.terminal import say

__all__ = ["register"]

VersionArgument = Annotated[str, typer.Argument(metavar="VERSION_ID", help="The id of the version, unchanged.")]
OverlayOption = Annotated[
    str | None, typer.Option("--overlay", help="Name of the overlay; may be left out if there is only one.")
]
WaitOption = Annotated[float, typer.Option("--wait", min=0, help="Seconds to wait for the sinks to have everything.")]
_COLUMNS = ("overlay", "version_id", "state", "confs", "min_confs", "attempts", "requested_at", "error")
_SUMS = ("versions", "missing", "failed", "requested", "waiting", "unsent", "dead")
_LOOK_AGAIN = 0.2

emit = typer.Typer(help="Publishes and recalls of overlays as OpenLineage events.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    emit_peers.register(emit)
    app.add_typer(emit, name="emit")


@emit.command("publish")
def publish(
    version_id: VersionArgument,
    overlay: OverlayOption = None,
    wait: WaitOption = 30.0,
    tenant: TenantOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Emit the publish of a version; one that was emitted before changes nothing."""
    _request("publish", version_id, overlay, wait, tenant, (data, url, config), format_)


@emit.command("recall")
def recall(
    version_id: VersionArgument,
    overlay: OverlayOption = None,
    wait: WaitOption = 30.0,
    tenant: TenantOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Emit the recall of a version that the overlay has recalled."""
    _request("recall", version_id, overlay, wait, tenant, (data, url, config), format_)


@emit.command("backfill")
def backfill(
    overlay: OverlayOption = None,
    wait: WaitOption = 3_600.0,
    tenant: TenantOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Emit all versions that the overlay lists and that were not emitted yet, and wait until the sinks have them."""
    _compare(overlay, tenant, (data, url, config), format_, repair=True, wait=wait)


@emit.command("check")
def check(
    overlay: OverlayOption = None,
    tenant: TenantOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Compare the overlay's listings with the emitted events; exit code 1 if something is missing."""
    if _compare(overlay, tenant, (data, url, config), format_, repair=False, wait=0)["missing"]:
        raise typer.Exit(1)


@emit.command("repair")
def repair(
    overlay: OverlayOption = None,
    wait: WaitOption = 0.0,
    tenant: TenantOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Compare, and have missing events emitted."""
    _compare(overlay, tenant, (data, url, config), format_, repair=True, wait=wait)


@emit.command("versions")
def versions(
    state: Annotated[str | None, typer.Option(help="Only those REQUESTED, WAITING, WATCHED, DONE or FAILED.")] = None,
    overlay: OverlayOption = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many at most.")] = 100,
    tenant: TenantOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """List versions, and how far they are."""
    check_table(format_)
    wanted = {"state": state.upper() if state else None, "overlay": overlay, "limit": limit}
    with conversation((data, url, config)) as ask:
        answer = ask("GET", ("emit", "versions"), {**wanted, **tenant_parameter(tenant, url, data)}, {})
    if format_ == "json":
        print_json(answer)
        return
    print_table(answer["versions"], _COLUMNS)
    if answer["total"] > len(answer["versions"]):
        say(f"and {answer['total'] - len(answer['versions'])} more")


def _request(
    what: str,
    version_id: str,
    overlay: str | None,
    wait: float,
    tenant: str | None,
    target: tuple[str | None, str | None, str | None],
    format_: str,
) -> None:
    check_table(format_)
    data, url, _ = target
    whose, is_local = tenant_parameter(tenant, url, data), server_of(url, data) is None
    with conversation(target) as ask:
        made = ask("POST", ("emit", what), whose, {"versionId": version_id, "overlay": overlay})
        item: dict[str, Any] = {}
        until = time.monotonic() + wait
        while True:
            if is_local:
                ask("POST", ("emit", "work"), whose, {})
            named = {"overlay": made["overlay"], "version": version_id}
            item = ask("GET", ("emit", "versions"), {**whose, **named}, {})["versions"][0]
            if _is_settled(item, what) or time.monotonic() > until:
                break
            time.sleep(_LOOK_AGAIN)
    if format_ == "json":
        print_json(item)
    else:
        print_record({**item, "events": _events_text(item["events"])})
    if item["error"] and not item["events"]:
        raise ServerError(f"The version was not emitted: {item['error']}", hint="It is tried again; see emit versions.")


def _is_settled(item: dict[str, Any], what: str) -> bool:
    if item["state"] in ("WAITING", "FAILED"):
        return True
    sinks = item["events"].values()
    is_there = bool(sinks) and all(what in steps for steps in sinks)
    return item["state"] != "REQUESTED" and is_there and all("PENDING" not in steps.values() for steps in sinks)


def _events_text(events: dict[str, dict[str, str]]) -> str:
    each = (
        f"{sink}: " + ", ".join(f"{step} {state}" for step, state in steps.items()) for sink, steps in events.items()
    )
    return "; ".join(each)


def _compare(
    overlay: str | None,
    tenant: str | None,
    target: tuple[str | None, str | None, str | None],
    format_: str,
    *,
    repair: bool,
    wait: float,
) -> dict[str, Any]:
    check_table(format_)
    data, url, _ = target
    whose, is_local = tenant_parameter(tenant, url, data), server_of(url, data) is None
    found: dict[str, Any] = {**dict.fromkeys(_SUMS, 0), "examples": []}
    with conversation(target) as ask, _progress() as show:
        after = None
        while True:
            wanted = {"overlay": overlay, "after": after, "repair": "true" if repair else None, **whose}
            page = ask("POST", ("emit", "check"), wanted, {})
            for name in _SUMS:
                found[name] += page[name]
            found["examples"] = (found["examples"] + page["examples"])[:20]
            show("compared", found["versions"], None)
            after = page["next"]
            if after is None:
                break
        if repair and found["missing"] and (wait or is_local):
            _wait(ask, whose, found["missing"], wait or 3_600.0, show, is_local=is_local)
    if format_ == "json":
        print_json(found)
    else:
        print_record({**found, "examples": found["examples"][:5]})
    return found


Show = Callable[[str, int, int | None], None]


def _wait(ask: Call, whose: dict[str, Any], total: int, seconds: float, show: Show, *, is_local: bool) -> None:
    """Until nothing is to be read or sent any more, or nothing has moved for this time."""
    until, before = time.monotonic() + seconds, None
    while time.monotonic() < until:
        done = ask("POST", ("emit", "work"), whose, {})
        left = done["requested"] + done["pending"]
        show("emitted", max(0, total - left), total)
        if not left:
            _say_how_it_went(ask, whose, total)
            return
        if left != before:
            until, before = time.monotonic() + seconds, left
        if not (is_local and (done["read"] or done["sent"])):
            time.sleep(_LOOK_AGAIN)
    say("Not everything has been sent; `headwater emit sink list` and `emit dlq list` say why.", err=True)


def _say_how_it_went(ask: Call, whose: dict[str, Any], total: int) -> None:
    failed = ask("GET", ("emit", "versions"), {**whose, "state": "FAILED", "limit": 1}, {})["total"]
    dead = ask("GET", ("emit", "dlq"), {**whose, "limit": 1}, {})["total"]
    say(f"{total} versions were read, and nothing waits to be sent.", err=True)
    if failed:
        say(f"{failed} versions could not be read: headwater emit versions --state failed", err=True)
    if dead:
        say(f"{dead} events were not taken by a sink: headwater emit dlq list", err=True)


@contextmanager
def _progress() -> Iterator[Show]:
    """A bar on a terminal, nothing elsewhere."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from headwater.cli.output.terminal import SafeConsole

    console = SafeConsole(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("versions", total=None)
        yield lambda step, done, total: bar.update(task, description=step, completed=done, total=total)
