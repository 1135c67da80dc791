"""Lists edges that people stated or hid, of one thing or of all, with author, time and reason."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Struct

from headwater.graph.current.hand_edges import EdgeByHand
from headwater.lineage.answer.cursor import read_cursor, write_cursor
from headwater.lineage.answer.text_types import Instant
from headwater.lineage.answer.values import moment
from headwater.lineage.by_hand.request import EdgeTransformation
from headwater.lineage.edits.target import EditTarget
from headwater.store.read.lists.hand_edges import HandEdgeList
from headwater.store.read.lookup import Lookup
from headwater.store.read.names import Name
from headwater.store.read.reader import Reader
from headwater.store.read.shapes.edge_rows import edges_by_id

__all__ = [
    "EDGE",
    "EdgeItem",
    "EdgePage",
    "HiddenEdge",
    "edge_items",
    "edge_of_text",
    "list_edges",
    "shown_end",
    "version_of",
]

EDGE = "edge@"
"""Begins the ids of edges."""
_ORDER = "edge"
_ID = re.compile(r"edge@([0-9a-f]{32})")


class HiddenEdge(Struct, frozen=True, kw_only=True):
    """A person's statement that an edge is wrong."""

    by: str | None
    reason: str | None


class EdgeItem(Struct, frozen=True, kw_only=True):
    """One edge made or hidden by hand."""

    id: str
    key: str
    source: str
    """The upstream end."""
    target: str
    """The downstream end."""
    stated: bool
    """Whether a person stated it; an engine may report it too."""
    created: Instant | None
    created_by: str | None
    modified: Instant | None
    """When somebody last stated it."""
    modified_by: str | None
    via: str | None
    """API, CLI, UI or DATAHUB."""
    reason: str | None
    note: str | None
    transformation: EdgeTransformation | None
    """Of an edge between columns."""
    properties: dict[str, str]
    hidden: HiddenEdge | None


class EdgePage(Struct, frozen=True, kw_only=True):
    items: list[EdgeItem]
    total: int
    next: str | None
    version: str
    """Of all these edges: to be sent as If-Match with a change, so that it is made only if nothing else was."""


def list_edges(reader: Reader, tenant: int, target: EditTarget | None, cursor: str | None, limit: int) -> EdgePage:
    """Edges of one thing under all its names, or all; in the order of their ids."""
    after = read_cursor(cursor, _ORDER, str)
    about = target.ids if target is not None else None
    version = version_of(reader, tenant, about)  # before the edges: a change in between makes it too old, never too new
    found = HandEdgeList(reader.engine)
    ids = found.page(tenant, about, after=None if after is None else after[1], limit=limit + 1)
    edges = edges_by_id(tenant, Lookup(reader.engine), ids[:limit])
    shown = [edges[edge] for edge in ids[:limit]]
    following = write_cursor(_ORDER, None, ids[limit - 1]) if len(ids) > limit else None
    return EdgePage(
        items=edge_items(reader, tenant, shown),
        total=found.count(tenant, about),
        next=following,
        version=version,
    )


def version_of(reader: Reader, tenant: int, about: Iterable[bytes] | None) -> str:
    """A word that changes with every change of these edges."""
    newest, count = HandEdgeList(reader.engine).newest(tenant, None if about is None else frozenset(about))
    return hashlib.blake2b(b"%d" % count + newest, digest_size=12).hexdigest()


def edge_items(reader: Reader, tenant: int, edges: list[EdgeByHand]) -> list[EdgeItem]:
    names = reader.names(tenant, {end for edge in edges for end in (edge.source, edge.target)})
    return [_item(edge, names) for edge in edges]


def edge_of_text(text: str | None) -> bytes | None:
    """The id of an edge in a text; None if it is none.

    >>> edge_of_text("edge@" + "0a" * 16) == bytes([10] * 16), edge_of_text("shop.orders")
    (True, None)
    """
    found = _ID.fullmatch((text or "").strip())
    return bytes.fromhex(found[1]) if found is not None else None


def shown_end(name: Name | None, node: bytes, column: str) -> str:
    """The id of an end; of one that nobody knows its digest."""
    text = name.node_id if name is not None else node.hex()
    return f"{text}#{column}" if column else text


def _item(edge: EdgeByHand, names: dict[bytes, Name]) -> EdgeItem:
    said = _read(edge.stated)
    hidden = _read(edge.hidden)
    return EdgeItem(
        id=f"{EDGE}{edge.edge.hex()}",
        key=f"{EDGE}{edge.edge.hex()}",
        source=shown_end(names.get(edge.source), edge.source, edge.source_column),
        target=shown_end(names.get(edge.target), edge.target, edge.target_column),
        stated=bool(edge.stated),
        created=said.get("created"),
        created_by=said.get("created_by"),
        modified=moment(edge.stated_at) if edge.stated else None,
        modified_by=said.get("by"),
        via=said.get("via"),
        reason=said.get("reason"),
        note=said.get("note"),
        transformation=_transformation(said.get("transformation")),
        properties=said.get("properties") or {},
        hidden=HiddenEdge(by=hidden.get("by"), reason=hidden.get("reason")) if edge.hidden else None,
    )


def _transformation(said: Any) -> EdgeTransformation | None:
    """The transformation in an event; None if it is not in our form."""
    try:
        return None if said is None else msgspec.convert(said, EdgeTransformation)
    except msgspec.ValidationError:
        return None


def _read(text: str) -> dict[str, Any]:
    found = msgspec.json.decode(text) if text else {}
    return found if isinstance(found, dict) else {}
