"""An event of Gravitino: facts about the objects of a catalog, and about a table also as a dataset.

Every operation has one line in `OPERATIONS`. An unknown operation is kept in the log and changes nothing; a warning
says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from msgspec.structs import replace

from headwater.graph.catalog.names import AssetKind
from headwater.graph.fact import Fact
from headwater.graph.facts import Evidence, Shape
from headwater.interpret.describe import Description
from headwater.interpret.gravitino import semantic, sync, tables, tags
from headwater.interpret.gravitino.statement import CatalogStatement
from headwater.openlineage.event import NO_FACETS, Event, EventKind, EventWarning
from headwater.openlineage.identity import digest, stamp

__all__ = ["OPERATIONS", "as_dataset_event", "catalog_facts", "description_of_catalogs", "is_of_catalog", "is_of_sync"]

_PREFIX = "gravitino."
ORIGIN = "gravitino"
_SHAPE = digest("shape of catalogs")


class Operation(NamedTuple):
    """Object kind of an operation, and the function that reads it."""

    kind: AssetKind | None
    says: Callable[[CatalogStatement], list[Fact]]


def _of(kind: AssetKind, says: Callable[[CatalogStatement, AssetKind], list[Fact]]) -> Operation:
    return Operation(kind, lambda statement: says(statement, kind))


OPERATIONS: dict[str, Operation] = {
    "create_table": Operation(AssetKind.TABLE, tables.table_is),
    "load_table": Operation(AssetKind.TABLE, tables.table_is),
    "alter_table": Operation(AssetKind.TABLE, tables.table_is),
    "drop_table": _of(AssetKind.TABLE, tables.is_gone),
    "create_schema": Operation(AssetKind.SCHEMA, tables.schema_is),
    "alter_schema": Operation(AssetKind.SCHEMA, tables.schema_is),
    "load_schema": Operation(AssetKind.SCHEMA, tables.schema_is),
    "drop_schema": _of(AssetKind.SCHEMA, tables.is_gone),
    "create_catalog": Operation(AssetKind.CATALOG, tables.catalog_is),
    "alter_catalog": Operation(AssetKind.CATALOG, tables.catalog_is),
    "load_catalog": Operation(AssetKind.CATALOG, tables.catalog_is),
    "drop_catalog": _of(AssetKind.CATALOG, tables.is_gone),
    "register_metric": Operation(AssetKind.METRIC, semantic.metric_is),
    "alter_metric": Operation(AssetKind.METRIC, semantic.metric_is),
    "drop_metric": _of(AssetKind.METRIC, tables.is_gone),
    **{
        f"{verb}_{kind.name.lower()}": _of(kind, semantic.term_is)
        for kind in (AssetKind.WORDROOT, AssetKind.MODIFIER, AssetKind.UNIT, AssetKind.VALUEDOMAIN)
        for verb in ("create", "alter")
    },
    **{
        f"drop_{kind.name.lower()}": _of(kind, tables.is_gone)
        for kind in (AssetKind.WORDROOT, AssetKind.MODIFIER, AssetKind.UNIT, AssetKind.VALUEDOMAIN, AssetKind.TAG)
    },
    "create_tag": Operation(AssetKind.TAG, semantic.tag_is),
    "alter_tag": Operation(AssetKind.TAG, semantic.tag_is),
    "associate_tags": Operation(None, tags.tags_are),
    "sync_started": Operation(None, sync.is_begun),
    "sync_ready": Operation(None, sync.is_complete),
}


def is_of_sync(event: Event) -> bool:
    """Whether it sets the time from which events of a metalake count;

    only Headwater itself and operators may send it.
    """
    return is_of_catalog(event) and _operation(event) in ("sync_started", "sync_ready")


def is_of_catalog(event: Event) -> bool:
    """By the names that Gravitino gives; the job of an engine may well be called `gravitino.` something."""
    job = event.job
    if job is None or not job.name.startswith(_PREFIX):
        return False
    return "gravitino" in (event.producer or "").lower() or job.namespace.startswith("gravitino://tenant/")


def catalog_facts(event: Event, tenant: int) -> list[Fact]:
    """Facts of the event about objects of the catalog."""
    facts: list[Fact] = [Evidence(tenant, _SHAPE, event.time, stamp(event.time, event.fingerprint))]
    name = _operation(event)
    operation, dataset = OPERATIONS.get(name), next(iter((*event.outputs, *event.inputs)), None)
    if operation is None:
        event.warnings.append(EventWarning("$.job.name", f"unknown operation {name!r}: kept, and changes nothing"))
    elif dataset is None:
        event.warnings.append(EventWarning("$.outputs", f"{name} without a dataset: kept, and changes nothing"))
    else:
        facts += operation.says(CatalogStatement(event, tenant, name, dataset))
    return facts


def as_dataset_event(event: Event) -> Event | None:
    """The event as one about a dataset; None if it is not about a table."""
    operation, dataset = OPERATIONS.get(_operation(event)), next(iter((*event.outputs, *event.inputs)), None)
    if operation is None or operation.kind is not AssetKind.TABLE or dataset is None:
        return None
    silent = replace(event, warnings=[])  # `catalog_facts` has said them
    subject = tables.as_dataset(CatalogStatement(silent, 0, _operation(event), dataset))
    if subject is None:
        return None
    return replace(
        event,
        kind=EventKind.DATASET,
        event_type=None,
        run_id=None,
        run_id_sent=None,
        run_facets=NO_FACETS,
        job=None,
        inputs=(),
        outputs=(),
        dataset=subject,
    )


def description_of_catalogs(tenant: int) -> Description:
    """Events about objects that are no datasets describe no job and no dataset; all of them are of one shape."""
    header = Shape(tenant, _SHAPE, kind=EventKind.DATASET.value, origin=ORIGIN)
    return Description(_SHAPE, None, (), (), None, None, (), (header,), (), (), 0)


def _operation(event: Event) -> str:
    return event.job.name.rpartition(".")[2] if event.job else ""
