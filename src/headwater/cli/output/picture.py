"""Graphs as Mermaid and as DOT, for any tool that draws them."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.escaping import dot_text, mermaid_text

__all__ = ["Arrow", "as_dot", "as_mermaid"]

Arrow = tuple[str, str, str, str]
"""From, to, label, and whether it `appeared`, `vanished`, `changed` or is `old`; empty for none of them."""
_COLOURS = {"appeared": "green", "vanished": "red", "changed": "orange", "old": "gray"}
"""`old`: not part of the flows as of now."""


def as_mermaid(nodes: Sequence[str], arrows: Sequence[Arrow]) -> str:
    """A flowchart; datasets are cylinders, everything else a box.

    >>> print(as_mermaid(["dataset:db:a", "job:etl:x"], [("dataset:db:a", "job:etl:x", "", "")]))
    flowchart LR
        n0[("db:a")]
        n1["etl:x"]
        n0 --> n1
    """
    numbers = {node: f"n{number}" for number, node in enumerate(nodes)}
    lines = ["flowchart LR"]
    for node, number in numbers.items():
        text = mermaid_text(_plain(node))
        lines.append(f'    {number}[("{text}")]' if node.startswith("dataset:") else f'    {number}["{text}"]')
    for number_of_arrow, (one, other, label, change) in enumerate(arrows):
        attributes = f'|"{mermaid_text(label)}"|' if label else ""
        line = "-.->" if change == "old" else "-->"
        lines.append(f"    {numbers[one]} {line}{attributes} {numbers[other]}")
        if change:
            lines.append(f"    linkStyle {number_of_arrow} stroke:{_COLOURS[change]}")
    return "\n".join(lines)


def as_dot(nodes: Sequence[str], arrows: Sequence[Arrow]) -> str:
    """A digraph for Graphviz.

    >>> print(as_dot(["dataset:db:a", "job:etl:x"], [("dataset:db:a", "job:etl:x", "", "")]))
    digraph lineage {
      rankdir=LR;
      "dataset:db:a" [label="db:a", shape=cylinder];
      "job:etl:x" [label="etl:x", shape=box];
      "dataset:db:a" -> "job:etl:x";
    }
    """
    lines = ["digraph lineage {", "  rankdir=LR;"]
    for node in nodes:
        shape = "cylinder" if node.startswith("dataset:") else "box"
        lines.append(f"  {_quoted(node)} [label={_quoted(_plain(node))}, shape={shape}];")
    for one, other, label, change in arrows:
        attributes = [f"label={_quoted(label)}"] if label else []
        attributes += [f"color={_COLOURS[change]}"] if change else []
        attributes += ["style=dashed"] if change == "old" else []
        about = f" [{', '.join(attributes)}]" if attributes else ""
        lines.append(f"  {_quoted(one)} -> {_quoted(other)}{about};")
    return "\n".join([*lines, "}"])


def _plain(node: str) -> str:
    return node.partition(":")[2] or node


def _quoted(text: str) -> str:
    return f'"{dot_text(text)}"'
