"""Facts about objects of catalogs: existence, properties, renames and drops, tags."""

from __future__ import annotations

from typing import ClassVar

from headwater.graph.catalog.names import AssetKind
from headwater.graph.fact import Fact, Id, Stamp, declare
from headwater.graph.merge_rules import AnyOf, Latest, Max, Min

__all__ = ["AssetChange", "AssetState", "AssetTag", "CatalogSync"]


@declare
class AssetState(Fact, frozen=True, gc=False):
    """Object of a catalog under one path: first and last time of an event about it, and its properties."""

    table: ClassVar[str] = "asset_state"
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("container", "kind", "asset"), ("kind", "asset"))
    asset: Id
    """The digest of kind and path."""
    kind: AnyOf[AssetKind] = None
    """The kind of object."""
    container: AnyOf[Id] = None
    """The object that its path stands in."""
    path: AnyOf[str] = None
    """JSON: metalake, catalog, schema, name; missing parts are left out."""
    present: Max[Stamp] = None
    """The last event after which it was there."""
    details: Latest[str] = None
    """JSON: properties from the last event that had any; of a table with its columns."""
    first_seen: Min[int] = None


@declare
class AssetChange(Fact, frozen=True, gc=False):
    """An event that dropped an object, or renamed it or its columns. Earlier facts follow the new names."""

    table: ClassVar[str] = "asset_change"
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("target",),)
    asset: Id
    """The digest of kind and path before the change."""
    stamp: Stamp
    kind: AnyOf[AssetKind] = None
    """The kind of object."""
    path: AnyOf[str] = None
    """JSON: the path before the change."""
    steps: AnyOf[str] = None
    """JSON, in order: ["drop"], ["rename", path], ["rename_column", old, new], ["drop_column", name]."""
    target: AnyOf[Id] = None
    """The digest of kind and path after a rename."""


@declare
class AssetTag(Fact, frozen=True, gc=False):
    """A tag was given to an object, or taken from it."""

    table: ClassVar[str] = "asset_tag"
    asset: Id
    """The digest of kind and path of the object."""
    tag: Id
    """The digest of the tag's name."""
    kind: AnyOf[AssetKind] = None
    """The kind of object."""
    path: AnyOf[str] = None
    """JSON: the path of the object."""
    name: AnyOf[str] = None
    """The tag, with `vd:` in front if it stands for a value domain."""
    given: Latest[int] = None
    """1 given, 0 taken away."""


@declare
class CatalogSync(Fact, frozen=True, gc=False):
    """A full sync of a metalake: its events count from that time on, once the sync was complete."""

    table: ClassVar[str] = "catalog_sync"
    metalake: Id
    """The digest of its name."""
    name: AnyOf[str] = None
    started: Max[int] = None
    """The cut-over time of the newest reading."""
    ready: Max[int] = None
    """The cut-over time of the newest one that is complete."""
