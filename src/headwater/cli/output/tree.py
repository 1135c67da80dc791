"""Answers about the graph: as a tree or table for people, as JSON or CSV for programs, as a picture for both."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable
from typing import Any

from rich.markup import escape
from rich.tree import Tree

from headwater.cli.output.picture import Arrow, as_dot, as_mermaid
from headwater.cli.output.table import masking_of, print_json, print_table
from headwater.cli.output.terminal import SafeConsole, say
from headwater.escaping import csv_cell, printable

__all__ = [
    "WIDE",
    "label_of",
    "print_csv",
    "print_graph",
    "print_metrics",
    "print_note",
    "print_paths",
    "print_picture",
    "print_unknown_masking",
]

WIDE = 10_000
"""Long names are never cut: a terminal wraps them, a file gets them whole."""
_SIGNS = {"dataset": "▤", "job": "▶", "run": "●", "operation": "○", "sql": "§"}
_EDGE_FIELDS = (
    "side",
    "from",
    "to",
    "kind",
    "rows",
    "bytes",
    "files",
    "types",
    "first_seen",
    "last_seen",
    "current",
    "how",
)


def print_graph(answer: dict[str, Any], chosen: str) -> None:
    """Lineage."""
    sides: list[tuple[str, dict[str, Any]]] = [
        (side, answer[side]) for side in ("upstream", "downstream") if side in answer
    ]
    if chosen == "json":
        print_json(answer)
    elif chosen in ("mermaid", "dot"):
        arrows = {
            (edge["from"], edge["to"]): (how_of(edge), "" if edge.get("current", True) else "old")
            for _, found in sides
            for edge in found["edges"]
        }
        nodes = {node["id"] for _, found in sides for node in found["nodes"]} | {answer["start"]}
        print_picture(nodes, [(*ends, *drawn) for ends, drawn in arrows.items()], chosen)
    elif chosen in ("table", "csv"):
        records = [{"side": side, **edge, "how": how_of(edge)} for side, found in sides for edge in found["edges"]]
        print_csv(records, (), _EDGE_FIELDS) if chosen == "csv" else print_table(records, _EDGE_FIELDS)
    else:
        _print_trees(answer, sides)
        print_metrics(answer.get("metrics") or [])
    if chosen != "json":
        print_unknown_masking(max((found.get("masking_unknown") or 0 for _, found in sides), default=0))


def print_metrics(metrics: list[dict[str, Any]]) -> None:
    """Metrics of catalogs that depend on the thing, each with the columns it needs."""
    if not metrics:
        return
    tree = Tree("[bold]metrics that depend on it[/bold]")
    for metric in metrics:
        needs = ", ".join(f"{need['edge']} {need['to']}" for need in metric["needs"])
        name = escape(printable(f"{metric['name']} ({metric['code']})"))
        tree.add(f"[dim]{metric['kind']}[/dim] {name}  [dim]{escape(printable(needs))}[/dim]")
    SafeConsole(width=WIDE).print(tree, soft_wrap=True)


def print_unknown_masking(count: int) -> None:
    """Edges that a filter by masking cannot decide."""
    if count:
        columns = "1 column is" if count == 1 else f"{count:,} columns are"
        print_note(f"{columns} left out: it is unknown whether values reach them masked")


def print_paths(answer: dict[str, Any], chosen: str) -> None:
    found = answer["paths"]
    if chosen == "json":
        print_json(answer)
    elif chosen in ("mermaid", "dot"):
        ends = {pair for path in found for pair in zip(path["nodes"], path["nodes"][1:], strict=False)}
        nodes = {node for path in found for node in path["nodes"]} | {answer["from"], answer["to"]}
        print_picture(nodes, [(one, other, "", "") for one, other in sorted(ends)], chosen)
    elif chosen in ("table", "csv"):
        records = [
            {"path": number, "step": step, "id": node}
            for number, path in enumerate(found, 1)
            for step, node in enumerate(path["nodes"])
        ]
        fields = ("path", "step", "id")
        print_csv(records, (), fields) if chosen == "csv" else print_table(records, fields)
    else:
        console = SafeConsole(width=WIDE)
        for number, path in enumerate(found, 1):
            tree = branch = Tree(f"[dim]{number}[/dim] {label_of(path['nodes'][0])}")
            for node in path["nodes"][1:]:
                branch = branch.add(label_of(node))
            console.print(tree, soft_wrap=True)
        _say_more(answer)


def print_csv(records: list[dict[str, Any]], more: Iterable[str], fields: Iterable[str] = ()) -> None:
    """Records with a heading: all their fields, or those named."""
    names = list(fields) or list(records[0] if records else ("id", *more))
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(map(csv_cell, names))
    for record in records:
        values = [record.get(name) for name in names]
        cells = [" ".join(map(str, value)) if isinstance(value, list) else value for value in values]
        writer.writerow(map(csv_cell, cells))


def print_note(text: str) -> None:
    say(text, colour="yellow", err=True)


def how_of(edge: dict[str, Any], *, in_full: bool = False) -> str:
    """Transformation of a column edge, in short; in full with its expression."""
    return ", ".join(
        " ".join(filter(None, (way["type"], way["subtype"], masking_of(way), way.get("expression") if in_full else "")))
        for way in edge.get("transformations", ())
    )


def _print_trees(answer: dict[str, Any], sides: list[tuple[str, dict[str, Any]]]) -> None:
    """Each direction as a tree; a node that was shown already is only named again."""
    console = SafeConsole(width=WIDE)
    whole = next((node for _, found in sides for node in found["nodes"] if "parts" in node), None)
    console.print(label_of(answer["start"]), style="bold", soft_wrap=True)
    if whole is not None:
        console.print(f"[dim]{_parts(whole)}[/dim]", soft_wrap=True)
    for side, found in sides:
        children: dict[str, list[dict[str, Any]]] = {}
        for edge in found["edges"]:
            near, far = ("from", "to") if side == "downstream" else ("to", "from")
            children.setdefault(edge[near], []).append({**edge, "far": edge[far]})
        tree = Tree(f"[bold]{side}[/bold]")
        starts = [node["id"] for node in found["nodes"] if node["depth"] == 0]
        shown = set(starts)
        for start in starts:
            branch = tree if start == answer["start"] or len(starts) == 1 else tree.add(label_of(start))
            _grow(branch, start, children, shown)
        if not found["edges"]:
            tree.add("[dim]nothing[/dim]")
        console.print(tree, soft_wrap=True)
        if found["truncated"]:
            console.print(f"[yellow]cut short: {sum(found['left_out'].values())} neighbours were left out[/yellow]")


def _parts(whole: dict[str, Any]) -> str:
    """Parts of a node that is an application, a DAG or the like."""
    parts = "1 part" if whole["parts"] == 1 else f"{whole['parts']:,} parts"
    if whole.get("runs_left_out"):
        parts += f" of its newest runs ({whole['runs_left_out']:,} older ones were not looked at)"
    elif whole.get("parts_cut"):
        parts += " (there are more, which were not looked at)"
    inner = "1 dataset" if whole["inner"] == 1 else f"{whole['inner']:,} datasets"
    return f"{parts}, {inner} between them (--unfold shows them)"


def _grow(tree: Tree, node: str, children: dict[str, list[dict[str, Any]]], shown: set[str]) -> None:
    waiting = [(tree, node)]
    while waiting:
        branch, near = waiting.pop()
        grown = []
        for edge in children.get(near, ()):
            how = how_of(edge, in_full=True)
            old = "" if edge.get("current", True) else f"not current, last seen {(edge.get('last_seen') or '')[:10]}"
            marks = (how, old, "by hand" if edge.get("by_hand") else "", "hidden" if edge.get("hidden_by_hand") else "")
            note = "".join(f" [dim]{escape(text)}[/dim]" for text in marks if text)
            if edge["far"] in shown:
                branch.add(f"[dim]{label_of(edge['far'])} (above)[/dim]{note}")
                continue
            shown.add(edge["far"])
            name = f"[dim]{label_of(edge['far'])}[/dim]" if old else label_of(edge["far"])
            grown.append((branch.add(f"{name}{note}"), edge["far"]))
        waiting += reversed(grown)


def label_of(node_id: str) -> str:
    kind, _, rest = node_id.partition(":")
    return f"{_SIGNS.get(kind, '')} {escape(printable(rest))}"


def print_picture(nodes: Iterable[str], arrows: list[Arrow], chosen: str) -> None:
    say(as_mermaid(sorted(nodes), arrows) if chosen == "mermaid" else as_dot(sorted(nodes), arrows))


def _say_more(answer: dict[str, Any]) -> None:
    if not answer["paths"]:
        say("There is no way from one to the other.")
    elif answer["direction"] == "upstream":
        print_note("the data flows the other way round")
    if answer["more"]:
        print_note(f"{answer['count']} shortest ways in all")
    if answer["longer"]:
        print_note("there are longer ways too")
