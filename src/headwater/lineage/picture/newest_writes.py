"""The newest write and the schema that holds, of many datasets at once."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from headwater.graph.current.schemas import current_schema, schema_uses
from headwater.graph.current.sides import is_written
from headwater.graph.current.sums import total
from headwater.graph.facts import Evidence, Role, RunStatus, ShapeDataset
from headwater.lineage.answer.values import moment
from headwater.lineage.entities.run_items import run_id
from headwater.lineage.entities.schema_fields import field_types
from headwater.lineage.picture.answer import LastWrite, state_of
from headwater.store.read.lookup import Lookup

__all__ = ["Part", "columns_of_schemas", "current_schemas", "last_writes", "parts_of_datasets"]

Part = tuple[bytes, bytes, int, bytes | None, int, int | None, bytes | None]
"""Dataset, shape, role, schema, output types, first seen, last stamp."""
_PARTS = (
    "SELECT p.dataset, p.shape, p.[role], p.[schema], p.types, e.first_seen, e.[last] FROM shape_dataset p "
    "JOIN evidence e ON e.tenant = p.tenant AND e.shape = p.shape WHERE p.tenant = ? AND p.dataset {{ids}} "
    "AND p.[role] IN ({roles})"
)
_WRITING = _PARTS.format(roles=f"{int(Role.OUTPUT)}, {int(Role.SUBJECT)}")
_READING = _PARTS.format(roles=int(Role.INPUT))
_NEWEST = (
    "SELECT n.shape, (SELECT r.run FROM run_shape r WHERE r.tenant = n.tenant AND r.shape = n.shape "
    "AND r.first_seen <= ? ORDER BY r.first_seen DESC, r.run DESC LIMIT 1) FROM shape n WHERE n.tenant = ? "
    "AND n.shape {ids}"
)
_RUNS = "SELECT run, status, ended_at, last_seen FROM run WHERE tenant = ? AND run {ids}"
_ROWS = f"SELECT run, dataset, [rows] FROM run_dataset WHERE tenant = ? AND run {{ids}} AND [role] = {int(Role.OUTPUT)}"
_FIELDS = "SELECT [schema], [fields] FROM schema_version WHERE tenant = ? AND [schema] {ids}"
_SHAPES_OF_EACH = 8
"""Shapes, the newest, that are looked at for the newest write of a dataset."""


def parts_of_datasets(lookup: Lookup, tenant: int, members: Mapping[bytes, bytes]) -> dict[bytes, list[Part]]:
    """By dataset (`members`: of each id the one it is shown by), its parts in shapes that write or describe it.

    Of one of which no writer names a schema: those in shapes that read it too.
    """
    found: dict[bytes, list[Part]] = defaultdict(list)
    for part in lookup.rows(_WRITING, tenant, members):
        found[members[part[0]]].append(part)
    with_schema = {node for node, parts in found.items() if any(part[3] is not None for part in parts)}
    for part in lookup.rows(_READING, tenant, [member for member, node in members.items() if node not in with_schema]):
        found[members[part[0]]].append(part)
    return found


def current_schemas(tenant: int, parts: Mapping[bytes, list[Part]]) -> dict[bytes, bytes]:
    """By dataset, the schema that holds; the rule is that of `graph.current.schemas`."""
    found: dict[bytes, bytes] = {}
    for node, listed in parts.items():
        records = [
            ShapeDataset(tenant, shape, member, role, schema=schema) for member, shape, role, schema, *_ in listed
        ]
        evidence = {shape: Evidence(tenant, shape, first, last) for _, shape, _, _, _, first, last in listed}
        holds = current_schema(schema_uses(records, evidence))
        if holds is not None:
            found[node] = holds[0]
    return found


def columns_of_schemas(
    lookup: Lookup, tenant: int, schemas: Mapping[bytes, bytes]
) -> dict[bytes, dict[str, str | None]]:
    """By dataset, the type of each column of its schema; nested ones as `outer.inner`."""
    rows: list[tuple[Any, ...]] = lookup.rows(_FIELDS, tenant, set(schemas.values()))
    fields = {schema: field_types(stored) for schema, stored in rows if stored}
    return {node: fields[schema] for node, schema in schemas.items() if schema in fields}


def last_writes(lookup: Lookup, tenant: int, parts: Mapping[bytes, list[Part]], until: int) -> dict[bytes, LastWrite]:
    """By dataset, the last run that began to write it."""
    writing: dict[bytes, list[bytes]] = {}
    for node, listed in parts.items():
        own = [part for part in listed if part[2] == Role.OUTPUT and is_written(part[4] or 0)]
        writing[node] = [part[1] for part in heapq.nlargest(_SHAPES_OF_EACH, own, key=_stamp)]
    shapes = {shape for listed in writing.values() for shape in listed}
    newest = {shape: run for shape, run in lookup.rows(_NEWEST, tenant, shapes, before=(until,)) if run is not None}
    runs = {row[0]: row for row in lookup.rows(_RUNS, tenant, set(newest.values()))}
    amounts = {(run, dataset): rows for run, dataset, rows in lookup.rows(_ROWS, tenant, runs)}
    found: dict[bytes, LastWrite] = {}
    for node, written in writing.items():
        done = [(_done(runs[newest[shape]]), newest[shape]) for shape in written if newest.get(shape) in runs]
        if done:
            at, run = max(done)
            named = {part[0] for part in parts[node]}
            rows = [amounts.get((run, member)) for member in named]
            found[node] = LastWrite(
                run=run_id(run), status=state_of(runs[run][1]), at=moment(at or None), rows=total(rows)
            )
    return found


def _stamp(part: Part) -> bytes:
    return part[6] or b""


def _done(run: tuple[Any, ...]) -> int:
    """When a run was done; one that has not ended, by its newest event."""
    _, status, ended_at, last_seen = run
    return (ended_at if (status or 0) >= RunStatus.SUCCEEDED and ended_at is not None else last_seen) or 0
