"""docs/reference/gravitino.md: every operation of Gravitino with its nodes, edges and deletions.

Worked out from the cases of tests/events/gravitino, which the tests hold the program to: what the last event of each
case adds to the asset graph of the events before it, and what it takes away. Written by scripts/check_docs.py --write.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["operations_page"]

ROOT = Path(__file__).resolve().parent.parent
_HEAD = """# Gravitino's operations

<!-- Written by scripts/check_docs.py --write from the cases in tests/events/gravitino. Change them there. -->

What each operation of Gravitino's OpenLineage listener does to the [asset graph](../assets.md): for every case that is
tested, what the last event of it adds to the graph of the events before it, and what it takes away. The graph is the
same in whatever order the events come, and however often. Edges to something that is not there yet appear when it
comes. Properties are those that are set or change; `createdAt` and `updatedAt` every node has.

| operation | case | nodes | edges | properties | taken away |
|---|---|---|---|---|---|
"""
_TAIL = """
An operation that is not in this table is kept in the log, counted as a warning (`headwater_event_warnings_total`),
and changes nothing.
"""

_ALWAYS = ("asset", "id", "createdAt", "updatedAt")


def operations_page() -> str:
    """The text of docs/reference/gravitino.md."""
    rows = [row for path in sorted((ROOT / "tests" / "events" / "gravitino").glob("*.json")) for row in _rows(path)]
    return _HEAD + "\n".join(rows) + "\n" + _TAIL


def _rows(path: Path) -> Iterator[str]:
    for case in json.loads(path.read_text(encoding="utf-8")):
        nodes, edges, properties = _graph(case["events"])
        nodes_before, edges_before, properties_before = _graph(case["events"][:-1])
        labels = {node: label for label, node in nodes | nodes_before}
        added = _counted(label for label, _ in nodes - nodes_before)
        linked = _counted(_edge(edge, labels) for edge in edges - edges_before)
        gone = [_counted(label for label, _ in nodes_before - nodes), _counted(e[0] for e in edges_before - edges)]
        taken = "; ".join(part for part in gone if part) or "-"
        names = {
            f"`{labels[node]}.{name}`"
            for label, node in nodes
            for name in properties[node].keys() | properties_before.get(node, {}).keys()
            if name not in _ALWAYS and properties[node].get(name) != properties_before.get(node, {}).get(name)
        }
        told = ", ".join(sorted(names)) or "-"
        yield f"| `{path.stem}` | {case['about']} | {added or '-'} | {linked or '-'} | {told} | {taken} |"


def _edge(edge: tuple[str, str, str], labels: dict[str, str]) -> str:
    kind, source, target = edge
    return f"`{labels.get(source, 'Tenant')} {kind} {labels.get(target, '?')}`"


def _counted(words: Iterator[str]) -> str:
    found = Counter(words)
    return ", ".join(word if count == 1 else f"{count} {word}" for word, count in sorted(found.items()))


def _graph(
    events: list[dict[str, Any]],
) -> tuple[set[tuple[str, str]], set[tuple[str, str, str]], dict[str, dict[str, Any]]]:
    from tests.graph.catalog.cases import assets, edges_of, event_of, nodes_of

    found = assets([event_of(short) for short in events])
    properties = {item["id"]: item for item in found if "asset" in item}
    nodes = {(label, node) for label, node in nodes_of(found)}
    return nodes, {(kind, source, target) for kind, source, target in edges_of(found)}, properties
