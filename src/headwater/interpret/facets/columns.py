"""Column edges out of a `columnLineage` or `lineage` facet, in one normal form."""

from __future__ import annotations

from collections.abc import Iterable, KeysView

import msgspec
from msgspec import Raw

from headwater.interpret.facets.locations import dataset_as_sent
from headwater.openlineage.event import EventWarning, Facets
from headwater.openlineage.facets import ColumnLineage, OutputField, Transformation, read_facet
from headwater.openlineage.naming import DatasetName, clean
from headwater.openlineage.plain import PlainColumnLineage

__all__ = ["ColumnEdge", "ColumnEdges", "add_edges", "read_column_lineage"]


ColumnEdge = tuple[str, str, str, str, bool, str]
"""How one column gets into another: source column, target column, type, subtype, masking, description.

An empty target column means the dataset as a whole (a filter, a join).
"""

Way = tuple[str, str, bool, str]
"""Type, subtype, masking and description of an edge."""

ColumnEdges = dict[DatasetName, set[ColumnEdge]]
"""By the source dataset."""

_UNSTATED = (Transformation(),)
_plain = msgspec.json.Decoder(PlainColumnLineage)
_transformations = msgspec.json.Decoder(list[Transformation] | None)
_LEGACY = {"IDENTITY": ("IDENTITY", False), "MASKED": ("TRANSFORMATION", True)}


def read_column_lineage(facets: Facets, path: str, integration: str, warnings: list[EventWarning]) -> ColumnEdges:
    """All edges of the facet. INDIRECT edges copied into every field become edges to the dataset as a whole."""
    raw = facets.get("columnLineage")
    if raw is None:
        return {}
    edges = _read_plain(raw, integration)
    if edges is not None:
        return edges
    facet = read_facet(ColumnLineage, facets, "columnLineage", path, warnings)
    return {} if facet is None else _read_any(facet, f"{path}.columnLineage", integration, warnings)


def _read_plain(raw: Raw, integration: str) -> ColumnEdges | None:
    """The edges of a facet that lacks nothing, for half of the work; None if it is no such facet."""
    if b"\\" in bytes(raw):  # only an escape can be unclean
        return None
    edges: ColumnEdges = {}
    # A facet names few sources many times, and says of few ways how they are used.
    known: dict[tuple[str, str, bytes, bool], tuple[set[ColumnEdge], list[Way]]] = {}
    try:
        facet = _plain.decode(raw)
        targets = [(target, field.inputFields) for target, field in facet.fields.items()]
        if facet.dataset:
            targets.append(("", facet.dataset))
        for target, sources in targets:
            is_whole = not target
            for source in sources:
                use = (source.namespace, source.name, bytes(source.transformations), is_whole)
                met = known.get(use)
                if met is None:
                    stated = _transformations.decode(use[2]) or _UNSTATED
                    found = edges.setdefault(dataset_as_sent(source.namespace, source.name, integration), set())
                    met = known[use] = found, [_way(item, target) for item in stated]
                found, transformations_of = met
                for kind, subtype, masking, description in transformations_of:
                    found.add((source.field, target, kind, subtype, masking, description))
    except (msgspec.DecodeError, RecursionError):
        return None
    if any(way[0] == "INDIRECT" for _, transformations_of in known.values() for way in transformations_of):
        _lift_indirect(edges, facet.fields.keys())
    return edges


def _read_any(facet: ColumnLineage, path: str, integration: str, warnings: list[EventWarning]) -> ColumnEdges:
    edges: ColumnEdges = {}
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
            found = edges.setdefault(dataset_as_sent(namespace, name, integration), set())
            add_edges(found, column, target, source.transformations or legacy)
    _lift_indirect(edges, fields.keys())
    return edges


def add_edges(
    found: set[ColumnEdge], source: str, target: str, transformations: Iterable[Transformation] | None
) -> None:
    """One edge per transformation; none stated is an edge of unknown kind."""
    source = clean(source)
    for stated in transformations or _UNSTATED:
        found.add((source, target, *_way(stated, target)))


def _way(stated: Transformation, target: str) -> Way:
    """How an edge comes about, in one spelling."""
    # What concerns every row of a dataset is none of its values, whatever it is called.
    kind, subtype = (stated.type or "DIRECT") if target else "INDIRECT", stated.subtype or "UNKNOWN"
    description = clean(stated.description) if stated.description else ""
    return kind.upper(), subtype.upper(), bool(stated.masking), description


def _legacy(field: OutputField) -> tuple[Transformation, ...]:
    """Transformation of the whole field, in the older form of the facet."""
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
