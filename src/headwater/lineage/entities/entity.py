"""One entity of any kind, by any of its names, as plain values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from headwater.graph.facts import NodeKind, Run
from headwater.lineage.entities.dataset import dataset_entity
from headwater.lineage.entities.job import job_entity
from headwater.lineage.entities.locations import location_entity
from headwater.lineage.entities.run import run_entity
from headwater.lineage.entities.statement import parse_sql_id, statement_entity
from headwater.lineage.entities.user import user_entity
from headwater.lineage.errors import NodeNotFound
from headwater.lineage.names.find import find_node, parse_run_id
from headwater.openlineage.identity import run_uuid
from headwater.store.read.reader import Reader

__all__ = ["find_run", "show"]

_ELSEWHERE: dict[str, Callable[[Reader, int, str], Any]] = {
    "location:": location_entity,
    "location@": location_entity,
    "user:": user_entity,
    "user@": user_entity,
}


def show(reader: Reader, tenant: int, text: str) -> dict[str, Any]:
    """Describe whatever has this name or id."""
    found: dict[str, Any] = msgspec.to_builtins(_entity(reader, tenant, text.strip()))
    return found


def find_run(text: str) -> bytes:
    """The id of a run: a UUID, or the id as a producer sent it that has no UUIDs."""
    plain = text.strip().removeprefix("run:").removeprefix("operation:")
    return parse_run_id(plain) or run_uuid(plain).bytes


def _entity(reader: Reader, tenant: int, text: str) -> Any:
    for start, entity in _ELSEWHERE.items():
        if text.startswith(start):
            return entity(reader, tenant, text)
    if text.startswith("sql:") and parse_sql_id(text) is not None:
        return statement_entity(reader, tenant, text)
    run = parse_run_id(text)
    if run is not None and (text.startswith(("run:", "operation:")) or reader.facts(tenant, Run, run=run)):
        return run_entity(reader, tenant, run, text)
    try:
        name = find_node(reader, tenant, text)
    except NodeNotFound:
        sent = find_run(text)
        if not reader.facts(tenant, Run, run=sent):
            raise
        return run_entity(reader, tenant, sent, text)
    return (dataset_entity if name.kind is NodeKind.DATASET else job_entity)(reader, tenant, name)
