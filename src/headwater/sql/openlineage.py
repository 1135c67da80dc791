"""Lineage in the shape of OpenLineage's columnLineage facet."""

from typing import Any

from headwater.sql.records import ColumnEdge, ScriptLineage

__all__ = ["facets_of"]

_PRODUCER = "https://github.com/headwater-lineage/headwater"
_SCHEMA = "https://openlineage.io/spec/facets/1-2-0/ColumnLineageDatasetFacet.json#/$defs/ColumnLineageDatasetFacet"


def facets_of(lineage: ScriptLineage, namespace: str) -> dict[str, Any]:
    """`inputs` and `outputs` as an OpenLineage run event has them."""
    return {
        "inputs": [{"namespace": namespace, "name": source} for source in lineage.sources],
        "outputs": [
            {
                "namespace": namespace,
                "name": target,
                "facets": {"columnLineage": _facet(lineage.columns, target, namespace)},
            }
            for target in lineage.targets
        ],
    }


def _facet(edges: tuple[ColumnEdge, ...], target: str, namespace: str) -> dict[str, Any]:
    fields: dict[str, dict[tuple[str, str], list[dict[str, Any]]]] = {}
    dataset: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for edge in edges:
        if edge.target_table != target or edge.source_table is None:
            continue
        place = dataset if edge.target_column is None else fields.setdefault(edge.target_column, {})
        described = {
            "type": edge.type,
            "subtype": edge.subtype,
            "description": "" if edge.target_column is None or edge.subtype == "IDENTITY" else edge.expression,
            "masking": edge.masking,
        }
        place.setdefault((edge.source_table, edge.source_column), []).append(described)
    return {
        "_producer": _PRODUCER,
        "_schemaURL": _SCHEMA,
        "fields": {name: {"inputFields": _inputs(sources, namespace)} for name, sources in fields.items()},
        "dataset": _inputs(dataset, namespace),
    }


def _inputs(sources: dict[tuple[str, str], list[dict[str, Any]]], namespace: str) -> list[dict[str, Any]]:
    return [
        {"namespace": namespace, "name": table, "field": column, "transformations": transformations}
        for (table, column), transformations in sources.items()
    ]
