"""`headwater changes`: moments at which something changed, with their causes."""

from __future__ import annotations

from typing import Annotated, Any, get_args

import typer

from headwater.cli.client.question import answer_of, check_format, moment, present
from headwater.cli.options import ConfigOption, TenantOption, UrlOption, WhereOption

__all__ = ["register"]

_FORMATS = ("table", "json", "csv")
_SHOWN = ("at", "kind", "of", "change", "cause")
_FIELDS = ("at", "kind", "of", "code", "change", "run", "job", "actor")
_LONGEST = 100


def register(app: typer.Typer) -> None:
    app.command("changes")(changes)


def changes(
    name: Annotated[str | None, typer.Argument(help="Only of this dataset or job.")] = None,
    since: Annotated[
        str | None, typer.Option("--since", help="From this time on; without it, seven days before the end.")
    ] = None,
    until: Annotated[str | None, typer.Option("--until", help="To this time; without it, now.")] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", help="schema, lineage, created, dropped, truncated, renamed, failed or edit."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many are listed; all are counted.")] = 100,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: Annotated[str, typer.Option("--format", "-f", help="table, json or csv.")] = "table",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """List changes, newest first: schemas, lineage, datasets that appeared or vanished, failed runs, edits."""
    from headwater.lineage.change_list.answer import ChangeKind

    check_format(format_, _FORMATS)
    kinds: tuple[ChangeKind, ...] = tuple(one for one in get_args(ChangeKind) if one in (kind or ()))
    for wrong in set(kind or ()).difference(kinds):
        raise typer.BadParameter(f"{wrong!r} is none of {', '.join(get_args(ChangeKind))}", param_hint="--kind")
    now = present()
    first, last = moment(since, "--since", now=now), moment(until, "--until", "last", now)
    sent: dict[str, Any] = {"name": name, "since": since, "until": until, "kind": kinds, "limit": limit}

    def ask(reader: Any, tenant_id: int) -> Any:
        import msgspec

        from headwater.lineage.change_list.changes import changes as ask_changes

        found = ask_changes(reader, tenant_id, name, since=first, until=last, now=now, limit=limit, kinds=kinds)
        return msgspec.to_builtins(found)

    answer = answer_of((data, url, tenant, config), "/api/v2/changes", sent, ask)
    from headwater.cli.output.table import print_json, print_table
    from headwater.cli.output.tree import print_csv, print_note

    if format_ == "json":
        print_json(answer)
        return
    rows = [_row(item) for item in answer["items"]]
    if format_ == "csv":
        print_csv(rows, (), _FIELDS)
        return
    print_table([{**row, "change": _short(row["change"])} for row in rows], _SHOWN)
    at_least = "at least " if answer["truncated"] else ""
    print_note(f"{at_least}{answer['total']} from {answer['since']} to {answer['until']}")


def _row(item: dict[str, Any]) -> dict[str, Any]:
    what, cause = item["what"], item["cause"]
    told = ", ".join(f"{name} {value}" for name, value in what["arguments"].items() if value not in (None, "", 0))
    return {
        "at": item["at"],
        "kind": item["kind"],
        "of": item["of"]["id"],
        "code": what["code"],
        "change": told or what["code"],
        "cause": cause["actor"] or cause["job"] or cause["run"] or "",
        **cause,
    }


def _short(text: str) -> str:
    line = text.split("\n", 1)[0]
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
