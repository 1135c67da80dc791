"""Which parts of the asset graph a set of notes touches."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from headwater.graph.catalog.facts import AssetChange, AssetState, AssetTag
from headwater.graph.catalog.names import SCHEME, AssetKind, Path, asset_id, path_of_dataset
from headwater.graph.facts import Namespace, Node, NodeKind, RunShape, Shape, ShapeDataset, Symlink
from headwater.openlineage.naming import dataset_name
from headwater.store.assets.pending import Touched
from headwater.store.read.reader import Reader

__all__ = [
    "Place",
    "Units",
    "dataset_of",
    "follow_renames",
    "namespace_texts",
    "path_of_node",
    "touched_units",
    "with_all_names",
]

Place = tuple[AssetKind, Path]


@dataclass
class Units:
    """Parts of one tenant's graph that are to be worked out."""

    datasets: set[bytes] = field(default_factory=set)
    """Tables, as events name them."""
    paths: set[Path] = field(default_factory=set)
    """Tables, as their catalog names them or once did."""
    places: set[Place] = field(default_factory=set)
    """Catalogs and schemas."""
    statements: set[bytes] = field(default_factory=set)
    semantic: bool = False
    """Metrics, terms and tags: all of them."""
    renamed: bool = False
    """Whether an object was renamed or dropped: then old names may mean others, though no node comes or goes."""

    def is_empty(self) -> bool:
        return not (self.datasets or self.paths or self.places or self.statements or self.semantic)


def touched_units(reader: Reader, tenant: int, notes: Iterable[tuple[int, bytes]]) -> Units:
    """Parts of the graph that these notes (kind and source) affect."""
    by_kind: dict[int, set[bytes]] = {}
    for kind, source in notes:
        by_kind.setdefault(kind, set()).add(bytes(source))
    units = Units()
    units.datasets |= by_kind.get(Touched.DATASET, set())
    units.statements |= by_kind.get(Touched.STATEMENT, set())
    shapes = by_kind.get(Touched.SHAPE, set())
    runs = by_kind.get(Touched.RUN, set())
    executed = {link.shape for link in reader.facts(tenant, RunShape, run=runs)} if runs else set()
    if shapes:
        units.datasets |= {part.dataset for part in reader.facts(tenant, ShapeDataset, shape=shapes)}
    if shapes | executed:
        units.statements |= {
            header.sql for header in reader.facts(tenant, Shape, shape=shapes | executed) if header.sql is not None
        }
    changed = by_kind.get(Touched.CHANGE, set())
    objects = by_kind.get(Touched.OBJECT, set()) | changed
    units.renamed = bool(changed)
    if objects:
        _touched_objects(reader, tenant, objects, units)
    return units


def _touched_objects(reader: Reader, tenant: int, objects: Collection[bytes], units: Units) -> None:
    changes = reader.facts(tenant, AssetChange, asset=objects)
    states = reader.facts(tenant, AssetState, asset=objects)
    units.semantic |= bool(reader.facts(tenant, AssetTag, asset=objects))
    fallen: list[Place] = []
    stated: list[AssetState | AssetChange] = [*states, *changes]
    for item in stated:
        if item.kind is None or not item.path:
            continue
        kind, path = AssetKind(item.kind), tuple(json.loads(item.path))
        if kind in (AssetKind.CATALOG, AssetKind.SCHEMA):
            units.places |= _spellings(reader, tenant, kind, path)
            if isinstance(item, AssetChange):
                fallen.append((kind, path))
        elif kind is AssetKind.TABLE:
            units.paths.add(path)
        else:
            units.semantic = True
    for kind, path in fallen:
        _everything_in(reader, tenant, kind, path, units)


def _spellings(reader: Reader, tenant: int, kind: AssetKind, path: Path) -> set[Place]:
    """A catalog also as it is named by events without its metalake, and as it is named by the others."""
    if kind is not AssetKind.CATALOG:
        return {(kind, path)}
    named = {
        tuple(json.loads(state.path))
        for state in reader.facts(tenant, AssetState, kind=AssetKind.CATALOG)
        if state.path
    }
    return {(kind, path), (kind, ("", path[1]))} | {(kind, other) for other in named if other[1] == path[1]}


def _everything_in(reader: Reader, tenant: int, kind: AssetKind, path: Path, units: Units) -> None:
    """Everything in a catalog or schema that was dropped."""
    schemas = [path] if kind is AssetKind.SCHEMA else []
    if kind is AssetKind.CATALOG:
        for _, catalog in _spellings(reader, tenant, kind, path):
            found = reader.facts(tenant, AssetState, container=asset_id(kind, catalog), kind=AssetKind.SCHEMA)
            schemas += [tuple(json.loads(state.path)) for state in found if state.path]
        units.places |= {(AssetKind.SCHEMA, schema) for schema in schemas}
    containers = {asset_id(AssetKind.SCHEMA, schema) for schema in schemas}
    if containers:
        found = reader.facts(tenant, AssetState, container=containers, kind=AssetKind.TABLE)
        units.paths |= {tuple(json.loads(state.path)) for state in found if state.path}
    units.semantic = True


def with_all_names(reader: Reader, tenant: int, units: Units) -> None:
    """Add the other names of tables: those before and after renames, and those that are symlinks of them."""
    nodes = reader.facts(tenant, Node, node=units.datasets) if units.datasets else []
    linked = reader.facts(tenant, Symlink, source=units.datasets) if units.datasets else []
    others = {link.target for link in linked} - units.datasets
    nodes += reader.facts(tenant, Node, node=others) if others else []
    texts = namespace_texts(reader, tenant, nodes)
    for node in nodes:
        path = path_of_node(node, texts)
        if path is not None:
            units.paths.add(path)
    follow_renames(reader, tenant, units)
    units.datasets |= {dataset_of(path) for path in units.paths}
    if units.paths:
        named = {dataset_of(path) for path in units.paths}
        units.datasets |= {link.target for link in reader.facts(tenant, Symlink, source=named)}


def follow_renames(reader: Reader, tenant: int, units: Units) -> None:
    waiting = {asset_id(AssetKind.TABLE, path) for path in units.paths}
    seen: set[bytes] = set()
    while waiting:
        seen |= waiting
        changes: list[Any] = [
            *reader.facts(tenant, AssetChange, asset=waiting),
            *reader.facts(tenant, AssetChange, target=waiting),
        ]
        for change in changes:
            if change.kind == AssetKind.TABLE and change.path and change.steps:
                units.paths.add(tuple(json.loads(change.path)))
                units.paths |= {tuple(step[1]) for step in json.loads(change.steps) if step[0] == "rename"}
        waiting = {asset_id(AssetKind.TABLE, path) for path in units.paths} - seen


def namespace_texts(reader: Reader, tenant: int, nodes: Iterable[Node]) -> dict[bytes, str]:
    """The namespaces of these nodes."""
    ids = {node.namespace for node in nodes if node.namespace is not None}
    found = reader.facts(tenant, Namespace, namespace=ids) if ids else []
    return {fact.namespace: fact.text or "" for fact in found}


def path_of_node(node: Node, texts: Mapping[bytes, str]) -> Path | None:
    """The path of a node that is a table of a catalog."""
    if node.kind != NodeKind.DATASET:
        return None
    return path_of_dataset(texts.get(node.namespace or b"", ""), node.name or "")


def dataset_of(path: Path) -> bytes:
    """The dataset by which events name a table of a catalog."""
    return dataset_name(SCHEME + "/".join(path[:2]), ".".join(path[2:])).id
