"""Reads all objects of a metalake from a Gravitino server, as the baseline of a tenant's assets.

The cut-over time is the beginning of the sync. Its objects are appended to the log as events of that time, between an
event of its beginning and one of its end. From then on the catalog's events count from the cut-over time on; until then
they are kept in the log and change no assets. So the log alone decides which events count.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

import sqlalchemy as sa
from msgspec import Struct, field

from headwater.graph.catalog.facts import AssetState, CatalogSync
from headwater.graph.catalog.names import SCHEME, AssetKind, text_of
from headwater.interpret.gravitino.sync import metalake_id
from headwater.interpret.interpret import interpret
from headwater.openlineage.decode import decode_event
from headwater.openlineage.identity import stamp
from headwater.openlineage.policy.apply import under_policy
from headwater.openlineage.times import format_time
from headwater.pipeline.gravitino.events import EventMaker
from headwater.pipeline.gravitino.rest import GravitinoApi, GravitinoFailed, named
from headwater.pipeline.gravitino.tables import TableName, TableReader, with_threads
from headwater.pipeline.gravitino.terms import terms_of
from headwater.store.assets.sql_graph import SqlAssetGraph
from headwater.store.pipeline.jobs import running
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from headwater.store.tables import fact_tables
from headwater.store.write.log import Entry, Tenant

__all__ = ["SyncReport", "cutover_of", "sync_metalake"]

_AT_ONCE = 100
_WITHOUT_TABLES = ("fileset", "messaging", "model")
"""Types of catalogs whose schemas hold something else than tables."""
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
    tables_read_before: int = 0
    """By an attempt that was cut off; their columns are not counted again."""
    terms: int = 0
    tags: int = 0
    dropped: int = 0
    events: int = 0
    """New in the log; a reading that is repeated adds none."""
    not_in_use: list[str] = field(default_factory=list)
    """Disabled catalogs: their objects cannot be read, and are left out."""
    seconds: float = 0.0
    seen: set[str] = field(default_factory=set)
    """Ids of catalogs, schemas and tables that are there."""


def cutover_of(reader: Reader, tenant: int, metalake: str) -> tuple[int | None, int | None]:
    """The cut-over times of the newest reading of a metalake, and of the newest one that is complete."""
    found = reader.facts(tenant, CatalogSync, metalake=metalake_id(metalake))
    return (found[0].started, found[0].ready) if found else (None, None)


def sync_metalake(
    store: SqlStore,
    url: str,
    tenant: Tenant,
    metalake: str,
    api: GravitinoApi,
    tell: Tell,
    *,
    restart: bool = False,
    tables: TableReader | None = None,
) -> SyncReport:
    """Read a metalake. One that was cut off goes on with its cut-over time, unless a new one is wanted.

    `tables` reads the tables, threads of this process if it is not given.
    """
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
        known = tables_read(store.engine, tenant.id, metalake, cutover) if resumed else set()
        if not resumed:
            store.projection.drain(tenant.id)  # what came before is in the graph; from now on it is held
        _append(store, tenant, [events.started()], report)
        reading = _Reading(api, events, report, say, tables or with_threads(api), known)
        for body in _batches(reading.all()):
            _append(store, tenant, body, report)
        _append(store, tenant, list(_gone(store, tenant, events, report)), report)
        _append(store, tenant, [events.ready()], report)
        say("done", report.tables, report.tables)
    report.seconds = round(time.monotonic() - began, 3)
    return report


class _Reading:
    """One pass over a metalake. `known` are the tables that an attempt before this one has read."""

    def __init__(
        self, api: GravitinoApi, events: EventMaker, report: SyncReport, say: Tell, read: TableReader, known: set[str]
    ) -> None:
        self._api, self._events, self._report, self._say = api, events, report, say
        self._read, self._known = read, known
        self._place = f"{SCHEME}{events.metalake}"

    def all(self) -> Iterator[bytes]:
        """An event for each thing that is there, parents first."""
        schemas: list[tuple[str, str]] = []
        without_tables: set[str] = set()
        catalogs = list(named(self._api.items("catalogs", "catalogs", details="true")))
        for number, catalog in enumerate(catalogs, 1):
            name = catalog["name"]
            self._report.catalogs += 1
            self._report.seen.add(f"{self._place}/{name}")
            yield self._events.catalog(catalog)
            if _is_in_use(catalog):
                schemas += [(name, schema) for schema in self._api.names("catalogs", name, "schemas")]
            else:
                self._report.not_in_use.append(name)
            if str(catalog.get("type") or "").lower() in _WITHOUT_TABLES:
                without_tables.add(name)
            self._say("catalogs", number, len(catalogs))
        tables: list[TableName] = []
        for number, (catalog_name, schema) in enumerate(schemas, 1):
            path = ("catalogs", catalog_name, "schemas", schema)
            answer = self._api.get(*path, missing_is_none=True)
            if answer is not None:
                found = answer.get("schema")
                if not isinstance(found, dict):
                    raise self._api.failed(path, "its answer has no schema")
                self._report.schemas += 1
                self._report.seen.add(f"{self._place}/{catalog_name}/{schema}")
                yield self._events.schema(catalog_name, {**found, "name": schema})
                if catalog_name not in without_tables:
                    tables += [(catalog_name, schema, name) for name in self._api.names(*path, "tables")]
                for operation, values in terms_of(self._api, catalog_name, schema):
                    self._report.terms += 1
                    yield self._events.term(operation, catalog_name, schema, values)
            self._say("schemas", number, len(schemas))
        yield from self._tables(tables)
        yield from self._tags()

    def _tables(self, names: list[TableName]) -> Iterator[bytes]:
        ids = {name: f"{self._place}/{name[0]}:{name[1]}.{name[2]}" for name in names}
        missing = [name for name in names if ids[name] not in self._known]
        self._report.tables = self._report.tables_read_before = len(names) - len(missing)
        self._report.seen |= {ids[name] for name in names if ids[name] in self._known}
        self._say("tables", self._report.tables, len(names))
        for found in self._read(self._events, missing) if missing else ():
            for table in found:
                self._report.tables += 1
                self._report.columns += table.columns
                self._report.seen.add(ids[table.name])
                yield table.body
            self._say("tables", self._report.tables, len(names))

    def _tags(self) -> Iterator[bytes]:
        tags = list(named(self._api.listed("tags", "tags", details="true")))
        given: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        for number, tag in enumerate(tags, 1):
            self._report.tags += 1
            yield self._events.tag(tag)
            for item in self._api.listed("metadataObjects", "tags", tag["name"], "objects"):
                kind, name = str(item.get("type") or "").upper(), item.get("fullName")
                if kind in _TAGGED and isinstance(name, str) and name.count(".") >= _TAGGED[kind] - 1:
                    path = tuple(name.split(".", _TAGGED[kind] - 1))
                    given.setdefault((kind, path), []).append(tag["name"])
            self._say("tags", number, len(tags))
        for (kind, path), names in sorted(given.items()):
            yield self._events.tags_of(kind, path, names)


def _is_in_use(catalog: Mapping[str, Any]) -> bool:
    """A disabled catalog does not list its objects."""
    properties = catalog.get("properties")
    return not isinstance(properties, dict) or str(properties.get("in-use", "true")).lower() != "false"


def tables_read(engine: sa.Engine, tenant: int, metalake: str, cutover: int) -> set[str]:
    """Ids of tables with an event of the cut-over time or later."""
    state = fact_tables[AssetState].c
    query = sa.select(state.path).where(
        state.tenant == tenant,
        state.kind == int(AssetKind.TABLE),
        state.details_stamp >= stamp(cutover, bytes(16)),
    )
    with engine.connect() as connection:
        paths = [tuple(json.loads(row[0])) for row in connection.execute(query) if row[0]]
    return {text_of(AssetKind.TABLE, path) for path in paths if path[0] == metalake}


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
    """Items in batches; those read before a failure are given as well."""
    batch: list[_T] = []
    try:
        for item in items:
            batch.append(item)
            if len(batch) == _AT_ONCE:
                yield batch
                batch = []
    except GravitinoFailed:
        yield batch
        raise
    yield batch
