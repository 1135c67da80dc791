"""Current path of an object from its name at some time.

Every statement about a catalog object has the time of its event. Renames and drops are kept with theirs. Both together
give the meaning of an old name, in whatever order the events came.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from headwater.graph.catalog.facts import AssetChange
from headwater.graph.catalog.names import AssetKind, Path

__all__ = ["PathHistory"]

_CASCADING = {AssetKind.SCHEMA: 2, AssetKind.TABLE: 3, AssetKind.METRIC: 3}
"""Kinds that are dropped with their parents, and how many parts of their path name the parent."""
_Key = tuple[AssetKind, Path]
_Change = tuple[bytes, list[list[Any]]]


class PathHistory:
    """Renames and drops of a tenant's catalog objects."""

    def __init__(self, changes: Iterable[AssetChange], catalogs: Iterable[Path] = ()) -> None:
        found: dict[_Key, list[_Change]] = defaultdict(list)
        for change in changes:
            if change.kind is not None and change.path and change.steps:
                key = AssetKind(change.kind), tuple(json.loads(change.path))
                found[key].append((change.stamp, json.loads(change.steps)))
        self._changes = {key: sorted(some, key=lambda item: item[0]) for key, some in found.items()}
        self._metalakes: dict[str, set[str]] = defaultdict(set)
        for metalake, name in {(path[0], path[1]) for path in catalogs if len(path) > 1}:
            if metalake:
                self._metalakes[name].add(metalake)

    def now(self, kind: AssetKind, path: Path, stamp: bytes) -> Path | None:
        """Current path of the object with this path at that time; None if it is gone."""
        own, column = (AssetKind.TABLE, path[:4]) if kind is AssetKind.COLUMN else (kind, path), ""
        if kind is AssetKind.COLUMN:
            column = path[4]
        while True:
            change, fall = self._next(own, stamp), self._fall(own, stamp)
            if fall is not None and (change is None or fall < change[0]):
                return None
            if change is None:
                return (*own[1], column) if kind is AssetKind.COLUMN else own[1]
            stamp = change[0]
            for step, *names in change[1]:
                if step == "drop" or (step == "drop_column" and names[0] == column):
                    return None
                if step == "rename":
                    own = own[0], tuple(names[0])
                elif step == "rename_column" and names[0] == column:
                    column = names[1]

    def has(self, kind: AssetKind, path: Path) -> bool:
        """Whether something of this path was ever renamed or dropped."""
        return (kind, path) in self._changes

    def metalake_of(self, catalog: str) -> str | None:
        """The metalake of a catalog that was named without it; None unless there is exactly one."""
        found = self._metalakes.get(catalog, set())
        return next(iter(found)) if len(found) == 1 else None

    def _next(self, key: _Key, stamp: bytes) -> _Change | None:
        """The first change after that time."""
        changes = self._of(key)
        position = bisect_right(changes, stamp, key=lambda item: item[0])
        return changes[position] if position < len(changes) else None

    def _fall(self, key: _Key, stamp: bytes) -> bytes | None:
        """When something above it was dropped first after that time."""
        kind, path = key
        above = _CASCADING.get(kind, 0)
        drops = [drop for outer in self._outer(path[:above]) for drop in self._drops(outer, stamp)]
        return min(drops, default=None)

    def _outer(self, path: Path) -> Iterator[_Key]:
        if len(path) >= 2:
            yield AssetKind.CATALOG, path[:2]
        if len(path) >= 3:
            yield AssetKind.SCHEMA, path[:3]

    def _drops(self, key: _Key, stamp: bytes) -> Iterator[bytes]:
        changes = self._of(key)
        for position in range(bisect_right(changes, stamp, key=lambda item: item[0]), len(changes)):
            if any(step[0] == "drop" for step in changes[position][1]):
                yield changes[position][0]
                return

    def _of(self, key: _Key) -> list[_Change]:
        """The changes of an object; of a catalog also those that name no metalake, if it can only be this one."""
        found = self._changes.get(key, [])
        if key[0] is AssetKind.CATALOG and key[1][0] and self.metalake_of(key[1][1]) == key[1][0]:
            without = self._changes.get((AssetKind.CATALOG, ("", key[1][1])))
            return sorted([*found, *without], key=lambda item: item[0]) if without else found
        return found
