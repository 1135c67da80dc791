"""Where columns come from, and with downstream also where they go."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import msgspec
from msgspec import Struct

from headwater.deadline import check, cut
from headwater.graph.facts import Evidence, Role, RunShape, SchemaVersion, ShapeDataset, ShapeEdge
from headwater.graph.walk import walk
from headwater.lineage.errors import NodeNotFound
from headwater.lineage.marquez.datasets import DatasetView, find_dataset, load_datasets
from headwater.lineage.marquez.graph.column_sources import ROWS, Source, column_sources, source_order
from headwater.lineage.marquez.graph.node_ids import NodeId, parse_node_id
from headwater.lineage.marquez.graph.run_flows import job_states
from headwater.lineage.marquez.jobs import find_visible_job
from headwater.lineage.marquez.version.dataset_versions import find_version
from headwater.lineage.marquez.version.event_datasets import fields_of
from headwater.lineage.marquez.version.job_versions import find_job_version
from headwater.lineage.marquez.version.versions import version_at
from headwater.lineage.marquez.view import View
from headwater.store.read.reader import Name

__all__ = ["column_lineage"]

_Column = tuple[bytes, str]
_NODES = 10_000


class _Field(Struct):
    name: str


_schema = msgspec.json.Decoder(list[_Field])


class ColumnStart(Struct, frozen=True):
    """The columns that are asked for."""

    columns: list[_Column]
    shapes: frozenset[bytes] | None = None
    """Only these shapes count: those of one version."""
    until: int | None = None
    """Only events up to this time count: those of a version."""
    versions: dict[bytes, str] = {}
    """The version of a dataset that is asked for."""


class Columns:
    """Sources and targets of columns, cached for one question."""

    def __init__(self, view: View, until: int | None = None) -> None:
        self._view, self._until = view, until
        self._into: dict[bytes, dict[str, set[Source]]] = {}
        self._readers: dict[bytes, set[bytes]] = {}

    def sources(self, column: _Column) -> set[Source]:
        return self._into.get(column[0], {}).get(column[1], set())

    def known(self, dataset: bytes) -> set[str]:
        return set(self._into.get(dataset, ()))

    def upstream(self, columns: list[_Column]) -> dict[_Column, set[_Column]]:
        self.learn({dataset for dataset, _ in columns})
        return {column: self._next_up(column) for column in columns}

    def _next_up(self, column: _Column) -> set[_Column]:
        """Sources of a column, with those of all rows of its dataset if these are kept once."""
        found = {(source.dataset, source.column) for source in self.sources(column)}
        if column[1] != ROWS and ROWS in self._into.get(column[0], {}):
            found.add((column[0], ROWS))
        return found

    def downstream(self, columns: list[_Column]) -> dict[_Column, set[_Column]]:
        wanted = {dataset for dataset, _ in columns}
        self._learn_readers(wanted)
        self.learn({target for dataset in wanted for target in self._readers[dataset]})
        self.learn({dataset for dataset, column in columns if column == ROWS})
        found: dict[_Column, set[_Column]] = {column: set() for column in columns}
        for dataset, column in columns:
            if column == ROWS:
                found[dataset, column] |= {(dataset, other) for other in self.known(dataset) if other != ROWS}
        for target in {target for dataset in wanted for target in self._readers[dataset]}:
            for field, sources in self._into[target].items():
                for source in sources:
                    if (source.dataset, source.column) in found:
                        found[source.dataset, source.column].add((target, field))
        return found

    def learn(self, datasets: set[bytes], only: frozenset[bytes] | None = None) -> None:
        """Load the sources of the columns of these datasets."""
        unknown = {dataset for dataset in datasets if dataset not in self._into}
        members = self._view.members(unknown)
        parts = self._view.facts(ShapeDataset, dataset=set(members))
        shapes = {part.shape for part in parts if part.role in (Role.OUTPUT, Role.SUBJECT)}
        edges = self._view.facts(ShapeEdge, shape=self._known_by_then(shapes & only if only is not None else shapes))
        edges = [edge for edge in edges if edge.target in members]
        for dataset in unknown:
            self._into[dataset] = defaultdict(set)
        found = column_sources(self._view, edges, {})
        for (dataset, column), sources in found.items():
            self._into.setdefault(dataset, defaultdict(set))[column] |= sources

    def _known_by_then(self, shapes: set[bytes]) -> set[bytes]:
        if self._until is None:
            return shapes
        return {it.shape for it in self._view.facts(Evidence, shape=shapes) if (it.first_seen or 0) <= self._until}

    def _learn_readers(self, datasets: set[bytes]) -> None:
        """Datasets that are made of these."""
        unknown = {dataset for dataset in datasets if dataset not in self._readers}
        members = self._view.members(unknown)
        reads = [
            part
            for part in self._view.facts(ShapeDataset, dataset=set(members))
            if part.role in (Role.INPUT, Role.REFERENCE)
        ]
        edges = self._view.facts(ShapeEdge, shape={part.shape for part in reads})
        edges = [edge for edge in edges if edge.source in members and edge.columns]
        shown = self._view.shown({edge.target for edge in edges})
        for dataset in unknown:
            self._readers[dataset] = set()
        for edge in edges:
            self._readers[members[edge.source]].add(shown[edge.target])


def column_lineage(view: View, text: str, depth: int, *, downstream: bool) -> dict[str, Any]:
    """Columns upstream of a dataset, of one of its columns, or of a job's outputs;

    and the columns downstream of all of them.
    """
    start = _start(view, text)
    columns = Columns(view, start.until)
    if start.shapes is not None:
        columns.learn({dataset for dataset, _ in start.columns}, start.shapes)
    up = walk(start.columns, columns.upstream, depth=depth, node_limit=_NODES)
    edges = {(target, source) for target, source in up.edges}
    if downstream:
        down = walk(up.depths, columns.downstream, depth=depth, node_limit=_NODES)
        edges |= {(target, source) for source, target in down.edges}
    if up.truncated or (downstream and down.truncated):
        cut()
    return {"graph": _render(view, columns, edges, start)}


def _start(view: View, text: str) -> ColumnStart:
    node = parse_node_id(text)
    if node is not None and node.type == "job":
        return _start_of_job(view, node)
    if node is None or node.type not in ("dataset", "datasetField"):
        raise NodeNotFound("Could not find node")
    for namespace, rest in node.readings:
        for name, field in _fields(node.type, rest):
            found = _dataset(view, namespace, name)
            if found is None:
                continue
            known = _known_fields(view, found)
            columns = [(found.id, column) for column in known if field is None or column == field]
            if columns:
                return _of_version(view, found, columns, node.version)
    raise NodeNotFound("Could not find node")


def _fields(kind: str, rest: str) -> list[tuple[str, str | None]]:
    """Name and column; colons occur in both."""
    if kind == "dataset":
        return [(rest, None)]
    places = [position for position, character in enumerate(rest) if character == ":"]
    return [(rest[:position], rest[position + 1 :]) for position in places if rest[:position] and rest[position + 1 :]]


def _dataset(view: View, namespace: str, name: str) -> Name | None:
    try:
        found = find_dataset(view, namespace, name)
    except NodeNotFound:
        return None
    shown = view.shown([found.id])[found.id]
    return view.names([shown]).get(shown)


def _known_fields(view: View, name: Name) -> list[str]:
    """Columns of a dataset by its schema and by column edges from and to it."""
    parts = view.facts(ShapeDataset, dataset=set(view.members([name.id])))
    schemas = view.facts(SchemaVersion, schema={part.schema for part in parts if part.schema})
    known = {field.name for schema in schemas for field in _schema.decode(schema.fields or b"[]")}
    columns = Columns(view)
    columns.learn({name.id})
    return sorted(known | columns.known(name.id))


def _start_of_job(view: View, node: NodeId) -> ColumnStart:
    for namespace, name in node.readings:
        try:
            job = find_visible_job(view, namespace, name)
        except NodeNotFound:
            continue
        until: int | None = None
        outputs = job_states(view, [job.id])[job.id].flows.outputs
        if node.version is not None:
            version = find_job_version(view, job, node.version)
            outputs = version.flows.outputs if version is not None else frozenset()
            until = version.settled if version is not None else None
        names = view.names(outputs).values()
        columns = [(item.id, field) for item in names for field in _known_fields(view, item)]
        if columns:
            return ColumnStart(columns, until=until)
    raise NodeNotFound("Could not find node")


def _of_version(view: View, name: Name, columns: list[_Column], version: str | None) -> ColumnStart:
    if version is None:
        return ColumnStart(columns)
    found = find_version(view, name, version)
    if found is None:
        raise NodeNotFound("Could not find node")
    shapes = {found.shape} if found.shape is not None else set()
    if found.run is not None:
        shapes = {item.shape for item in view.facts(RunShape, run=found.run)}
    return ColumnStart(columns, frozenset(shapes), max(found.created, found.settled or 0), {name.id: found.id})


def _render(
    view: View, columns: Columns, edges: set[tuple[_Column, _Column]], start: ColumnStart
) -> list[dict[str, Any]]:
    nodes = {end for edge in edges for end in edge}
    names = view.names({dataset for dataset, _ in nodes})
    datasets = {item.name.id: item for item in load_datasets(view, list(names.values()), with_facets=False)}
    versions = {node: _version(item, start) for node, item in datasets.items()}
    ids = {
        node: f"datasetField:{names[node[0]].namespace}:{names[node[0]].name}:{node[1]}"
        + (f"#{versions[node[0]]}" if start.until is not None else "")
        for node in nodes
        if node[0] in names
    }
    sources: dict[_Column, set[_Column]] = defaultdict(set)
    targets: dict[_Column, set[_Column]] = defaultdict(set)
    for target, source in edges:
        if target in ids and source in ids:
            sources[target].add(source)
            targets[source].add(target)
    types = {
        dataset: {field["name"]: field.get("type") for field in fields_of(item.mentions.current)}
        for dataset, item in datasets.items()
    }
    found = []
    for node, node_id in ids.items():
        check()
        stated = [it for it in columns.sources(node) if (it.dataset, it.column) in sources[node]]
        found.append(
            {
                "id": node_id,
                "type": "DATASET_FIELD",
                "data": _data(node, datasets, versions, stated, types[node[0]]),
                "inEdges": _edges(node_id, [ids[other] for other in sources[node]]),
                "outEdges": _edges(node_id, [ids[other] for other in targets[node]]),
            }
        )
    return sorted(found, key=lambda item: str(item["id"]))


def _data(
    node: _Column,
    datasets: dict[bytes, DatasetView],
    versions: dict[bytes, str | None],
    stated: list[Source],
    types: dict[str, Any],
) -> dict[str, Any]:
    own, column = datasets[node[0]], node[1]
    kinds = sorted({source.kind for source in stated if source.kind})
    texts = sorted({source.description for source in stated if source.description})
    return {
        "namespace": own.name.namespace,
        "dataset": own.name.name,
        "datasetVersion": versions[node[0]],
        "field": column,
        "fieldType": (types.get(column) or "") if stated else "",
        "transformationDescription": ", ".join(texts) or None,
        "transformationType": ", ".join(kinds) or None,
        "inputFields": [
            {
                "namespace": datasets[source.dataset].name.namespace,
                "dataset": datasets[source.dataset].name.name,
                "datasetVersion": versions[source.dataset],
                "field": source.column,
                "transformationDescription": source.description,
                "transformationType": source.kind,
            }
            for source in sorted(stated, key=source_order)
        ],
    }


def _version(item: DatasetView, start: ColumnStart) -> str | None:
    """The version that is asked for, or that was there then; if no time is asked for, the current one."""
    if start.until is not None:
        return start.versions.get(item.name.id) or version_at(item.history, item.history.dataset, start.until).id
    return item.history.current.id if item.history.current else None


def _edges(origin: str, destinations: list[str]) -> list[dict[str, str]]:
    return [{"origin": origin, "destination": destination} for destination in sorted(destinations)]
