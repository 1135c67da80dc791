"""Metrics, word roots, modifiers, units, value domains and tags: their values stand in the fields of a schema facet."""

from __future__ import annotations

from typing import Any

from headwater.graph.catalog.names import AssetKind
from headwater.graph.fact import Fact
from headwater.interpret.gravitino.statement import CatalogStatement
from headwater.interpret.gravitino.wire import names_of_columns, pairs_of
from headwater.openlineage.facets import Schema, read_facet

__all__ = ["metric_is", "tag_is", "term_is"]

_TERMS = {
    AssetKind.WORDROOT: ("name", "dataType"),
    AssetKind.MODIFIER: ("name", "modifierType"),
    AssetKind.UNIT: ("name", "symbol"),
    AssetKind.VALUEDOMAIN: ("name", "domainType", "domainLevel", "items", "dataType"),
}
_METRIC = ("name", "metricType", "unit", "aggregationLogic", "calculationFormula")


def term_is(statement: CatalogStatement, kind: AssetKind) -> list[Fact]:
    """A word root, modifier, unit or value domain."""
    path, values = statement.path(kind), _values(statement)
    if path is None:
        return []
    return [*statement.above(path), statement.present(kind, path, _chosen(values, _TERMS[kind]))]


def metric_is(statement: CatalogStatement) -> list[Fact]:
    """A metric: atomic, derived from an atomic one, or computed from several."""
    path, values = statement.path(AssetKind.METRIC), _values(statement)
    if path is None:
        return []
    details = _chosen(values, _METRIC)
    details["metricType"] = (details.get("metricType") or "ATOMIC").upper()
    parents = [code.strip() for code in (values.get("parentMetricCodes") or "").split(",") if code.strip()]
    table = [values.get(f"ref{part}Name") for part in ("Catalog", "Schema", "Table")]
    measures, unnamed = names_of_columns(values.get("measureColumns"))
    filters, also = names_of_columns(values.get("filterColumns"))
    members = {
        "parents": parents,
        "table": table if all(table) else None,
        "measures": measures,
        "filters": filters,
        "unresolvedColumns": [*unnamed, *also],
    }
    details.update({key: value for key, value in members.items() if value})
    return [*statement.above(path), statement.present(AssetKind.METRIC, path, details)]


def tag_is(statement: CatalogStatement) -> list[Fact]:
    """A tag; where the field `name` differs from the name of the dataset, it is called that from now on."""
    path, values = statement.path(AssetKind.TAG), _values(statement)
    if path is None:
        return []
    now = (path[0], values.get("name") or path[1])
    details: dict[str, Any] = _chosen(values, ())
    if values.get("properties"):
        details["properties"] = pairs_of(values["properties"])
    facts: list[Fact] = [statement.present(AssetKind.TAG, now, details)]
    if now != path:
        facts.append(statement.changed(AssetKind.TAG, path, [["rename", list(now)]]))
    return facts


def _values(statement: CatalogStatement) -> dict[str, str]:
    """Each value stands in the description of the field that has its name."""
    facets, warnings = statement.dataset.facets, statement.event.warnings
    schema = read_facet(Schema, facets, "schema", statement.facets_path, warnings)
    fields = (schema.fields if schema else None) or ()
    return {field.name: field.description for field in fields if field.name and field.description}


def _chosen(values: dict[str, str], names: tuple[str, ...]) -> dict[str, Any]:
    found = {name: values[name] for name in names if values.get(name)}
    return {**found, **({"description": values["comment"]} if values.get("comment") else {})}
