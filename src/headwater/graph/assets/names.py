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

    def tables(self, dataset: bytes, shape: bytes) -> set[str]:
        """The tables that a shape means by a dataset: more than one if it goes on with a name that was given away."""
        path = self._path(dataset)
        if path is None:
            return {self._texts[dataset]} if dataset in self._texts else set()
        found = [self._objects.table_now(path, time) for time in self._times.get(shape, ())]
        return {text_of(AssetKind.TABLE, table.path) for table in found if table is not None}

    def columns(self, dataset: bytes, column: str, shape: bytes) -> set[tuple[str, str]]:
        """Table and name of the columns that a shape means."""
        path = self._path(dataset)
        if path is None:
            return {(self._texts[dataset], column)} if dataset in self._texts else set()
        found = [self._objects.column_now((*path, column), time) for time in self._times.get(shape, ())]
        return {(text_of(AssetKind.TABLE, now[:4]), now[4]) for now in found if now is not None}

    def is_stated(self, table: str) -> bool:
        """Whether a catalog states the columns of this table."""
        return table in self._stated

    def _path(self, dataset: bytes) -> Path | None:
        return self._paths.get(self._aliases.get(dataset, dataset))
