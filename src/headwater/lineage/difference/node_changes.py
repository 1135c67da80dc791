"""How schemas and column edges of one state differ from those of another."""

from __future__ import annotations

from typing import Any

from headwater.deadline import steps
from headwater.graph.assets.column_kinds import How
from headwater.lineage.difference.graph_state import ColumnWay, GraphState
from headwater.lineage.entities.schema_fields import field_types
from headwater.lineage.flows.transformation import in_order, shown_how
from headwater.store.read.lookup import Lookup

__all__ = ["changed_columns", "changed_schemas"]

_FIELDS = "SELECT [schema], [fields] FROM schema_version WHERE tenant = ? AND [schema] {ids}"


def changed_schemas(tenant: int, lookup: Lookup, before: GraphState, after: GraphState) -> dict[bytes, dict[str, Any]]:
    """By dataset that has another schema than before: columns added, removed and of another type."""
    pairs = {
        dataset: (before.schemas[dataset], schema)
        for dataset, schema in after.schemas.items()
        if before.schemas.get(dataset, schema) != schema
    }
    rows = lookup.rows(_FIELDS, tenant, {schema for pair in pairs.values() for schema in pair})
    fields = {schema: field_types(stored) for schema, stored in rows if stored}
    found = {}
    for dataset, (old_schema, new_schema) in pairs.items():
        old, new = fields.get(old_schema, {}), fields.get(new_schema, {})
        found[dataset] = {
            "columns": {
                "appeared": [name for name in new if name not in old],
                "vanished": [name for name in old if name not in new],
                "changed": [
                    {"column": name, "from": old[name], "to": new[name]}
                    for name in new
                    if name in old and old[name] != new[name]
                ],
            }
        }
    return found


def changed_columns(before: GraphState, after: GraphState) -> dict[tuple[bytes | None, bytes, bytes], dict[str, Any]]:
    """By edge that is there before and after: column edges that came, went, or transform in another way."""
    found = {}
    for key in steps(before.columns.keys() | after.columns.keys()):
        job, source, target = key
        ends = ((source, target),) if job is None else ((source, job), (job, target))
        if not all(edge in before.edges and edge in after.edges for edge in ends):
            continue  # the edge itself came or went, and is told
        old, new = _by_columns(before.columns.get(key, set())), _by_columns(after.columns.get(key, set()))
        if old == new:
            continue
        found[key] = {
            "columns": {
                "appeared": [_edge_record(pair, new[pair]) for pair in sorted(new.keys() - old.keys())],
                "vanished": [_edge_record(pair, old[pair]) for pair in sorted(old.keys() - new.keys())],
                "changed": [
                    {**_edge_record(pair, new[pair]), "before": _how(old[pair])}
                    for pair in sorted(old.keys() & new.keys())
                    if old[pair] != new[pair]
                ],
            }
        }
    return found


def _by_columns(transformations_of: set[ColumnWay]) -> dict[tuple[str, str], set[How]]:
    found: dict[tuple[str, str], set[How]] = {}
    for source, target, how in transformations_of:
        found.setdefault((source, target), set()).add(how)
    return found


def _edge_record(pair: tuple[str, str], hows: set[How]) -> dict[str, Any]:
    return {"source_column": pair[0], "column": pair[1] or None, "transformations": _how(hows)}


def _how(hows: set[How]) -> list[dict[str, Any]]:
    return [shown_how(how) for how in in_order(hows)]
