"""A difference: a summary and a tree by dataset for people, a table of changes, or a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.markup import escape
from rich.tree import Tree

from headwater.cli.output.table import print_json, print_table
from headwater.cli.output.terminal import SafeConsole
from headwater.cli.output.tree import WIDE, label_of, print_csv, print_note, print_picture
from headwater.escaping import printable

__all__ = ["print_diff", "summary_line"]

_SIGNS = {"appeared": "[green]+[/green]", "vanished": "[red]-[/red]", "changed": "[yellow]~[/yellow]"}


def print_diff(answer: dict[str, Any], chosen: str) -> None:
    changes = [
        {"change": word, "id": item.get("id"), "from": item.get("from"), "to": item.get("to"), "what": _what(item)}
        for part in ("nodes", "edges")
        for word in _SIGNS
        for item in answer[part][word]
    ]
    fields = ("change", "id", "from", "to", "what")
    if chosen == "json":
        print_json(answer)
    elif chosen in ("mermaid", "dot"):
        arrows = [(item["from"], item["to"], item["what"], item["change"]) for item in changes if item["from"]]
        nodes = {item["id"] for item in changes if item["id"]} | {end for arrow in arrows for end in arrow[:2]}
        print_picture(nodes, arrows, chosen)
    elif chosen in ("table", "csv"):
        print_csv(changes, (), fields) if chosen == "csv" else print_table(changes, fields)
    else:
        _print_tree(answer)


def summary_line(summary: Mapping[str, Mapping[str, int]]) -> str:
    """How much changed, in one line.

    >>> summary_line({"jobs": {"appeared": 1, "vanished": 0, "changed": 2}, "column_edges": {"changed": 1}})
    'jobs: 1 appeared, 2 changed; column edges: 1 changed'
    """
    parts = []
    for kind, counts in summary.items():
        shown = [f"{count:,} {word}" for word, count in counts.items() if count]
        if shown:
            parts.append(f"{kind.replace('_', ' ')}: {', '.join(shown)}")
    return "; ".join(parts) or "nothing changed"


def _print_tree(answer: dict[str, Any]) -> None:
    console = SafeConsole(width=WIDE)
    console.print(escape(summary_line(answer["summary"])), soft_wrap=True)
    tree = Tree(f"[bold]{answer['from']} → {answer['to']}[/bold]")
    shown: set[str] = set()
    for dataset in answer["datasets"]:
        branch = tree.add(f"{_SIGNS[dataset['change']]} {label_of(dataset['id'])}")
        _add_feeds(branch, dataset, shown)
        _add_columns(branch, dataset)
    for word in ("appeared", "vanished"):
        for node in answer["nodes"][word]:
            if node["kind"] == "job" and node["id"] not in shown:
                tree.add(f"{_SIGNS[word]} {label_of(node['id'])}")
    console.print(tree, soft_wrap=True)
    if answer["truncated"]:
        print_note(f"cut short: {answer['left_out']} were left out")


def _add_feeds(branch: Tree, dataset: dict[str, Any], shown: set[str]) -> None:
    """Adds the jobs that it prints to `told`."""
    for word in ("appeared", "vanished"):
        for feed in dataset["fed_by"][word]:
            source, job, count = feed["from"], feed["job"], feed["column_edges"]
            parts = [f"from {label_of(source)}"] if source else []
            if job:
                parts.append(f"{'through' if source else 'written by'} {label_of(job)}")
            if count:
                parts.append(f"[dim]({count:,} column edge{'s' * (count > 1)})[/dim]")
            branch.add(f"{_SIGNS[word]} {' '.join(parts)}")
            shown.add(feed["job"] or "")
        for job in dataset["read_by"][word]:
            branch.add(f"{_SIGNS[word]} read by {label_of(job['id'])}")
            shown.add(job["id"])


def _add_columns(branch: Tree, dataset: dict[str, Any]) -> None:
    schema = dataset["schema"]
    if schema is not None:
        what = _what({"columns": schema})
        branch.add(f"{_SIGNS[schema['change']]} schema{f' [dim]{escape(what)}[/dim]' if what else ''}")
    for word, sign in _SIGNS.items():
        for item in dataset["columns"][word]:
            source = f"{label_of(item['from'])}#{escape(printable(item['source_column']))}"
            through = f" through {label_of(item['job'])}" if item["job"] else ""
            branch.add(f"{sign} {escape(printable(item['column'] or '(every row)'))} from {source}{through}")


def _what(item: dict[str, Any]) -> str:
    """Which columns came, went or changed."""
    parts = []
    for word, sign in (("appeared", "+"), ("vanished", "-"), ("changed", "~")):
        for column in (item.get("columns") or {}).get(word, ()):
            if isinstance(column, str):
                parts.append(f"{sign}{column}")
            elif "source_column" in column:
                parts.append(f"{sign}{column['source_column']}→{column['column'] or '(every row)'}")
            else:
                parts.append(f"{sign}{column['column']}: {column['from']} → {column['to']}")
    return " ".join(parts)
