"""`headwater task`: work after the commit, such as embeddings and summaries of SQL."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from headwater.cli.client.request import call
from headwater.cli.commands.administration.made import tenant_parameter
from headwater.cli.options import ConfigOption, TenantOption, UrlOption, WhereOption
from headwater.cli.output.table import TableOption, check_table, print_json, print_record, print_table
from headwater.cli.output.terminal import say

__all__ = ["register"]

TaskArgument = Annotated[str, typer.Argument(metavar="ID", help="The task's id.")]
OptionalTask = Annotated[str | None, typer.Argument(metavar="ID", help="One of them; else all that the options mean.")]
StateOption = Annotated[
    list[str] | None,
    typer.Option("--state", help="pending, running, succeeded, failed, dead or canceled; may be given several times."),
]
TypeOption = Annotated[str | None, typer.Option("--type", help="EMBEDDING or SQL_SUMMARY.")]
ModelOption = Annotated[str | None, typer.Option("--model", help="Fingerprint of the model.")]
ResourceOption = Annotated[str | None, typer.Option("--resource", help="Id of the node, or resource_id.")]
_COLUMNS = ("id", "state", "type", "resource_type", "resource", "attempts", "next_run_at", "last_error")
_BATCHES = ("id", "state", "type", "model", "planned", "succeeded", "failed", "started_at", "finished_at", "worker")
_ATTEMPTS = ("number", "state", "started_at", "milliseconds", "batch", "worker", "error_type", "error")
tasks = typer.Typer(help="List, show, retry and cancel tasks: embeddings and summaries of SQL.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(tasks, name="task")


@tasks.command("list")
def list_(
    state: StateOption = None,
    type_: TypeOption = None,
    model: ModelOption = None,
    resource: ResourceOption = None,
    batches: Annotated[bool, typer.Option("--batches", help="List batches instead of tasks.")] = False,
    limit: Annotated[int, typer.Option(help="How many at most.")] = 100,
    tenant: TenantOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """List tasks or batches, the newest first."""
    check_table(format_)
    where, whose = (data, url, config), tenant_parameter(tenant, url, data)
    if batches:
        _list_batches(call(where, "GET", ("tasks", "batches"), {"limit": limit, **whose}), format_)
        return
    wanted = {"state": _states(state), "type": type_, "model": model, "resource": resource, **whose}
    answer = call(where, "GET", ("tasks",), {**wanted, "limit": limit})
    if format_ == "json":
        print_json(answer)
        return
    print_table([{**row, "resource": row["resource"] or row["resource_id"]} for row in answer["tasks"]], _COLUMNS)
    counts = ", ".join(f"{count} {name}" for name, count in answer["counts"].items() if count)
    say(f"in all: {counts or 'no tasks'}" + ("; not all are shown" if answer["next"] else ""))
    for pause in answer["paused"]:
        until = f"until {pause['until']}" if pause["until"] else "until somebody resumes it: headwater task resume"
        say(f"paused {until}: {pause['model']} ({pause['reason']}: {pause['message']})", colour="yellow")


@tasks.command("show")
def show(
    id_: TaskArgument,
    tenant: TenantOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Show one task with its attempts."""
    check_table(format_)
    _print_task(call((data, url, config), "GET", ("tasks", id_), tenant_parameter(tenant, url, data)), format_)


@tasks.command("retry")
def retry(
    id_: OptionalTask = None,
    state: StateOption = None,
    type_: TypeOption = None,
    model: ModelOption = None,
    resource: ResourceOption = None,
    tenant: TenantOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Reset tasks to PENDING, with all their attempts before them: one, or all DEAD ones that the options mean."""
    check_table(format_)
    where, whose = (data, url, config), tenant_parameter(tenant, url, data)
    if id_ is not None:
        _print_task(call(where, "POST", ("tasks", id_, "retry"), whose), format_)
        return
    wanted = {"state": _states(state), "type": type_, "model": model, "resource": resource, **whose}
    answer = call(where, "POST", ("tasks", "retry"), wanted)
    (print_json if format_ == "json" else print_record)(answer)


@tasks.command("cancel")
def cancel(
    id_: OptionalTask = None,
    state: StateOption = None,
    type_: TypeOption = None,
    model: ModelOption = None,
    resource: ResourceOption = None,
    all_: Annotated[bool, typer.Option("--all", help="Needed when nothing narrows it down.")] = False,
    tenant: TenantOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Cancel tasks that are not done yet: one, or all that the options mean."""
    check_table(format_)
    where, whose = (data, url, config), tenant_parameter(tenant, url, data)
    if id_ is not None:
        _print_task(call(where, "POST", ("tasks", id_, "cancel"), whose), format_)
        return
    wanted = {"state": _states(state), "type": type_, "model": model, "resource": resource}
    if not any(wanted.values()) and not all_:
        raise typer.BadParameter("this cancels every task that is not done; say --all, or narrow it down")
    answer = call(where, "POST", ("tasks", "cancel"), {**wanted, **whose})
    (print_json if format_ == "json" else print_record)(answer)


@tasks.command("resume")
def resume(
    model: ModelOption = None,
    tenant: TenantOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """End the pause of a model, or of all models of a tenant."""
    check_table(format_)
    answer = call(
        (data, url, config), "POST", ("tasks", "resume"), {"model": model, **tenant_parameter(tenant, url, data)}
    )
    (print_json if format_ == "json" else print_record)(answer)


def _states(states: list[str] | None) -> list[str] | None:
    return [state.upper() for state in states] if states else None


def _print_task(answer: dict[str, Any], format_: str) -> None:
    if format_ == "json":
        print_json(answer)
        return
    history = answer.pop("history")
    print_record(answer)
    if history:
        say("")
        print_table(history, _ATTEMPTS)


def _list_batches(answer: dict[str, Any], format_: str) -> None:
    if format_ == "json":
        print_json(answer)
        return
    print_table(answer["batches"], _BATCHES)
    if answer["next"]:
        say("not all are shown")
