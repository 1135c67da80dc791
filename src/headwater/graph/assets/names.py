"""Names of tables and columns of the asset graph at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from headwater.graph.catalog.names import AssetKind, Path, path_of_dataset, text_of
from headwater.graph.catalog.objects import CatalogObjects
from headwater.graph.facts import Evidence, Namespace, Node, NodeKind, Symlink
from headwater.openlineage.identity import stamp

__all__ = ["AssetNames"]

_FIRST = bytes(16)
"""The least fingerprint."""


class AssetNames:
    """Texts for datasets. An object of a catalog has the catalog's current name."""

    def __init__(self, read: Callable[[type[Any]], Iterable[Any]], objects: CatalogObjects) -> None:
        self._objects = objects
        places = {fact.namespace: fact.text or "" for fact in read(Namespace)}
        self.datasets: dict[bytes, Node] = {}
        """Those that no catalog speaks of."""
        self._texts: dict[bytes, str] = {}
        self._paths: dict[bytes, Path] = {}
        for node in read(Node):
            if node.kind == NodeKind.DATASET and node.namespace in places:
                path = path_of_dataset(places[node.namespace], node.name or "")
                if path is not None and (AssetKind.TABLE, path) in objects.spoken_of:
                    self._paths[node.node] = path
                else:
                    self.datasets[node.node] = node
                    self._texts[node.node] = f"{places[node.namespace]}:{node.name}"
        self._aliases = {
            link.source: link.target
            for link in read(Symlink)
            if link.target in self._paths and link.source not in self._paths
        }
        self._times: dict[bytes, set[bytes]] = {}
        self.since: dict[bytes, int] = {}
        """When each shape was first stated."""
        for fact in read(Evidence):
            if fact.first_seen is not None and fact.last is not None:
                self._times[fact.shape] = {stamp(fact.first_seen, _FIRST), fact.last}
                self.since[fact.shape] = fact.first_seen
        self.places = places
        self._stated = {text_of(item.kind, item.path) for item in objects if item.has_columns}

    def own(self, dataset: bytes) -> str | None:
        """The text of a dataset that no catalog speaks of."""
        return self._texts.get(dataset)

    def today(self, dataset: bytes, since: int | None) -> str | None:
        """The table that has this name now; else the one that had it then, if that was renamed. None if it is gone."""
        path = self._paths.get(dataset)
        if path is None:
            return self._texts.get(dataset)
        table = self._objects.get(AssetKind.TABLE, path) or self._objects.table_now(path, stamp(since or 0, _FIRST))
        return text_of(AssetKind.TABLE, table.path) if table is not None else None

    def tables(self, dataset: bytes, shape: bytes) -> set[str]:
        """The tables that a shape means by a dataset: more than one if it goes on with a name that was given away."""
        if self._path(dataset) is None:
            return {self._texts[dataset]} if dataset in self._texts else set()
        times = self._times.get(shape, ())
        return {table for time in times for table in self.tables_at(dataset, time)}

    def columns(self, dataset: bytes, column: str, shape: bytes) -> set[tuple[str, str]]:
        """Table and name of the columns that a shape means."""
        if self._path(dataset) is None:
            return {(self._texts[dataset], column)} if dataset in self._texts else set()
        times = self._times.get(shape, ())
        return {found for time in times for found in self.columns_at(dataset, column, time)}

    def tables_at(self, dataset: bytes, time: bytes) -> set[str]:
        """The table that was meant by a dataset at a time, under the name that it has now."""
        path = self._path(dataset)
        if path is None:
            return {self._texts[dataset]} if dataset in self._texts else set()
        table = self._objects.table_now(path, time)
        return {text_of(AssetKind.TABLE, table.path)} if table is not None else set()

    def columns_at(self, dataset: bytes, column: str, time: bytes) -> set[tuple[str, str]]:
        """Table and name of the column that was meant at a time."""
        path = self._path(dataset)
        if path is None:
            return {(self._texts[dataset], column)} if dataset in self._texts else set()
        now = self._objects.column_now((*path, column), time)
        return {(text_of(AssetKind.TABLE, now[:4]), now[4])} if now is not None else set()

    def is_stated(self, table: str) -> bool:
        """Whether a catalog states the columns of this table."""
        return table in self._stated

    def _path(self, dataset: bytes) -> Path | None:
        return self._paths.get(self._aliases.get(dataset, dataset))
