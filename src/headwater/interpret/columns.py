"""Column edges out of a `columnLineage` or `lineage` facet, in one normal form."""

from __future__ import annotations

from collections.abc import Iterable, KeysView
from functools import lru_cache

from headwater.interpret.places import dataset_as_sent
from headwater.openlineage.event import EventWarning
from headwater.openlineage.facets import ColumnLineage, OutputField, Transformation
from headwater.openlineage.naming import DatasetName, clean

__all__ = ["ColumnEdge", "ColumnEdges", "add_edges", "read_column_lineage"]


ColumnEdge = tuple[str, str, str, str, bool, str]
"""How one column gets into another: source column, target column, type, subtype, masking, description.

An empty target column means the dataset as a whole (a filter, a join).
"""

ColumnEdges = dict[DatasetName, set[ColumnEdge]]
"""By the source dataset."""

_UNSTATED = (Transformation(),)
_LEGACY = {"IDENTITY": ("IDENTITY", False), "MASKED": ("TRANSFORMATION", True)}


def read_column_lineage(facet: ColumnLineage, path: str, integration: str, warnings: list[EventWarning]) -> ColumnEdges:
    """All edges of the facet. INDIRECT edges copied into every field become edges to the dataset as a whole."""
    edges: ColumnEdges = {}
    by_source: dict[tuple[str, str], set[ColumnEdge]] = {}  # a facet names few sources many times
    fields = {clean(name): field for name, field in (facet.fields or {}).items() if field is not None}
    targets = [(name, field.inputFields, _legacy(field)) for name, field in fields.items() if field.inputFields]
    if facet.dataset:
        targets.append(("", facet.dataset, _UNSTATED))
    for target, sources, legacy in targets:
        for index, source in enumerate(sources):
            namespace, name, column = source.namespace, source.name, source.field
            if not (namespace and name and column):
                where = f"{path}.fields.{target}.inputFields[{index}]" if target else f"{path}.dataset[{index}]"
                warnings.append(EventWarning(where, "set aside: a source column needs namespace, name and field"))
                continue
            found = by_source.get((namespace, name))
            if found is None:
                known_as = dataset_as_sent(namespace, name, integration)
                found = by_source[namespace, name] = edges.setdefault(known_as, set())
            add_edges(found, column, target, source.transformations or legacy)
    _lift_indirect(edges, fields.keys())
    return edges


def add_edges(
    found: set[ColumnEdge], source: str, target: str, transformations: Iterable[Transformation] | None
) -> None:
    """One edge per transformation; none stated is an edge of unknown kind."""
    source = clean(source)
    for stated in transformations or _UNSTATED:
        kind, subtype, masking = _kind(
            stated.type or ("DIRECT" if target else "INDIRECT"), stated.subtype, stated.masking
        )
        description = stated.description
        found.add((source, target, kind, subtype, masking, clean(description) if description else ""))


@lru_cache(maxsize=1024)
def _kind(kind: str, subtype: str | None, masking: bool | None) -> tuple[str, str, bool]:
    """How, in one spelling; there are few ways, and each comes often."""
    return kind.upper(), (subtype or "UNKNOWN").upper(), bool(masking)


def _legacy(field: OutputField) -> tuple[Transformation, ...]:
    """How the whole field came about, by a producer that says it in the old way."""
    kind, description = field.transformationType, field.transformationDescription
    if not (kind or description):
        return _UNSTATED
    subtype, masking = _LEGACY.get((kind or "").upper(), (kind or None, False))
    return (Transformation("DIRECT", subtype, description, masking),)


def _lift_indirect(edges: ColumnEdges, targets: KeysView[str]) -> None:
    for found in edges.values():
        reached: dict[ColumnEdge, set[str]] = {}
        for edge in found:
            if edge[2] == "INDIRECT" and edge[1]:
                reached.setdefault((edge[0], "", *edge[2:]), set()).add(edge[1])
        for whole, columns in reached.items():
            if columns >= targets:
                found.difference_update([(whole[0], column, *whole[2:]) for column in columns])
                found.add(whole)
