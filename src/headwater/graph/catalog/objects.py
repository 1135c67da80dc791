"""Current objects of catalogs under their current names, each with its latest properties."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from headwater.graph.catalog.facts import AssetChange, AssetState, AssetTag, CatalogSync
from headwater.graph.catalog.history import PathHistory
from headwater.graph.catalog.names import AssetKind, Path, text_of
from headwater.openlineage.identity import stamp as stamp_of

__all__ = ["CatalogObject", "CatalogObjects"]


@dataclass(slots=True)
class CatalogObject:
    """One object, out of all states that lead to it."""

    kind: AssetKind
    path: Path
    present: bytes = b""
    first_seen: int | None = None
    stated_at: bytes = b""
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def has_columns(self) -> bool:
        """Whether an event listed its columns."""
        return "columns" in self.details

    @property
    def columns(self) -> dict[str, dict[str, Any]]:
        """The columns of a table by name."""
        return {column["name"]: column for column in self.details.get("columns") or ()}


class CatalogObjects:
    """All objects of a tenant's catalogs. Look-ups by kind and path, also by a path with unknown parts."""

    def __init__(self, read: Callable[[type[Any]], Iterable[Any]]) -> None:
        self._since = {
            sync.name: stamp_of(sync.ready, bytes(16))
            for sync in read(CatalogSync)
            if sync.ready is not None and sync.name
        }
        """By metalake that was read as a whole: since when its events count."""
        states = [state for state in read(AssetState) if state.kind is not None and state.path]
        paths = [tuple(json.loads(state.path)) for state in states]
        self.history = PathHistory(read(AssetChange), paths)
        self.spoken_of: set[tuple[AssetKind, Path]] = set()
        """Every object named by a catalog's event, though it may be gone."""
        self._found: dict[tuple[AssetKind, Path], CatalogObject] = {}
        for state, path in zip(states, paths, strict=True):
            self.spoken_of.add((AssetKind(state.kind), self._whole(path)))
            self._take(AssetKind(state.kind), path, state)
        self._by_name: dict[tuple[AssetKind, str], list[CatalogObject]] = defaultdict(list)
        for item in self._found.values():
            self._by_name[item.kind, item.path[-1]].append(item)
        self._places = {
            (item.kind, text_of(item.kind, item.path))
            for item in self._found.values()
            if item.kind in (AssetKind.CATALOG, AssetKind.SCHEMA)
        }

    def __iter__(self) -> Iterator[CatalogObject]:
        return iter(self._found.values())

    def has_place(self, kind: AssetKind, text: str) -> bool:
        """Whether there is a catalog or schema with this id in the asset graph."""
        return (kind, text) in self._places

    def get(self, kind: AssetKind, path: Path) -> CatalogObject | None:
        return self._found.get((kind, path))

    def find(self, kind: AssetKind, path: Path) -> CatalogObject | None:
        """The one object that this may be: empty parts fit anything. None if there is none, or more than one."""
        exact = self.get(kind, path)
        if exact is not None or all(path):
            return exact
        fitting = [
            item
            for item in self._by_name.get((kind, path[-1]), ())
            if all(not wanted or wanted == part for wanted, part in zip(path, item.path, strict=False))
        ]
        return fitting[0] if len(fitting) == 1 else None

    def nearest(self, kind: AssetKind, path: Path, stamp: bytes) -> CatalogObject | None:
        """Meaning of a code at that time: the object of this path, else the one of its catalog, metalake or tenant.

        A code that its own schema ever had has no other meaning: after a drop it has none.
        """
        own = self._whole(path)
        if (kind, own) in self.spoken_of or self.history.has(kind, own):
            now = self.history.now(kind, own, stamp)
            return self.get(kind, now) if now is not None else None
        for known in ((*own[:2], "", own[-1]), (own[0], "", "", own[-1]), ("", "", "", own[-1])):
            found = self.find(kind, known)
            if found is not None:
                return found if self.history.now(kind, found.path, stamp) == found.path else None
        return None

    def table_now(self, path: Path, stamp: bytes) -> CatalogObject | None:
        """The table that had this path at that time."""
        now = self.history.now(AssetKind.TABLE, path, stamp)
        return self.get(AssetKind.TABLE, now) if now is not None else None

    def column_now(self, path: Path, stamp: bytes) -> Path | None:
        """The path today of the column that had this path at that time, if its table still has it."""
        now = self.history.now(AssetKind.COLUMN, path, stamp)
        table = self.get(AssetKind.TABLE, now[:4]) if now is not None else None
        if table is None or now is None or (table.has_columns and now[4] not in table.columns):
            return None
        return now

    def given(self, tags: Iterable[AssetTag]) -> Iterator[tuple[AssetKind, Path, str, bytes]]:
        """Current tags: kind and path of the tagged object, the tag as sent, time of the event."""
        for tag in tags:
            if tag.given is None or not tag.given[1] or tag.kind is None or not tag.path or not tag.name:
                continue
            kind, stamp = AssetKind(tag.kind), tag.given[0]
            sent = self._whole(tuple(json.loads(tag.path)))
            if not self._counts(sent, stamp):
                continue
            if kind is AssetKind.COLUMN:
                column = self.column_now(sent, stamp)
                if column is not None:
                    yield kind, column, tag.name, stamp
                continue
            path = self.history.now(kind, sent, stamp)
            if path is None:
                continue
            item = self.find(kind, path)
            if item is not None and (all(path) or self.history.now(kind, item.path, stamp) == item.path):
                yield kind, item.path, tag.name, stamp

    def _take(self, kind: AssetKind, path: Path, state: AssetState) -> None:
        if state.present is not None and self._counts(path, state.present):
            item = self._at(kind, path, state.present)
            if item is not None:
                item.present = max(item.present, state.present)
                known = item.first_seen
                item.first_seen = state.first_seen if known is None else min(known, state.first_seen or known)
        if state.details is not None and self._counts(path, state.details[0]):
            stamp, text = state.details
            item = self._at(kind, path, stamp)
            if item is not None and stamp >= item.stated_at:
                item.stated_at, item.details = stamp, json.loads(text)

    def _counts(self, path: Path, stamp: bytes) -> bool:
        """Whether an event of that time counts: not if a full reading of the metalake came later."""
        return stamp >= self._since.get(self._whole(path)[0], b"")

    def _at(self, kind: AssetKind, path: Path, stamp: bytes) -> CatalogObject | None:
        now = self.history.now(kind, self._whole(path), stamp)
        if now is None:
            return None
        return self._found.setdefault((kind, now), CatalogObject(kind, now))

    def _whole(self, path: Path) -> Path:
        """With the metalake, where a catalog is named without and it can only be one."""
        if len(path) > 1 and not path[0] and path[1]:
            return (self.history.metalake_of(path[1]) or "", *path[1:])
        return path
