"""Assets as rows of the tables, and the difference between two sets of rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from headwater.graph.assets.asset import TENANT, Asset, Owned
from headwater.openlineage.identity import digest

__all__ = ["NAME_LENGTH", "EdgeRow", "NodeRow", "Rows", "id_of", "key_of", "rows_of"]

_LONGEST_ID = 1000
"""Characters of an id; Neo4j's indexes hold 8 kilobytes."""
NAME_LENGTH = 128
_encode = msgspec.json.Encoder(order="deterministic").encode
_NOT_PROPERTIES = ("asset", "id", "edge", "from", "to")


class NodeRow(NamedTuple):
    node: bytes
    owner: bytes
    label: str
    id: str
    name_key: str
    properties: str


class EdgeRow(NamedTuple):
    source: bytes
    kind: str
    target: bytes
    owner: bytes
    properties: str
    source_id: str
    target_id: str


class Rows(NamedTuple):
    nodes: dict[bytes, NodeRow]
    edges: dict[tuple[bytes, str, bytes], EdgeRow]


def id_of(text: str) -> str:
    """Id of a node: its text; a very long one is cut, with its digest at the end."""
    return text if len(text) <= _LONGEST_ID else f"{text[: _LONGEST_ID - 33]}~{digest('asset node', text).hex()}"


def key_of(node_id: str) -> bytes:
    """The key of a node in the tables."""
    return digest("asset node", node_id)


def rows_of(assets: Iterable[Owned]) -> Rows:
    """The rows of these assets. The root is no row: there is one in each tenant's graph."""
    nodes: dict[bytes, NodeRow] = {}
    edges: dict[tuple[bytes, str, bytes], EdgeRow] = {}
    for owner, asset in assets:
        owned_by = key_of(id_of(owner))
        if "asset" in asset:
            if asset["id"] != TENANT:
                node_id = id_of(asset["id"])
                name = str(asset.get("name") or asset.get("code") or asset.get("content") or "")
                row = NodeRow(key_of(node_id), owned_by, asset["asset"], node_id, _name_key(name), _properties(asset))
                nodes[row.node] = row
            continue
        source, target = id_of(asset["from"]), id_of(asset["to"])
        edge = EdgeRow(key_of(source), asset["edge"], key_of(target), owned_by, _properties(asset), source, target)
        edges[edge.source, edge.kind, edge.target] = edge
    return Rows(nodes, edges)


def _name_key(name: str) -> str:
    return name[:NAME_LENGTH].lower()[:NAME_LENGTH]


def _properties(asset: Asset) -> str:
    known: dict[str, Any] = {key: value for key, value in asset.items() if key not in _NOT_PROPERTIES}
    return _encode(known).decode()
