"""Records of answers about assets."""

from __future__ import annotations

from msgspec import Struct

from headwater.lineage.answer.text_types import JsonObject

__all__ = ["AssetDetails", "AssetLink", "AssetPage", "AssetRef", "AssetTree", "AssetWalk", "Branch", "Reached"]


class AssetRef(Struct, frozen=True):
    """A node of the asset graph."""

    id: str
    kind: str
    """Its label: Catalog, Schema, Table, Column, SQL, AtomicMetric, Tag ..."""
    name: str


class AssetPage(Struct, frozen=True):
    items: list[AssetRef]
    next: str | None
    """The cursor of the next page; null on the last one."""
    totals: dict[str, int]
    """How many assets there are of each kind, whatever was asked for."""


class AssetLink(Struct, frozen=True):
    """An edge, seen from one of its ends."""

    edge: str
    direction: str
    """out: from this asset to the other one; in: to this asset."""
    to: AssetRef
    attributes: JsonObject


class AssetDetails(Struct, frozen=True):
    id: str
    kind: str
    name: str
    attributes: JsonObject
    edges: list[AssetLink]
    truncated: bool
    """Whether edges were left out."""


class Branch(Struct, frozen=True):
    id: str
    kind: str
    name: str
    children: list[Branch]
    hidden: int
    """Number of children left out because there are too many or they lie too deep; -1: not counted."""


class AssetTree(Struct, frozen=True):
    root: Branch
    truncated: bool


class Reached(Struct, frozen=True):
    id: str
    kind: str
    name: str
    depth: int


class AssetWalk(Struct, frozen=True):
    start: AssetRef
    direction: str
    items: list[Reached]
    edges: list[tuple[str, str, str]]
    """From, kind, to."""
    truncated: bool
