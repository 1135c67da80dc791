"""Metrics that depend on datasets and columns: those that measure or filter by them, and metrics of such metrics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from headwater.deadline import check
from headwater.graph.catalog.facts import AssetState
from headwater.graph.catalog.names import SCHEME, AssetKind, path_of_dataset, text_of
from headwater.graph.facts import NodeKind
from headwater.store.assets.projection import Projection
from headwater.store.assets.rows import id_of
from headwater.store.assets.sql_graph import SqlAssetGraph
from headwater.store.read.aliases import Aliases
from headwater.store.read.reader import Reader
from headwater.store.tables import fact_tables

__all__ = ["AffectedMetric", "MetricEdge", "MetricFinder"]

_ON_COLUMNS = ("MEASURES", "FILTERS_BY")
_ON_METRICS = ("DERIVED_FROM", "COMPUTED_FROM")
_MOST_EDGES = 100_000
_STATES = fact_tables[AssetState]
Place = tuple[bytes, str]
"""A dataset and a column; an empty column is all of the dataset."""


class MetricEdge(Struct, frozen=True, order=True):
    """An asset that a metric needs, and the kind of the need."""

    edge: Literal["MEASURES", "FILTERS_BY", "DERIVED_FROM", "COMPUTED_FROM"]
    to: str
    """The id of a column or metric in the asset graph."""


class AffectedMetric(Struct, frozen=True):
    """A metric that breaks if the asset in question changes or goes."""

    id: str
    kind: Literal["AtomicMetric", "DerivedMetric", "CompositeMetric"]
    code: str
    name: str
    distance: int
    """One step behind the column or metric that it needs."""
    needs: list[MetricEdge]
    """The affected columns and metrics that it needs."""


class MetricFinder:
    """Finds metrics in the stored asset graph of one tenant, which it brings up to date first.

    The tables of the SQL store answer, even beside a graph server: lineage does not depend on that.
    """

    def __init__(self, reader: Reader, projection: Projection) -> None:
        self._reader, self._projection = reader, projection
        self._graph = SqlAssetGraph(reader.engine)

    def find(self, tenant: int, aliases: Aliases, reached: Mapping[Place, int]) -> list[AffectedMetric]:
        """Metrics that need the assets reached at these distances, nearest first."""
        if not reached or not self._has_metrics(tenant):
            return []
        self._projection.drain(tenant)
        columns = self._columns(tenant, aliases, reached)
        needs: dict[str, set[MetricEdge]] = defaultdict(set)
        distances: dict[str, int] = {}
        level, kinds = columns, _ON_COLUMNS
        while level:
            check()
            found: dict[str, int] = {}
            for edge in self._graph.edges(tenant, level, incoming=True, kinds=kinds, limit=_MOST_EDGES):
                needs[edge.source].add(MetricEdge(edge.kind, edge.target))  # type: ignore[arg-type]
                distance = level[edge.target] + 1
                if distance < distances.get(edge.source, distance + 1):
                    distances[edge.source] = found[edge.source] = distance
            level, kinds = found, _ON_METRICS
        return [
            AffectedMetric(
                node.id,
                node.label,  # type: ignore[arg-type]
                str(node.properties.get("code") or ""),
                str(node.properties.get("name") or node.properties.get("code") or node.id),
                distances[node.id],
                sorted(needs[node.id]),
            )
            for node in sorted(self._graph.get(tenant, distances), key=lambda node: (distances[node.id], node.id))
        ]

    def _has_metrics(self, tenant: int) -> bool:
        where = (_STATES.c.tenant == tenant, _STATES.c.kind == int(AssetKind.METRIC))
        with self._reader.engine.connect() as connection:
            return connection.execute(_STATES.select().where(*where).limit(1)).first() is not None

    def _columns(self, tenant: int, aliases: Aliases, reached: Mapping[Place, int]) -> dict[str, int]:
        """Columns of catalogs' tables by their ids in the asset graph, each with its distance."""
        groups = {dataset: aliases.group(dataset) for dataset, _ in reached}
        names = self._reader.names(tenant, {member for group in groups.values() for member in group})
        tables = {
            node: text_of(AssetKind.TABLE, path)
            for node, name in names.items()
            if name.kind is NodeKind.DATASET and name.namespace.startswith(SCHEME)
            if (path := path_of_dataset(name.namespace, name.name)) is not None
        }
        found: dict[str, int] = {}
        whole: dict[str, int] = {}
        for (dataset, column), distance in reached.items():
            for table in {tables[member] for member in groups[dataset] if member in tables}:
                into, key = (found, id_of(f"{table}#{column}")) if column else (whole, id_of(table))
                into[key] = min(distance, into.get(key, distance))
        for edge in self._graph.edges(tenant, whole, incoming=False, kinds=("HAS_COLUMN",), limit=_MOST_EDGES):
            found[edge.target] = min(whole[edge.source], found.get(edge.target, whole[edge.source]))
        return found
