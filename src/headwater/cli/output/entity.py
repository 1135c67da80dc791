"""Answers as trees on a terminal."""

from __future__ import annotations

from typing import Any

from rich.markup import escape
from rich.tree import Tree

from headwater.cli.output.table import masking_of
from headwater.cli.output.terminal import SafeConsole
from headwater.escaping import printable

__all__ = ["print_entity", "print_members"]

_COLOURS = {"SUCCEEDED": "green", "FAILED": "red", "KILLED": "yellow", "STARTED": "cyan", "UNKNOWN": "dim"}
_WIDE = 10_000
"""Long names are never cut: a terminal wraps them, a file gets them whole."""
_ONLY_IF_ANY = {"reference_only", "schema_versions", "runs_total", "versions_left_out", "is_cut"}
_ONLY_IF_ANY |= {"parts_total", "runs_left_out"}
_QUIET = {"kind", "id", "schema", "columns", "runs", "children", "inputs", "outputs", "facets", "sql", "assertions"}
_QUIET |= {"location", "links", "description", "tags", "owners", "schema_id", "schema_history", "use", "quality"}
_QUIET |= {"column_tags"}  # beside the columns of the schema
_QUIET |= {"versions", "versions_total", "parents", "operations", "children_total", "operations_total"}
_QUIET |= {"key", "run", "roles"}
_SIGNS = {"dataset": "▤", "job": "▶", "run": "●", "operation": "○", "location": "⌂", "user": "☺", "sql": "§"}


def print_entity(answer: dict[str, Any]) -> None:
    """All that is known of one thing."""
    console = SafeConsole(width=_WIDE)
    tree = Tree(f"[bold]{_label(answer['id'])}[/bold]")
    for key, value in answer.items():
        if key in _QUIET or value is None or value in ([], {}, "") or (key in _ONLY_IF_ANY and not value):
            continue
        text = _text(value)
        colour = _COLOURS.get(text)
        tree.add(f"[dim]{key}[/dim] " + (f"[{colour}]{text}[/{colour}]" if colour else escape(text)))
    _add_annotations(tree, answer)
    if answer.get("sql"):
        tree.add("[dim]sql[/dim]").add(escape(answer["sql"]))
    if answer.get("schema"):
        _fields(tree.add("[dim]schema[/dim]"), answer["schema"])
    for side in ("inputs", "outputs"):
        if answer.get(side):
            branch = tree.add(f"[dim]{side}[/dim]")
            for item in answer[side]:
                branch.add(_dataset(item))
    for check in answer.get("assertions") or ():
        verdict = "[green]passed[/green]" if check.get("success") else "[red]failed[/red]"
        tree.add(f"[dim]check[/dim] {escape(str(check.get('name')))} {escape(check.get('column') or '')} {verdict}")
    shown: set[str] = set()
    for side in ("runs", "children", "operations"):
        others = [run for run in answer.get(side) or () if run["run"] not in shown]
        shown |= {run["run"] for run in others}
        if others:
            branch = tree.add(f"[dim]{side}[/dim]")
            for run in others:
                branch.add(_run(run))
    if answer.get("columns"):
        _columns(tree.add("[dim]columns come from[/dim]"), answer["columns"])
    console.print(tree, soft_wrap=True)


def _label(node_id: str) -> str:
    kind, _, rest = node_id.partition(":")
    return f"{_SIGNS.get(kind, '')} {escape(printable(rest))}"


def print_members(answer: dict[str, Any]) -> None:
    """All that is known of one thing, one line a member; lists of records by their number."""
    members = {key: value for key, value in answer.items() if value is not None and value not in ([], {}, "")}
    width = max(map(len, members))
    console = SafeConsole(width=_WIDE)
    for key, value in members.items():
        records = isinstance(value, list) and isinstance(value[0], dict)
        text = f"{len(value)}" if records else _text(value)
        console.print(f"{key.replace('_', ' '):{width}}  {' '.join(text.split())}", soft_wrap=True, markup=False)


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_text(member)}" for key, member in value.items())
    return ", ".join(map(_text, value)) if isinstance(value, list) else str(value)


def _add_annotations(tree: Tree, answer: dict[str, Any]) -> None:
    for key in ("description", "owners", "tags"):
        if answer.get(key):
            tree.add(f"[dim]{key}[/dim] {escape(_text(answer[key]))}")
    if answer["kind"] == "sql" and answer["use"]:
        use = {key: value for key, value in answer["use"].items() if value is not None}
        tree.add(f"[dim]use[/dim] {escape(_text(use))}")


def _fields(tree: Tree, fields: list[dict[str, Any]]) -> None:
    for field in fields:
        about = f" [dim]{escape(field['description'])}[/dim]" if field.get("description") else ""
        tags = "".join(f" [yellow]#{escape(tag)}[/yellow]" for tag in field.get("tags") or ())
        branch = tree.add(f"{escape(field['name'])} [cyan]{escape(field.get('type') or '')}[/cyan]{tags}{about}")
        _fields(branch, field.get("fields") or [])


def _columns(tree: Tree, columns: list[dict[str, Any]]) -> None:
    branches: dict[str, Tree] = {}
    for edge in columns:
        target = edge["column"] or "(every row)"
        if target not in branches:
            branches[target] = tree.add(escape(target))
        masked = f" [yellow]{words}[/yellow]" if (words := masking_of(edge)) else ""
        how = f"[dim]{edge['type']} {edge['subtype']}[/dim]{masked}"
        if edge.get("expression"):
            how += f" [dim]{escape(edge['expression'])}[/dim]"
        branches[target].add(f"{_label(edge['source'])} [bold]{escape(edge['source_column'])}[/bold] {how}")


def _dataset(item: Any) -> str:
    if isinstance(item, str):
        return _label(item)
    numbers = [f"{item[key]:,} {key}" for key in ("rows", "bytes", "files") if item.get(key) is not None]
    return f"{_label(item['dataset'])} [dim]{', '.join([*item['types'], *numbers])}[/dim]"


def _run(run: dict[str, Any]) -> str:
    colour = _COLOURS.get(run["status"], "white")
    name = f" {escape(run['name'])}" if run.get("name") else ""
    times = " → ".join(run[key] or "…" for key in ("started_at", "ended_at"))
    times += f", {run['duration_ms']:,} ms" if run.get("duration_ms") is not None else ""
    times = f"{' '.join(run['roles'])} {times}" if run.get("roles") else times
    return f"{run['run']} [{colour}]{run['status']}[/{colour}]{name} [dim]{times}[/dim]"
