"""`headwater explain`: why data flows from one dataset into another."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from headwater.cli.client.question import AsOfOption, answer_of, check_format, moment, present
from headwater.cli.options import ConfigOption, TenantOption, UrlOption, WhereOption

__all__ = ["register"]

_FORMATS = ("table", "json", "csv")
_COLUMNS = ("from_column", "to_column", "type", "subtype", "masked", "expression", "origin", "current")
_EVERY_ROW = "(every row)"


def register(app: typer.Typer) -> None:
    app.command("explain")(explain)


def explain(
    source: Annotated[str, typer.Argument(help="A dataset.")],
    target: Annotated[str, typer.Argument(help="The dataset that it flows into.")],
    via: Annotated[str | None, typer.Option("--via", help="Only through this job.")] = None,
    from_column: Annotated[
        str | None, typer.Option("--from-column", help="Only edges of this column of the source.")
    ] = None,
    to_column: Annotated[
        str | None, typer.Option("--to-column", help="Only edges of this column of the target.")
    ] = None,
    as_of: AsOfOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: Annotated[str, typer.Option("--format", "-f", help="table, json or csv (its columns).")] = "table",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """Explain the flow from one dataset into another: its columns, jobs, SQL and last runs."""
    check_format(format_, _FORMATS)
    at = moment(as_of, "--as-of", "last", present())
    sent: dict[str, Any] = {
        "from": source,
        "to": target,
        "via": via,
        "from_column": from_column,
        "to_column": to_column,
        "as_of": as_of,
    }

    def ask(reader: Any, tenant_id: int) -> Any:
        import msgspec

        from headwater.lineage.edge.edge import explained_edge
        from headwater.store.read.shapes.current_shapes import Window

        found = explained_edge(
            reader,
            tenant_id,
            source,
            target,
            via=via,
            from_column=from_column,
            to_column=to_column,
            window=Window(as_of=at),
        )
        return msgspec.to_builtins(found)

    edge = answer_of((data, url, tenant, config), "/api/v2/edge", sent, ask)
    from headwater.cli.output.table import print_json, print_table
    from headwater.cli.output.tree import print_csv

    if format_ == "json":
        print_json(edge)
    elif format_ == "csv":
        print_csv(edge["columns"], (), _COLUMNS)
    else:
        _print_edge(edge)
        rows = [{**column, "to_column": column["to_column"] or _EVERY_ROW} for column in edge["columns"]]
        if rows:
            print_table(rows, _COLUMNS)
        _print_left_out(edge)


def _print_edge(edge: dict[str, Any]) -> None:
    from headwater.cli.output.terminal import say
    from headwater.cli.output.tree import print_note

    state = "" if edge["current"] else ", no longer current"
    masked = ", masked" if edge["masked"] else ""
    say(f"{edge['from']['id']} -> {edge['to']['id']}: {edge['explanation']['code']}{masked}{state}")
    print_note(
        f"seen from {edge['first_seen']} to {edge['last_seen']}, said by {', '.join(edge['origins']) or 'nobody'}"
    )
    for job in edge["jobs"]:
        last = job["last_run"]
        told = "no run" if last is None else f"last run {last['run']} {last['status']}"
        rows = "" if last is None or last["rows"] is None else f", {last['rows']:,} rows"
        say(f"  through {job['job']['id']}: {told}{rows}, {job['runs_total']} runs")
        if job["sql"] is not None:
            for line in job["sql"]["text"].splitlines():
                say(f"    {line}")


def _print_left_out(edge: dict[str, Any]) -> None:
    from headwater.cli.output.tree import print_note

    for shown, name in ((edge["columns"], "columns"), (edge["jobs"], "jobs")):
        left = edge[f"{name}_total"] - len(shown)
        if left > 0:
            print_note(f"{left} more {name} are not shown")
