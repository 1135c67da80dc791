"""Reads all objects of a metalake from a Gravitino server, as the baseline of a tenant's assets.

The cut-over time is the beginning of the sync. Its objects are appended to the log as events of that time, between an
event of its beginning and one of its end. From then on the catalog's events count from the cut-over time on; until then
they are kept in the log and change no assets. So the log alone decides which events count.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any, TypeVar

from msgspec import Struct, field

from headwater.graph.catalog.facts import CatalogSync
from headwater.graph.catalog.names import SCHEME
from headwater.interpret.gravitino.sync import metalake_id
from headwater.interpret.interpret import interpret
from headwater.openlineage.decode import decode_event
from headwater.openlineage.policy.apply import under_policy
from headwater.openlineage.times import format_time
from headwater.pipeline.gravitino.events import EventMaker
from headwater.pipeline.gravitino.rest import GravitinoApi, named
from headwater.pipeline.gravitino.terms import terms_of
from headwater.store.assets.sql_graph import SqlAssetGraph
from headwater.store.pipeline.jobs import running
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from headwater.store.write.log import Entry, Tenant

__all__ = ["SyncReport", "cutover_of", "sync_metalake"]

_AT_ONCE = 100
_THREADS = 8
_DROPS = {"Catalog": "drop_catalog", "Schema": "drop_schema", "Table": "drop_table"}
_TAGGED = {"CATALOG": 1, "SCHEMA": 2, "TABLE": 3, "COLUMN": 4, "METRIC": 3}
"""Kinds of objects that have tags, and how many parts their names have at least; more belong to the last."""
Tell = Callable[[str, int, int], None]
_T = TypeVar("_T")


class SyncReport(Struct):
    """Result of a sync."""

    cutover: str
    resumed: bool = False
    catalogs: int = 0
    schemas: int = 0
    tables: int = 0
    columns: int = 0
    terms: int = 0
    tags: int = 0
    dropped: int = 0
    events: int = 0
    """New in the log; a reading that is repeated adds none."""
    seconds: float = 0.0
    seen: set[str] = field(default_factory=set)
    """Ids of catalogs, schemas and tables that are there."""


def cutover_of(reader: Reader, tenant: int, metalake: str) -> tuple[int | None, int | None]:
    """The cut-over times of the newest reading of a metalake, and of the newest one that is complete."""
    found = reader.facts(tenant, CatalogSync, metalake=metalake_id(metalake))
    return (found[0].started, found[0].ready) if found else (None, None)


def sync_metalake(
    store: SqlStore, url: str, tenant: Tenant, metalake: str, api: GravitinoApi, tell: Tell, *, restart: bool = False
) -> SyncReport:
    """Read a metalake. One that was cut off goes on with its cut-over time, unless a new one is wanted."""
    began = time.monotonic()
    with running(url, "sync", tenant.id) as job:

        def say(step: str, done: int, total: int) -> None:
            job.tell(step, done, total)
            tell(step, done, total)

        started, ready = cutover_of(Reader(store.engine), tenant.id, metalake)
        resumed = started is not None and started > (ready or 0) and not restart
        cutover = started if started is not None and resumed else time.time_ns() // 1_000_000 * 1000
        events = EventMaker(tenant.id, tenant.code, metalake, format_time(cutover))
        report = SyncReport(format_time(cutover), resumed)
        if not resumed:
            store.projection.drain(tenant.id)  # what came before is in the graph; from now on it is held
        _append(store, tenant, [events.started()], report)
        for body in _batches(_read(api, events, report, say)):
            _append(store, tenant, body, report)
        _append(store, tenant, list(_gone(store, tenant, events, report)), report)
        _append(store, tenant, [events.ready()], report)
        say("done", report.tables, report.tables)
    report.seconds = round(time.monotonic() - began, 3)
    return report


def _read(api: GravitinoApi, events: EventMaker, report: SyncReport, say: Tell) -> Iterator[bytes]:
    place = f"{SCHEME}{events.metalake}"
    catalogs = list(named((api.get("catalogs", details="true") or {}).get("catalogs")))
    schemas: list[tuple[str, str]] = []
    for catalog in catalogs:
        report.catalogs += 1
        report.seen.add(f"{place}/{catalog['name']}")
        yield events.catalog(catalog)
        if str(catalog.get("type") or "relational").lower() == "relational":
            schemas += [(catalog["name"], schema) for schema in api.names("catalogs", catalog["name"], "schemas")]
        say("catalogs", report.catalogs, len(catalogs))
    tables: list[tuple[str, str, str]] = []
    for catalog_name, schema in schemas:
        path = ("catalogs", catalog_name, "schemas", schema)
        found = (api.get(*path, missing_is_none=True) or {}).get("schema")
        if not isinstance(found, dict):
            continue
        report.schemas += 1
        report.seen.add(f"{place}/{catalog_name}/{schema}")
        yield events.schema(catalog_name, {**found, "name": schema})
        tables += [(catalog_name, schema, name) for name in api.names(*path, "tables")]
        yield from _terms(api, events, report, catalog_name, schema)
        say("schemas", report.schemas, len(schemas))
    with ThreadPoolExecutor(_THREADS) as threads:
        for part in _batches(tables):
            answers = threads.map(lambda one: (one, _table(api, *one)), part)
            for (catalog_name, schema, name), found in answers:
                if found is None:  # dropped meanwhile; its event says so
                    continue
                report.tables += 1
                report.columns += len(_objects(found.get("columns")))
                report.seen.add(f"{place}/{catalog_name}:{schema}.{name}")
                yield events.table(catalog_name, schema, {**found, "name": name})
            say("tables", report.tables, len(tables))
    yield from _tags(api, events, report, say)


def _table(api: GravitinoApi, catalog: str, schema: str, name: str) -> dict[str, Any] | None:
    answer = api.get("catalogs", catalog, "schemas", schema, "tables", name, missing_is_none=True)
    found = (answer or {}).get("table")
    return found if isinstance(found, dict) else None


def _terms(api: GravitinoApi, events: EventMaker, report: SyncReport, catalog: str, schema: str) -> Iterator[bytes]:
    for operation, values in terms_of(api, catalog, schema):
        report.terms += 1
        yield events.term(operation, catalog, schema, values)


def _tags(api: GravitinoApi, events: EventMaker, report: SyncReport, say: Tell) -> Iterator[bytes]:
    tags = list(named((api.get("tags", missing_is_none=True, details="true") or {}).get("tags")))
    given: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for number, tag in enumerate(tags, 1):
        report.tags += 1
        yield events.tag(tag)
        answer = api.get("tags", tag["name"], "objects", missing_is_none=True) or {}
        for item in _objects(answer.get("metadataObjects")):
            kind, name = str(item.get("type") or "").upper(), item.get("fullName")
            if kind in _TAGGED and isinstance(name, str) and name.count(".") >= _TAGGED[kind] - 1:
                path = tuple(name.split(".", _TAGGED[kind] - 1))
                given.setdefault((kind, path), []).append(tag["name"])
        say("tags", number, len(tags))
    for (kind, path), names in sorted(given.items()):
        yield events.tags_of(kind, path, names)


def _objects(items: Any) -> list[dict[str, Any]]:
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _gone(store: SqlStore, tenant: Tenant, events: EventMaker, report: SyncReport) -> Iterator[bytes]:
    """Drops of objects that existed before the sync and no longer do."""
    place = f"{SCHEME}{events.metalake}/"
    for node in SqlAssetGraph(store.engine).all_nodes(tenant.id):
        if node.label not in _DROPS or not node.id.startswith(place) or node.id in report.seen:
            continue
        catalog, _, name = node.id.removeprefix(place).partition(":" if node.label == "Table" else "/")
        if node.label == "Catalog":
            namespace, name = f"{SCHEME}{events.metalake}", catalog
        else:
            namespace = f"{place}{catalog}"
        report.dropped += 1
        yield events.gone(_DROPS[node.label], namespace, name)


def _append(store: SqlStore, tenant: Tenant, bodies: list[bytes], report: SyncReport) -> None:
    entries = []
    for body in bodies:
        event = under_policy(decode_event(body), tenant.facet_policy)
        entries.append(Entry(tenant, event, interpret(event, tenant.id), time.time_ns() // 1000))
    if entries:
        report.events += store.write(entries)


def _batches(items: Iterable[_T]) -> Iterator[list[_T]]:
    waiting = iter(items)
    while batch := list(islice(waiting, _AT_ONCE)):
        yield batch
