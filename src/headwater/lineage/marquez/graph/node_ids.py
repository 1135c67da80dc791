"""Node ids: `dataset:NAMESPACE:NAME`, `job:...`, `datasetField:NAMESPACE:NAME:FIELD`, `run:ID`; or `...#VERSION`."""

from __future__ import annotations

import re

from msgspec import Struct

__all__ = ["NodeId", "parse_node_id"]

_VERSION = re.compile(r"#([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$")
_TYPES = ("dataset", "job", "datasetField", "run")


class NodeId(Struct, frozen=True):
    type: str
    readings: list[tuple[str, str]]
    """Possible splits into namespace and rest, the likeliest first: both may contain colons."""
    version: str | None = None


def parse_node_id(text: str) -> NodeId | None:
    """Read a node id; None when it is none.

    >>> parse_node_id("dataset:postgres://db:5432:shop.orders").readings[0]
    ('postgres://db:5432', 'shop.orders')
    >>> parse_node_id("job:etl:load").readings
    [('etl', 'load')]
    """
    kind, _, rest = text.partition(":")
    match = _VERSION.search(rest)
    version = match[1] if match else None
    rest = rest[: match.start()] if match else rest
    if kind not in _TYPES or not rest:
        return None
    if kind == "run":
        return NodeId(kind, [("", rest)], version)
    places = [position for position, character in enumerate(rest) if character == ":"]
    readings = [
        (rest[:position], rest[position + 1 :]) for position in places if rest[:position] and rest[position + 1 :]
    ]
    readings.sort(key=lambda pair: _likelihood(*pair), reverse=True)
    return NodeId(kind, readings, version) if readings else None


def _likelihood(namespace: str, rest: str) -> tuple[bool, int]:
    """A colon before `//` or a port does not end a namespace; of the others the first does."""
    splits_address = rest.startswith("//") or re.match(r"\d+(?![\w.])", rest) is not None
    return not splits_address, -len(namespace)
