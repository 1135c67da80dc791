"""A reading of a whole metalake: when it begun and that it is complete. The event time is its cut-over time."""

from __future__ import annotations

from headwater.graph.catalog.facts import CatalogSync
from headwater.graph.catalog.names import path_of_namespace
from headwater.graph.fact import Fact
from headwater.interpret.gravitino.statement import CatalogStatement
from headwater.openlineage.event import EventWarning
from headwater.openlineage.identity import digest
from headwater.openlineage.naming import clean

__all__ = ["is_begun", "is_complete", "metalake_id"]


def metalake_id(name: str) -> bytes:
    """The id of a metalake."""
    return digest("metalake", name)


def is_begun(statement: CatalogStatement) -> list[Fact]:
    """The reading began."""
    name = _metalake(statement)
    time = statement.event.time
    return [CatalogSync(statement.tenant, metalake_id(name), name=name, started=time)] if name else []


def is_complete(statement: CatalogStatement) -> list[Fact]:
    """All that was there is in the log."""
    name = _metalake(statement)
    time = statement.event.time
    return [CatalogSync(statement.tenant, metalake_id(name), name=name, started=time, ready=time)] if name else []


def _metalake(statement: CatalogStatement) -> str | None:
    place = path_of_namespace(clean(statement.dataset.namespace).strip())
    if place is None or not place[0]:
        statement.event.warnings.append(EventWarning("$.outputs[0].namespace", "names no metalake: changes nothing"))
        return None
    return place[0]
