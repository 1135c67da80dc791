"""`headwater edit add`, `remove`, `hide`, `edges`, `create`, `rules`: lineage by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from headwater.cli.client.complete import complete_name
from headwater.cli.client.request import Target, call, conversation
from headwater.cli.commands.administration.edge_batches import Batches
from headwater.cli.commands.administration.edge_file import WrongFile, batches, read_edges
from headwater.cli.commands.administration.made import ByOption, ReasonOption, tenant_parameter, user_of
from headwater.cli.options import ConfigOption, TenantOption, UrlOption, WhereOption, server_of
from headwater.cli.output.table import TableOption, check_table, print_json, print_record, print_table
from headwater.cli.output.terminal import say

__all__ = ["register"]

_HELP = "by any of its names: an id, a key, a plain name, or a URN of DataHub."
SourceArgument = Annotated[
    str | None,
    typer.Argument(metavar="[SOURCE]", help=f"Where data comes from, {_HELP}", autocompletion=complete_name),
]
TargetArgument = Annotated[
    str | None, typer.Argument(metavar="[TARGET]", help="Where it goes.", autocompletion=complete_name)
]
FileOption = Annotated[
    Path | None, typer.Option("--from", metavar="FILE", help="Edges from a CSV file with columns source and target.")
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Say what would change, and change nothing.")]
_EDGE_COLUMNS = ("change", "source", "target", "edge")
_ITEM_COLUMNS = ("source", "target", "created_by", "created", "reason", "hidden", "id")


def register(edit: typer.Typer) -> None:
    edit.command("add")(add)
    edit.command("remove")(remove)
    edit.command("hide")(hide)
    edit.command("edges")(edges)
    edit.command("create")(create)
    edit.command("rules")(rules)


def add(
    source: SourceArgument = None,
    target: TargetArgument = None,
    file: FileOption = None,
    create: Annotated[bool, typer.Option("--create", help="Make ends that do not exist.")] = False,
    note: Annotated[str | None, typer.Option("--note", help="What is to be known of the edge.")] = None,
    type_: Annotated[str | None, typer.Option("--type", help="Of an edge between columns: DIRECT or INDIRECT.")] = None,
    subtype: Annotated[
        str | None, typer.Option("--subtype", help="For example IDENTITY, TRANSFORMATION, AGGREGATION, FILTER.")
    ] = None,
    description: Annotated[
        str | None, typer.Option("--description", help="What is done to the values, for example an expression.")
    ] = None,
    masking: Annotated[bool, typer.Option("--masking", help="The values are masked on the way.")] = False,
    dry_run: DryRunOption = False,
    by: ByOption = None,
    reason: ReasonOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """State that data flows from SOURCE to TARGET: datasets, columns (DATASET#COLUMN), charts, dashboards, jobs."""
    how: dict[str, Any] = {"type": type_, "subtype": subtype, "description": description, "masking": masking or None}
    how = {name: value for name, value in how.items() if value is not None}
    said = {"note": note, "transformation": how or None}
    asked = _EdgeOptions((data, url, config), tenant, by, reason, format_, dry_run=dry_run, create=create)
    _change(asked, "add", source, target, file, said)


def remove(
    source: SourceArgument = None,
    target: TargetArgument = None,
    file: FileOption = None,
    dry_run: DryRunOption = False,
    by: ByOption = None,
    reason: ReasonOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """Remove an edge that was made by hand, and the edges between columns that hang on it."""
    asked = _EdgeOptions((data, url, config), tenant, by, reason, format_, dry_run=dry_run, create=False)
    _change(asked, "remove", source, target, file, {})


def hide(
    source: SourceArgument = None,
    target: TargetArgument = None,
    undo: Annotated[bool, typer.Option("--undo", help="Show it again.")] = False,
    file: FileOption = None,
    dry_run: DryRunOption = False,
    by: ByOption = None,
    reason: ReasonOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """Hide a wrong edge, reported by an engine or made by hand, or show it again."""
    asked = _EdgeOptions((data, url, config), tenant, by, reason, format_, dry_run=dry_run, create=False)
    _change(asked, "show" if undo else "hide", source, target, file, {})


def edges(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Only edges of this thing.")] = None,
    limit: Annotated[int, typer.Option("--limit", help="How many at most, 1 to 1000.")] = 100,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """List edges made or hidden by hand."""
    check_table(format_)
    wanted = {"name": name, "limit": limit, **tenant_parameter(tenant, url, data)}
    found = call((data, url, config), "GET", ("edits", "edges"), wanted)
    if format_ == "json":
        print_json(found)
        return
    items = [{**item, "hidden": _hidden(item["hidden"])} for item in found["items"]]
    print_table(items, _ITEM_COLUMNS)
    if found["total"] > len(found["items"]):
        say(f"{len(found['items'])} of {found['total']}")


def _hidden(hidden: dict[str, Any] | None) -> str | None:
    """Author and reason of a hidden edge."""
    return None if hidden is None else ": ".join(filter(None, (hidden["by"] or "hidden", hidden["reason"])))


def create(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="chart:TOOL:ID, dashboard:TOOL:ID, or another id in full.")
    ],
    title: Annotated[str | None, typer.Option("--title", help="As people call it.")] = None,
    link: Annotated[str | None, typer.Option("--link", help="Its address.")] = None,
    tool: Annotated[str | None, typer.Option("--tool", help="What it was made with; default TOOL.")] = None,
    description: Annotated[str | None, typer.Option("--description", help="What it is.")] = None,
    owner: Annotated[
        list[str] | None, typer.Option("--owner", help="Who is responsible; several are possible.")
    ] = None,
    chart: Annotated[
        list[str] | None, typer.Option("--chart", help="Of a dashboard: a chart on it; several are possible.")
    ] = None,
    by: ByOption = None,
    reason: ReasonOption = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """Make a chart or a dashboard, or describe it anew; or a dataset or job that no event names."""
    check_table(format_)
    body = {
        "name": name,
        "title": title,
        "url": link,
        "tool": tool,
        "description": description,
        "owners": owner,
        "charts": chart,
        **_made(by, reason, url, data),
    }
    wanted = tenant_parameter(tenant, url, data)
    answer = call((data, url, config), "POST", ("edits", "create"), wanted, body, creates=True)
    if format_ == "json":
        print_json(answer)
        return
    print_record({name: answer[name] for name in ("id", "type", "changed")})
    if answer["edges"]:
        print_table(answer["edges"], _EDGE_COLUMNS)


def rules(
    data: WhereOption = None, url: UrlOption = None, format_: TableOption = "table", config: ConfigOption = None
) -> None:
    """Print the rule table: what may feed what."""
    check_table(format_)
    if server_of(url, data):
        listed = call((data, url, config), "GET", ("edits", "rules"))["rules"]
    else:
        from headwater.lineage.by_hand.rules import RULES

        listed = [
            {"downstream": rule.downstream.value, "upstream": [kind.value for kind in rule.upstream]} for rule in RULES
        ]
    if format_ == "json":
        print_json({"rules": listed})
        return
    rows = [{"target": rule["downstream"], "may_be_fed_by": rule["upstream"]} for rule in listed]
    print_table(rows, ("target", "may_be_fed_by"))


class _EdgeOptions:
    """Options that all changes of edges share."""

    def __init__(
        self,
        where: Target,
        tenant: str | None,
        by: str | None,
        reason: str | None,
        format_: str,
        *,
        dry_run: bool,
        create: bool,
    ) -> None:
        check_table(format_)
        data, url, _ = where
        self.where, self.format, self.dry_run, self.create = where, format_, dry_run, create
        self.parameters = tenant_parameter(tenant, url, data)
        self.made = _made(by, reason, url, data)

    def body(self, edges: dict[str, list[dict[str, Any]]], *, dry_run: bool) -> dict[str, Any]:
        return {**edges, "create": self.create, "dry_run": dry_run, **self.made}


def _made(by: str | None, reason: str | None, url: str | None, data: str | None) -> dict[str, Any]:
    if by is None and server_of(url, data) is None:
        by = user_of()
    return {key: value for key, value in {"by": by, "reason": reason, "via": "CLI"}.items() if value is not None}


def _change(
    asked: _EdgeOptions, action: str, source: str | None, target: str | None, file: Path | None, said: dict[str, Any]
) -> None:
    if file is not None:
        if source is not None or target is not None:
            raise typer.BadParameter("name two ends or a file, not both", param_hint="--from")
        _change_many(asked, action, file)
        return
    if source is None or target is None:
        raise typer.BadParameter("name where data comes from and where it goes, or --from FILE", param_hint="TARGET")
    edge = {"source": source, "target": target, **{name: value for name, value in said.items() if value is not None}}
    body = asked.body({action: [edge]}, dry_run=asked.dry_run)
    answer = call(asked.where, "POST", ("edits", "lineage"), asked.parameters, body, creates=asked.create)
    if asked.format == "json":
        print_json(answer)
        return
    _show(answer["edges"], answer["created"])
    if asked.dry_run:
        say("Nothing was changed: this was a dry run.")


def _change_many(asked: _EdgeOptions, action: str, file: Path) -> None:
    """All of a file is checked before anything is changed; then it is changed in batches, each all or nothing."""
    listed = list(batches(read_edges(file, action)))
    if not listed:
        raise WrongFile(f"{file} has no edges.")
    with conversation(asked.where, creates=asked.create) as ask:

        def send(edges: dict[str, list[dict[str, Any]]], dry_run: bool) -> Any:
            return ask("POST", ("edits", "lineage"), asked.parameters, asked.body(edges, dry_run=dry_run))

        done = Batches(file, listed, send)
        if asked.dry_run or len(listed) > 1:
            done.run("checked", dry_run=True, creates=asked.create)
        if not asked.dry_run:
            done.run("changed", dry_run=False, creates=asked.create)
    if asked.format == "json":
        counts = {"counts": dict(done.counts), "created": len(done.made)}
        print_json({"dry_run": asked.dry_run, "edges": sum(map(len, listed)), **counts})
        return
    if asked.dry_run:
        _show(done.shown, [])
        if done.more:
            say(f"... and {done.more:,} more")
    if done.made:
        things = "1 thing" if len(done.made) == 1 else f"{len(done.made):,} things"
        say(f"{things} that did not exist {'would be made' if asked.dry_run else 'made'}")
    say(", ".join(f"{count:,} {word}" for word, count in sorted(done.counts.items())))
    if asked.dry_run:
        say("Nothing was changed: this was a dry run.")


def _show(edges: list[dict[str, Any]], created: list[str]) -> None:
    for name in created:
        say(f"made {name}")
    print_table(edges, _EDGE_COLUMNS)
    for edge in edges:
        if edge.get("is_hidden"):
            ends = f"{edge['source']} {edge['target']}"
            say(f"Somebody hid this edge, so it is not seen; to show it: headwater edit hide --undo {ends}")
