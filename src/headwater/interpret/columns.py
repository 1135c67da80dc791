"""Column edges out of a `columnLineage` or `lineage` facet, in one normal form."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from headwater.interpret.places import dataset_as_sent
from headwater.openlineage.event import EventWarning
from headwater.openlineage.facets import ColumnLineage, InputField, Transformation
from headwater.openlineage.naming import DatasetName, clean

__all__ = ["ColumnEdge", "ColumnEdges", "edges_of", "read_column_lineage"]


class ColumnEdge(NamedTuple):
    """How one column gets into another; an empty target column means the dataset as a whole (a filter, a join)."""

    source_column: str
    target_column: str
    type: str
    subtype: str
    masking: bool
    description: str


ColumnEdges = dict[DatasetName, set[ColumnEdge]]
"""By the source dataset."""

_UNSTATED = Transformation()
_LEGACY = {"IDENTITY": ("IDENTITY", False), "MASKED": ("TRANSFORMATION", True)}


def read_column_lineage(facet: ColumnLineage, path: str, integration: str, warnings: list[EventWarning]) -> ColumnEdges:
    """All edges of the facet. INDIRECT edges copied into every field become edges to the dataset as a whole."""
    edges: ColumnEdges = defaultdict(set)
    fields = {clean(name): field for name, field in (facet.fields or {}).items() if field is not None}
    for target, field in fields.items():
        legacy = _legacy(field.transformationType, field.transformationDescription)
        _add(
            edges, field.inputFields or (), target, legacy, f"{path}.fields.{target}.inputFields", integration, warnings
        )
    _add(edges, facet.dataset or (), "", None, f"{path}.dataset", integration, warnings)
    _lift_indirect(edges, set(fields))
    return edges


def edges_of(
    source_column: str, target_column: str, transformations: list[Transformation] | None, legacy: Transformation | None
) -> list[ColumnEdge]:
    """One edge per transformation; none stated is an edge of unknown kind."""
    found = []
    for transformation in transformations or (legacy or _UNSTATED,):
        kind = (transformation.type or ("DIRECT" if target_column else "INDIRECT")).upper()
        subtype = (transformation.subtype or "UNKNOWN").upper()
        description = clean(transformation.description) if transformation.description else ""
        masking = bool(transformation.masking)
        found.append(ColumnEdge(clean(source_column), target_column, kind, subtype, masking, description))
    return found


def _legacy(kind: str | None, description: str | None) -> Transformation | None:
    if not kind and not description:
        return None
    subtype, masking = _LEGACY.get((kind or "").upper(), (kind or None, False))
    return Transformation("DIRECT", subtype, description, masking)


def _add(
    edges: ColumnEdges,
    sources: Iterable[InputField],
    target: str,
    legacy: Transformation | None,
    path: str,
    integration: str,
    warnings: list[EventWarning],
) -> None:
    for index, source in enumerate(sources):
        if source.namespace and source.name and source.field:
            name = dataset_as_sent(source.namespace, source.name, integration)
            edges[name].update(edges_of(source.field, target, source.transformations, legacy))
        else:
            problem = "set aside: a source column needs namespace, name and field"
            warnings.append(EventWarning(f"{path}[{index}]", problem))


def _lift_indirect(edges: ColumnEdges, targets: set[str]) -> None:
    for found in edges.values():
        reached: dict[ColumnEdge, set[str]] = defaultdict(set)
        for edge in found:
            if edge[2] == "INDIRECT" and edge[1]:
                reached[edge._replace(target_column="")].add(edge.target_column)
        for whole, columns in reached.items():
            if columns >= targets:
                found.difference_update(whole._replace(target_column=column) for column in columns)
                found.add(whole)
