"""One event of Gravitino about one object, and the facts that every kind of object has in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from headwater.graph.catalog.facts import AssetChange, AssetState
from headwater.graph.catalog.names import AssetKind, Path, asset_id, path_of_namespace
from headwater.openlineage.event import Dataset, Event, EventWarning
from headwater.openlineage.identity import stamp
from headwater.openlineage.naming import clean

__all__ = ["CatalogStatement", "as_json"]

_json = msgspec.json.Encoder(order="deterministic")


@dataclass(frozen=True, slots=True)
class CatalogStatement:
    """Input of all functions that read an event of Gravitino."""

    event: Event
    tenant: int
    operation: str
    dataset: Dataset

    @property
    def stamp(self) -> bytes:
        return stamp(self.event.time, self.event.fingerprint)

    @property
    def facets_path(self) -> str:
        return f"$.{'outputs' if self.event.outputs else 'inputs'}[0].facets"

    def path(self, kind: AssetKind) -> Path | None:
        """The path of the object that the event is about; None, and a warning, if it cannot be read."""
        name = clean(self.dataset.name).strip()
        namespace_path = path_of_namespace(clean(self.dataset.namespace).strip())
        path: Path | None = None
        if namespace_path is not None and name:
            if kind in (AssetKind.CATALOG, AssetKind.TAG):
                path = (namespace_path[0], name)
            elif kind is AssetKind.SCHEMA:
                path = (*namespace_path, name) if namespace_path[1] else None
            else:
                schema, dot, own = name.partition(".")
                path = (*namespace_path, schema, own) if namespace_path[1] and dot and schema and own else None
        if path is None:
            where = self.facets_path.removesuffix(".facets")
            text = f"{self.dataset.namespace!r} and {self.dataset.name!r} do not name a {kind.name.lower()}"
            self.event.warnings.append(EventWarning(where, f"{text}: kept, and changes nothing"))
        return path

    def present(self, kind: AssetKind, path: Path, details: dict[str, Any] | None = None) -> AssetState:
        """The object exists, with these properties."""
        return AssetState(
            self.tenant,
            asset_id(kind, path),
            kind=kind,
            container=container_id(kind, path),
            path=as_json(path),
            present=self.stamp,
            details=(self.stamp, as_json(details)) if details is not None else None,
            first_seen=self.event.time,
        )

    def above(self, path: Path) -> list[AssetState]:
        """The parents of an object exist too."""
        outer = ((AssetKind.CATALOG, path[:2]), (AssetKind.SCHEMA, path[:3]))
        return [self.present(kind, part) for kind, part in outer if len(part) < len(path)]

    def changed(self, kind: AssetKind, path: Path, steps: list[list[Any]]) -> AssetChange:
        """Earlier statements about the object now hold for another name, or no more."""
        renames = [step[1] for step in steps if step[0] == "rename"]
        return AssetChange(
            self.tenant,
            asset_id(kind, path),
            self.stamp,
            kind=kind,
            path=as_json(path),
            steps=as_json(steps),
            target=asset_id(kind, tuple(renames[-1])) if renames else None,
        )


def as_json(value: Any) -> str:
    """Text that is the same for the same value."""
    return clean(_json.encode(value).decode())


def container_id(kind: AssetKind, path: Path) -> bytes | None:
    """The object that this one stands in; None for catalogs and tags, which belong to the tenant."""
    if kind is AssetKind.SCHEMA:
        return asset_id(AssetKind.CATALOG, path[:2])
    return asset_id(AssetKind.SCHEMA, path[:3]) if len(path) > 3 else None
