"""Lineage in the shape of OpenLineage's columnLineage facet."""

from collections.abc import Callable, Mapping
from typing import Any

from headwater.sql.dialects.flink_connectors import Place
from headwater.sql.result.records import ColumnEdge, ScriptLineage

__all__ = ["facets_of"]

_PRODUCER = "https://github.com/headwater-lineage/headwater"
_SCHEMA = "https://openlineage.io/spec/facets/1-2-0/ColumnLineageDatasetFacet.json#/$defs/ColumnLineageDatasetFacet"


def facets_of(lineage: ScriptLineage, namespace: str, places: Mapping[str, Place]) -> dict[str, Any]:
    """`inputs` and `outputs` as an OpenLineage run event has them; `places` are datasets that are elsewhere."""

    def dataset(table: str) -> dict[str, Any]:
        where, name = places.get(table, (namespace, table))
        return {"namespace": where, "name": name}

    return {
        "inputs": [dataset(source) for source in lineage.sources],
        "outputs": [
            {**dataset(target), "facets": {"columnLineage": _facet(lineage.columns, target, dataset)}}
            for target in lineage.targets
        ],
    }


def _facet(edges: tuple[ColumnEdge, ...], target: str, dataset_of: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    fields: dict[str, dict[tuple[str, str], list[dict[str, Any]]]] = {}
    dataset: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for edge in edges:
        if edge.target_table != target or edge.source_table is None or not edge.certain:
            continue
        owner = dataset if edge.target_column is None else fields.setdefault(edge.target_column, {})
        described = {
            "type": edge.type,
            "subtype": edge.subtype,
            "description": "" if edge.target_column is None or edge.subtype == "IDENTITY" else edge.expression,
            "masking": edge.masking,
        }
        owner.setdefault((edge.source_table, edge.source_column), []).append(described)
    return {
        "_producer": _PRODUCER,
        "_schemaURL": _SCHEMA,
        "fields": {name: {"inputFields": _inputs(sources, dataset_of)} for name, sources in fields.items()},
        "dataset": _inputs(dataset, dataset_of),
    }


def _inputs(
    sources: dict[tuple[str, str], list[dict[str, Any]]], dataset_of: Callable[[str], dict[str, Any]]
) -> list[dict[str, Any]]:
    return [
        {**dataset_of(table), "field": column, "transformations": transformations}
        for (table, column), transformations in sources.items()
    ]
