"""For every method of every store: tenant A can neither see, count nor change what is B's, whatever the names.

The methods are found by looking at the classes, so a new one without a case here fails.
"""

from __future__ import annotations

import inspect
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa

from headwater.graph.annotations.notes import YES
from headwater.graph.facts import FACTS, Activity, NodeKind, Role
from headwater.graph.fold import fold
from headwater.interpret.interpret import interpret
from headwater.lineage.edits.event import Remark
from headwater.openlineage.decode import decode_event
from headwater.store.access.assertions import Assertions
from headwater.store.access.keys import ApiKey, Keys
from headwater.store.access.tenants import Tenants
from headwater.store.assets.projection import Projection
from headwater.store.assets.rows import key_of
from headwater.store.assets.sql_graph import SqlAssetGraph
from headwater.store.emit.outbox import EmitOutbox, NewEvent, OutboxEvent
from headwater.store.emit.outbox import EmitProgress as VersionProgress
from headwater.store.emit.peers import EmitPeers
from headwater.store.emit.versions import DONE, EmitVersions, VersionRow, version_key
from headwater.store.engine import WRITING
from headwater.store.models.attached import AttachedResults
from headwater.store.models.configurations import Configurations
from headwater.store.models.results import Results
from headwater.store.models.usage import UsageBook
from headwater.store.pipeline.catalog_sources import CatalogSource, CatalogSources
from headwater.store.pipeline.progress import Progress
from headwater.store.read.lists.catalog import Catalog, NodeFilter, SqlFilter
from headwater.store.read.lists.counts import ListCounts
from headwater.store.read.lists.edits import EditLog
from headwater.store.read.lists.nodes import Listing
from headwater.store.read.lists.nodes import NodeFilter as ListingFilter
from headwater.store.read.lists.runs import RunCatalog, RunFilter
from headwater.store.read.reader import Reader
from headwater.store.read.runs.activity import ActivityReader
from headwater.store.read.runs.attempts import Attempts
from headwater.store.read.search import SearchReader, SearchTerm
from headwater.store.read.summaries import Summaries
from headwater.store.sql_store import SqlStore
from headwater.store.tables import dead_letters, metadata
from headwater.store.tasks.models import ModelKey
from headwater.store.tasks.notes import NodeNotes, TaskNotes
from headwater.store.tasks.records import TaskOutcome, TaskState
from headwater.store.tasks.task_lists import TaskFilter, TaskLists
from headwater.store.tasks.task_store import TaskStore
from headwater.store.write.dead_letters import DeadLetters, Filter, Refusal
from headwater.store.write.log import Entry, Tenant
from headwater.store.write.search_index import SearchIndex
from headwater.tasks.schedule import DELAYS, together
from tests.conftest import read_events
from tests.edits import edit_body
from tests.emit.filled import fill_emit
from tests.statements import Statements, unbound
from tests.store.test_contract import ALWAYS, graph_of
from tests.tasks.models import MODEL, new_tasks

A, B = Tenant(7, "a", "Same name"), Tenant(8, "b", "Same name")
EDIT = edit_body(1, Remark("JOB", "tag", YES, "etl", "load", name="pii"))
BODIES = (*read_events("written/spec.ndjson"), *read_events("written/spark.ndjson"), EDIT)
EVENT = decode_event(BODIES[0])
IDS = sorted(
    {value for facts in graph_of(BODIES, 1).values() for key in facts for value in key[1:] if isinstance(value, bytes)}
)
EVERYTHING = Filter()
A_LETTER, B_LETTER, A_KEY, B_KEY = 1, 2, "key-of-a", "key-of-b"


def _entries(tenant: Tenant) -> list[Entry]:
    return [Entry(tenant, event, interpret(event, tenant.id), 0) for event in map(decode_event, BODIES)]


def _key(key_id: str, tenant: Tenant) -> ApiKey:
    return ApiKey(
        id=key_id, tenant_id=tenant.id, source="SPARK", roles=("admin",), hash=b"h" * 32, name="same", created_at=1
    )


def _refusal(tenant: Tenant) -> Refusal:
    return Refusal(
        tenant_id=tenant.id, key_id="k", source="SPARK", received_at=5, reason="r", message="m", path="$", body=b"{}"
    )


def _list(found: Any) -> Any:
    return list(found)


Question = Callable[[Any], Any]


def _snapshot(reader: Reader) -> Any:
    with reader.snapshot(A.id) as read:
        return {fact.table: list(read(fact)) for fact in FACTS}


READER: dict[str, Question] = {
    "snapshot": _snapshot,
    "facts": lambda it: {fact.table: sorted(it.facts(A.id, fact), key=fact.key) for fact in FACTS},
    "all_facts": lambda it: {fact.table: _list(it.all_facts(A.id, fact)) for fact in FACTS},
    "names": lambda it: it.names(A.id, IDS),
    "search_names": lambda it: it.search_names(A.id, "o", limit=1000),
    "sources_of_shapes": lambda it: {shape: dict(found) for shape, found in it.sources_of_shapes(A.id, IDS).items()},
    "events": lambda it: [(item.time, item.body) for item in it.events(A.id, limit=999, offset=0, **ALWAYS)],
    "count_events": lambda it: it.count_events(A.id, **ALWAYS),
    "has_events": lambda it: it.has_events(A.id),
    "event_by_stamp": lambda it: it.event_by_stamp(A.id, EVENT.time, EVENT.fingerprint).body,
    "log": lambda it: [item.body for item in it.log(A.id)],
}
LISTING: dict[str, Question] = {
    "nodes": lambda it: it.nodes(A.id, ListingFilter(text="o"), limit=1000),
    "count_nodes": lambda it: it.count_nodes(A.id, ListingFilter()),
    "namespaces": lambda it: it.namespaces(A.id, limit=1000, offset=0),
    "nodes_since": lambda it: (
        it.nodes_since(A.id, ListingFilter(), 0),
        it.nodes_since(A.id, ListingFilter(), 1 << 60),
    ),
    "event_types": lambda it: sorted(it.event_types(A.id, 0, 1 << 60)),
    "newest_jobs": lambda it: it.newest_jobs(A.id, ListingFilter(), 1000),
    "last_event_times": lambda it: it.last_event_times(A.id, IDS),
    "mentions": lambda it: {
        dataset: sorted(found) for dataset, found in it.mentions(A.id, IDS, Role.INPUT, 99).items()
    },
    "jobs_using": lambda it: sorted(it.jobs_using(A.id, IDS, 1000)),
}
ACTIVITY: dict[str, Question] = {
    "latest_runs": lambda it: it.latest_runs(A.id, IDS, 1000),
    "runs_of_job": lambda it: [it.runs_of_job(A.id, job, limit=1000, offset=0) for job in IDS],
    "count_runs": lambda it: [it.count_runs(A.id, job) for job in IDS],
    "runs_with": lambda it: it.runs_with(A.id, IDS, IDS, limit=1000, offset=0),
    "count_runs_with": lambda it: it.count_runs_with(A.id, IDS, IDS),
    "events_of_namespace": lambda it: [
        item.body for item in it.events_of_namespace(A.id, EVENT.job.namespace, limit=1000, offset=0)
    ],
    "events_of_runs": lambda it: {
        run: [item.body for item in said] for run, said in it.events_of_runs(A.id, IDS).items()
    },
    "events_at": lambda it: [item.body for item in it.events_at(A.id, [(EVENT.time, EVENT.fingerprint)]).values()],
}
TENANTS: dict[str, Question] = {
    "list": lambda it: it.list(A.id),
    "get": lambda it: (it.get(A.id, "a"), it.get(A.id, "b")),
    "set_state": lambda it: (it.set_state(A.id, "b", "DISABLED"), it.set_state(A.id, "a", "DISABLED")),
    "set_limit": lambda it: (it.set_limit(A.id, "b", 5, 10), it.set_limit(A.id, "a", 5, 10)),
    "rename": lambda it: (it.rename(A.id, "b", "mine"), it.rename(A.id, "a", "mine")),
    "set_facet_policy": lambda it: (it.set_facet_policy(A.id, "b", "{}"), it.set_facet_policy(A.id, "a", "{}")),
    "create": lambda it: it.create("c", "Same name", 9),
}
KEYS: dict[str, Question] = {
    "list": lambda it: it.list(A.id),
    "get": lambda it: (it.get(A.id, A_KEY), it.get(A.id, B_KEY)),
    "add": lambda it: it.add(_key("another", A)),
    "revoke": lambda it: (it.revoke(A.id, B_KEY, 9), it.revoke(A.id, A_KEY, 9)),
    "end": lambda it: (it.end(A.id, B_KEY, 9), it.end(A.id, A_KEY, 9)),
    "touch": lambda it: it.touch(A_KEY, 9),
    "find": lambda it: it.find(A_KEY),
}
LETTERS: dict[str, Question] = {
    "add": lambda it: it.add([_refusal(A)]),
    "list": lambda it: it.list(A.id, EVERYTHING, limit=100),
    "count": lambda it: it.count(A.id, EVERYTHING),
    "groups": lambda it: it.groups(A.id, EVERYTHING, 100),
    "get": lambda it: (it.get(A.id, A_LETTER), it.get(A.id, B_LETTER)),
    "settle": lambda it: (it.settle(A.id, B_LETTER, 9, None), it.settle(A.id, A_LETTER, 9, None)),
    "delete": lambda it: (it.delete(A.id, B_LETTER), it.delete(A.id, A_LETTER)),
    "purge": lambda it: it.purge(A.id, EVERYTHING),
}
STORE: dict[str, Question] = {
    "write": lambda it: it.write(_entries(A)),
    "write_large": lambda it: [it.write_large(entry) for entry in _entries(A)],
    "merge": lambda it: it.merge(fold(fact for entry in _entries(A) for fact in entry.interpretation.facts())),
}
PAGE: dict[str, Any] = {"descending": False, "after": None, "limit": 1000}


def _page(found: Any) -> Any:
    return [tuple(row) for row in found.rows], found.total


CATALOG: dict[str, Question] = {
    "nodes": lambda it: [
        _page(it.nodes(A.id, kind, NodeFilter(), by=by, **PAGE))
        for kind, orders in (
            (NodeKind.DATASET, ("name", "first_seen", "last_seen", "last_written", "runs")),
            (NodeKind.JOB, ("name", "last_seen", "status", "duration", "runs")),
        )
        for by in orders
    ],
    "statements": lambda it: _page(it.statements(A.id, SqlFilter(), **PAGE)),
    "users": lambda it: it.users(A.id),
    "nodes_by_namespace": lambda it: it.nodes_by_namespace(A.id, IDS),
}
RUN_CATALOG: dict[str, Question] = {
    "runs": lambda it: (
        _page(it.runs(A.id, RunFilter(activity=Activity.RUN), **PAGE)),
        _page(it.runs(A.id, RunFilter(datasets=frozenset(IDS)), **PAGE)),
    ),
    "runs_by": lambda it: [
        _page(it.runs_by(A.id, RunFilter(), by, **PAGE))
        for by in ("status", "duration", "started_at", "ended_at", "last_seen")
    ],
    "roles": lambda it: it.roles(A.id, IDS, IDS),
}
LIST_COUNTS: dict[str, Question] = {
    "nodes": lambda it: [
        it.nodes(A.id, kind, NodeFilter(), by, 99)
        for kind in (NodeKind.DATASET, NodeKind.JOB)
        for by in ("namespace", "location_type", "type", "status")
    ],
    "among": lambda it: it.among(A.id, NodeKind.DATASET, NodeFilter(), IDS),
    "runs": lambda it: [it.runs(A.id, RunFilter(), by, 99) for by in ("status", "user")],
}
ATTEMPTS: dict[str, Question] = {
    "outcomes": lambda it: sorted(it.outcomes(A.id, IDS), key=repr),
    "newest_write": lambda it: it.newest_write(A.id, IDS),
}
SUMMARIES: dict[str, Question] = {
    "dataset_facets": lambda it: it.dataset_facets(A.id, IDS),
    "dataset_use": lambda it: it.dataset_use(A.id, IDS),
    "dataset_runs": lambda it: it.dataset_runs(A.id, IDS),
    "jobs": lambda it: it.jobs(A.id, IDS),
    "latest_runs": lambda it: it.latest_runs(A.id, IDS),
    "count_runs": lambda it: it.count_runs(A.id, IDS),
    "statements": lambda it: it.statements(A.id, IDS),
    "executions": lambda it: {sql: it.executions(A.id, sql) for sql in IDS},
}
SEARCH_READER: dict[str, Question] = {
    "find": lambda it: tuple(it.find(A.id, [SearchTerm("o", prefix=True)], limit=999))
}
EDIT_LOG: dict[str, Question] = {
    "edits": lambda it: it.edits(A.id, None, None, after=None, limit=1000),
    "count": lambda it: (it.count(A.id, None, None), it.count(A.id, IDS, None)),
}
SEARCH_INDEX: dict[str, Question] = {
    "drain": lambda it: it.drain(A.id),
    "catch_up": lambda it: it.catch_up(A.id),
}
PROJECTION: dict[str, Question] = {
    "drain": lambda it: it.drain(A.id),
    "count_waiting": lambda it: it.count_waiting(A.id),
}
ASSETS: dict[str, Question] = {
    "get": lambda it: it.get(A.id, [node.id for node in it.all_nodes(A.id)]),
    "by_key": lambda it: it.by_key(A.id, it.keys(A.id, b"", 1000)),
    "keys": lambda it: it.keys(A.id, b"", 1000),
    "ids": lambda it: it.ids(A.id, it.keys(A.id, b"", 1000)),
    "edges": lambda it: [
        it.edges(A.id, [node.id for node in it.all_nodes(A.id)], incoming=incoming) for incoming in (True, False)
    ],
    "exact_edges": lambda it: it.exact_edges(
        A.id, [(edge.source, edge.kind, edge.target) for edge in it.all_edges(A.id)]
    ),
    "page": lambda it: it.page(A.id, label=None, text=None, after=None, limit=1000),
    "named": lambda it: [it.named(A.id, node.id, limit=100) for node in it.all_nodes(A.id)],
    "counts": lambda it: it.counts(A.id),
    "all_nodes": lambda it: list(it.all_nodes(A.id)),
    "all_edges": lambda it: list(it.all_edges(A.id)),
}
HASH, FINGERPRINT = b"h" * 32, "local:m:1:2:cosine:t1"
NODES = [key_of("some node")]
CONFIGURATIONS: dict[str, Question] = {
    "read": lambda it: [(one.kind, one.place, one.fingerprint) for one in it.read(A.id)],
    "generation": lambda it: it.generation(A.id),
    "put": lambda it: it.put(A.id, "SUMMARY", "next", "other", "{}"),
    "promote": lambda it: it.promote(A.id, "EMBEDDING", FINGERPRINT),
    "remove": lambda it: it.remove(A.id, "EMBEDDING"),
}
RESULTS: dict[str, Question] = {
    "read": lambda it: [one.value for one in it.read(A.id, "EMBEDDING", FINGERPRINT, [HASH]).values()],
    "known": lambda it: sorted(it.known(A.id, "EMBEDDING", FINGERPRINT, [HASH])),
    "of_nodes": lambda it: [
        found[1].value for found in it.of_nodes(A.id, "EMBEDDING", FINGERPRINT, all_keys(it)).values()
    ],
    "all_texts": lambda it: list(it.all_texts(A.id, "EMBEDDING", FINGERPRINT)),
    "coverage": lambda it: it.coverage(A.id, "EMBEDDING", FINGERPRINT),
    "names": lambda it: it.names(A.id, "EMBEDDING", FINGERPRINT, all_keys(it)),
    "name_texts": lambda it: it.name_texts(A.id, "EMBEDDING", FINGERPRINT, {NODES[0]: bytes(32)}),
    "write": lambda it: it.write(A.id, "EMBEDDING", FINGERPRINT, {bytes(32): b"x"}),
    "note_for_server": lambda it: it.note_for_server(A.id, ["sql:x"]),
    "note_for_tasks": lambda it: it.note_for_tasks(A.id, [b"n" * 16]),
}
USAGE: dict[str, Question] = {
    "read": lambda it: it.read(A.id, 0),
    "reserve": lambda it: it.reserve(A.id, "EMBEDDING", 1, texts=1, tokens=2, most_calls=0, most_tokens=0),
    "settle": lambda it: it.settle(A.id, "EMBEDDING", 1, tokens=1, price=1),
}
ATTACHED: dict[str, Question] = {
    "of_nodes": lambda it: {
        node: (found.properties["embedding"], found.dimension)
        for node, found in it.of_nodes(A.id, all_keys(it._results)).items()
    },
}


def all_keys(results: Results) -> list[bytes]:
    return [node for node, _, _ in results.all_texts(A.id, "EMBEDDING", FINGERPRINT)]


def _claim(it: TaskStore, tenant: Tenant = A) -> Any:
    model = ModelKey(tenant.id, "EMBEDDING", MODEL)
    return it.claim(tenant, model, worker="w", lease=60, size=9, choose=together)


def _settle(it: TaskStore) -> Any:
    claim = _claim(it)
    outcomes = [TaskOutcome(claim.work[0].task, ok=True), TaskOutcome(claim.work[1].task, ok=False)]
    return it.settle(claim, outcomes, [claim.work[2].task], lambda *_: new_tasks(1, first=9), 1)


def _newest(it: TaskLists) -> int:
    return it.list(A.id, TaskFilter(), limit=1)[0].id


TASK_STORE: dict[str, Question] = {
    "add": lambda it: it.add(A, new_tasks(9)),
    "claim": _claim,
    "renew": lambda it: it.renew(claim := _claim(it), [work.task for work in claim.work], 60),
    "settle": _settle,
    "pause": lambda it: it.pause(ModelKey(A.id, "EMBEDDING", MODEL), "reason", "message", None),
    "resume": lambda it: it.resume(A.id),
}
TASK_LISTS: dict[str, Question] = {
    "list": lambda it: [row.resource_id for row in it.list(A.id, TaskFilter(), limit=99)],
    "get": lambda it: it.get(A.id, _newest(it)).resource_id,
    "counts": lambda it: it.counts(A.id),
    "attempts": lambda it: it.attempts(A.id, _newest(it), 9),
    "batches": lambda it: it.batches(A.id, limit=9),
    "retry": lambda it: it.retry(A.id, TaskFilter(states=tuple(TaskState)), limit=9),
    "cancel": lambda it: it.cancel(A.id, TaskFilter(), limit=9),
    "paused": lambda it: it.paused(A.id),
    "resume": lambda it: it.resume(A.id),
}
TASK_NOTES: dict[str, Question] = {
    "first": lambda it: it.first(A.id, 99),
    "remove": lambda it: it.remove(A.id, list(range(99))),
}
VERSION = version_key("b", "version of b")
"""Of B; `a` and `b` are names of overlays and sinks too."""
ROW = VersionRow(VERSION, "b", "version of b", DONE, 1, 1, 0, None, 0, 0, None, None)
WAITS = OutboxEvent("b", VERSION, "recall", 2, "PENDING", 0, 1, None, None, None)
EMIT_PEERS: dict[str, Question] = {
    "overlays": lambda it: it.overlays(A.id),
    "sinks": lambda it: it.sinks(A.id),
    "put_overlay": lambda it: it.put_overlay(A.id, "b", "{}", None),
    "put_sink": lambda it: it.put_sink(A.id, "b", "{}"),
    "remove_overlay": lambda it: (it.remove_overlay(A.id, "b"), it.remove_overlay(A.id, "a")),
    "remove_sink": lambda it: (it.remove_sink(A.id, "b"), it.remove_sink(A.id, "a")),
    "resume": lambda it: (it.resume(A.id, "b"), it.resume(A.id, "a")),
    "pause": lambda it: (it.pause(A.id, "b", "r"), it.pause(A.id, "a", "r")),
    "hold": lambda it: (it.hold(A.id, "b", 9, "r"), it.hold(A.id, "a", 9, "r")),
    "succeeded": lambda it: (it.succeeded(A.id, "b"), it.succeeded(A.id, "a")),
    "take_check": lambda it: (it.take_check(A.id, "b", 9), it.take_check(A.id, "a", 9)),
    "checked": lambda it: (it.checked(A.id, "b", "{}"), it.checked(A.id, "a", "{}")),
}
EMIT_VERSIONS: dict[str, Question] = {
    "request": lambda it: it.request(A.id, "b", ["version of b"]),
    "count": lambda it: (it.count(A.id), it.count(A.id, DONE), it.count(A.id, None, "b")),
    "list": lambda it: (it.list(A.id), it.list(A.id, None, "b")),
    "get": lambda it: (it.get(A.id, "a", ["version of a"]), it.get(A.id, "b", ["version of b"])),
    "by_keys": lambda it: (it.by_keys(A.id, [VERSION]), it.by_keys(A.id, [version_key("a", "version of a")])),
    "is_due": lambda it: it.is_due(A.id),
    "claim": lambda it: it.claim(A.id, "mine", 99, 9),
}
EMIT_OUTBOX: dict[str, Question] = {
    "finish": lambda it: it.finish(
        A.id, ROW, "token", [NewEvent("x", 1, b"x")], ["b"], VersionProgress(DONE, None, 0, None)
    ),
    "is_due": lambda it: (it.is_due(A.id, "b"), it.is_due(A.id, "a")),
    "claim": lambda it: (it.claim(A.id, "b", "mine", 99, 9), it.claim(A.id, "a", "mine", 99, 9)),
    "sent": lambda it: it.sent(A.id, "b", "token", [WAITS]),
    "give_back": lambda it: it.give_back(A.id, "b", "token", [WAITS]),
    "failed": lambda it: it.failed(A.id, "b", "token", WAITS, "r", "e", None),
    "count": lambda it: it.count(A.id),
    "count_unsettled": lambda it: it.count_unsettled(A.id),
    "dead": lambda it: (it.dead(A.id), it.dead(A.id, "b")),
    "get": lambda it: (
        it.get(A.id, "b", VERSION, "publish"),
        it.get(A.id, "a", version_key("a", "version of a"), "publish"),
    ),
    "retry": lambda it: (it.retry(A.id, "b"), it.retry(A.id, None, VERSION), it.retry(A.id)),
    "steps": lambda it: it.steps(A.id, [VERSION, version_key("a", "version of a")]),
}
_SOURCE = CatalogSource("lake", "http://gravitino.example.com:8090", "env:TOKEN", 50)
SOURCES: dict[str, Question] = {
    "list": lambda it: (it.set(A.id, _SOURCE), it.list(A.id))[1],
    "set": lambda it: it.set(A.id, _SOURCE),
    "remove": lambda it: it.remove(A.id, _SOURCE.metalake),
}
OF_NO_TENANT = {
    "Configurations.tenants",  # for the server itself, which notes changes of all of them
    "TaskStore.models_with_work",  # for workers, which work for all tenants
    "TaskLists.backlog",  # a sum for operators
    "TaskNotes.waiting",
    "EmitPeers.tenants",  # for the server itself
    "Reader.ping",
    "Reader.tenant",  # by a code that only operators may name, see api/authentication/authorize.py
    "Keys.exist",
    "Assertions.use",
    "Progress.write",  # of the pipeline as a whole
    "Progress.fail",
    "Progress.rename",
    "Progress.read_all",
    "SqlStore.open",
    "SqlStore.close",
    "SqlStore.probe",
    "SqlStore.attach",
    "SqlStore.finish_events",  # noted with their tenants
    "SearchIndex.notes",  # of facts, each of which names its tenant
    "Projection.waiting",
    "Projection.tell",  # says whom to call
    "SearchIndex.waiting",  # for the server itself, which works through all of them
}
STORES: dict[type, dict[str, Question]] = {
    Reader: READER,
    Listing: LISTING,
    ActivityReader: ACTIVITY,
    Tenants: TENANTS,
    Keys: KEYS,
    DeadLetters: LETTERS,
    SqlStore: STORE,
    Assertions: {},
    Attempts: ATTEMPTS,
    Catalog: CATALOG,
    RunCatalog: RUN_CATALOG,
    ListCounts: LIST_COUNTS,
    Summaries: SUMMARIES,
    SearchReader: SEARCH_READER,
    SearchIndex: SEARCH_INDEX,
    Projection: PROJECTION,
    SqlAssetGraph: ASSETS,
    CatalogSources: SOURCES,
    EditLog: EDIT_LOG,
    Configurations: CONFIGURATIONS,
    Results: RESULTS,
    UsageBook: USAGE,
    AttachedResults: ATTACHED,
    TaskStore: TASK_STORE,
    TaskLists: TASK_LISTS,
    TaskNotes: TASK_NOTES,
    Progress: {"waiting": lambda it: it.waiting(A.id, 0)},
    EmitPeers: EMIT_PEERS,
    EmitVersions: EMIT_VERSIONS,
    EmitOutbox: EMIT_OUTBOX,
}
READ_ONLY = (AttachedResults, EditLog, Reader, Progress, Catalog, Summaries, SearchReader, Listing, ActivityReader)
METHODS = [
    (kind, name)
    for kind in STORES
    for name, _ in inspect.getmembers(kind, inspect.isfunction)
    if not name.startswith("_") and f"{kind.__name__}.{name}" not in OF_NO_TENANT
]


def test_every_method_has_a_case() -> None:
    missing = [f"{kind.__name__}.{name}" for kind, name in METHODS if name not in STORES[kind]]
    assert not missing, f"add a case for {missing}"


def test_the_tenant_comes_first() -> None:
    """`touch`, `find`, `add`, `create`: by what is itself the secret or the record, which names its tenant."""
    for kind, name in METHODS:
        first = list(inspect.signature(getattr(kind, name)).parameters)[1]
        by_record = {("Keys", "find"), ("Keys", "touch"), ("Keys", "add"), ("DeadLetters", "add")}
        by_record |= {("TaskStore", name) for name in ("renew", "settle", "pause")}
        by_record |= {("Tenants", "create"), ("SqlStore", "write"), ("SqlStore", "merge"), ("SqlStore", "write_large")}
        if (kind.__name__, name) not in by_record:
            assert first in ("tenant", "scope"), f"{kind.__name__}.{name}"


def _task_store(store: SqlStore) -> TaskStore:
    return TaskStore(*store.engines.values(), DELAYS)


def _opened(kind: type, store: SqlStore) -> Any:
    """A store of this kind."""
    if kind in (SqlStore, SearchIndex, Projection):
        return {SqlStore: store, SearchIndex: store.search, Projection: store.projection}[kind]
    if kind is TaskStore:
        return _task_store(store)
    if kind in (TaskLists, TaskNotes, Configurations, Results, UsageBook):
        return kind(*store.engines.values())
    return kind(store.engine)


def _fill(store: SqlStore, tenant: Tenant, key_id: str) -> None:
    Tenants(store.engine).create(tenant.code, tenant.name, tenant.id)
    store.write(_entries(tenant))
    store.search.drain(tenant.id)
    store.projection.drain(tenant.id)
    Keys(store.engine).add(_key(key_id, tenant))
    DeadLetters(store.engine).add([_refusal(tenant)])
    _give_model(store, tenant)
    _task_store(store).add(tenant, new_tasks(3))
    writing = store.engines["writer"]
    with writing.connect().execution_options(**WRITING) as connection, connection.begin():
        NodeNotes(store.engine.dialect).write(connection, tenant.id, [b"n" * 16])
    fill_emit(store.engine, tenant.id, tenant.code)
    CatalogSources(store.engine).set(tenant.id, _SOURCE)
    with store.engine.begin() as connection:  # ids are made of chance; the questions ask for these
        letter = A_LETTER if tenant is A else B_LETTER
        connection.execute(dead_letters.update().where(dead_letters.c.tenant_id == tenant.id).values(id=letter))


def _give_model(store: SqlStore, tenant: Tenant) -> None:
    """An embedding model with the same vector for some nodes, and another result of B's alone."""
    told = '{"provider": "local", "model": "m", "dimension": 2, "similarity": "cosine"}'
    Configurations(*store.engines.values()).put(tenant.id, "EMBEDDING", "active", FINGERPRINT, told)
    results = Results(*store.engines.values())
    vector = struct.pack("<2f", 1, 0 if tenant is A else 1)
    results.write(tenant.id, "EMBEDDING", FINGERPRINT, {HASH: vector})
    keys = SqlAssetGraph(store.engine).keys(tenant.id, b"", 1000)
    results.name_texts(tenant.id, "EMBEDDING", FINGERPRINT, dict.fromkeys(keys, HASH))
    book = UsageBook(*store.engines.values())
    assert book.reserve(tenant.id, "EMBEDDING", 1, texts=1, tokens=2, most_calls=0, most_tokens=0)


def rows_of(store: SqlStore, tenant: Tenant) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of one tenant, in every table that has a column for it."""
    found = {}
    with store.engine.connect() as connection:
        for table in metadata.sorted_tables:
            name = "id" if table.name == "tenant" else "tenant" if "tenant" in table.c else "tenant_id"
            if name in table.c:
                rows = connection.execute(sa.select(table).where(table.c[name] == tenant.id))
                found[table.name] = sorted(map(tuple, rows), key=repr)
    return found


@pytest.mark.parametrize(("kind", "name"), METHODS, ids=[f"{kind.__name__}.{name}" for kind, name in METHODS])
def test_isolated(store: SqlStore, kind: type, name: str) -> None:
    question = STORES[kind][name]

    def ask() -> Any:
        return question(_opened(kind, store))

    reads_only = kind in READ_ONLY or name in (
        *("list", "get", "count", "groups", "find", "overlays", "sinks", "by_keys", "count_unsettled", "dead", "steps"),
        *("names", "known", "all_texts", "by_key", "keys"),
    )
    _fill(store, A, A_KEY)
    alone = msgspec.to_builtins(ask(), str_keys=False) if reads_only else None
    _fill(store, B, B_KEY)
    before = rows_of(store, B)
    assert all(before[table] for table in ("tenant", "api_key", "dead_letter", "lineage_events", "node", "emit_event"))
    answer = ask()
    assert rows_of(store, B) == before
    if reads_only:
        assert msgspec.to_builtins(answer, str_keys=False) == alone
        assert alone
    if name in ("delete", "set_state", "set_limit"):
        assert not answer[0]
        assert answer[1]
    if name == "purge":
        assert answer == 1


def test_every_statement_names_the_tenant(tmp_path: Path) -> None:
    """Whatever the names are: what a method asks of SQLite is about the rows of its tenant alone."""
    said: dict[str, list[str]] = {}
    with Statements() as statements:
        store = SqlStore(f"sqlite:///{tmp_path / 'headwater.db'}")
        store.open()
        _fill(store, A, A_KEY)
        _fill(store, B, B_KEY)
        for kind, name in METHODS:
            if (kind.__name__, name) in OF_ALL_ROWS:
                continue
            if kind is TaskStore:  # a task that was claimed, or whose model is paused, is nobody's to claim
                _task_store(store).resume(A.id)
                _task_store(store).add(A, new_tasks(9, first=100 * METHODS.index((kind, name))))
            statements.clear()
            STORES[kind][name](_opened(kind, store))
            found = {table for text in statements.distinct() for table in unbound(text, A.id)}
            if found:
                said[f"{kind.__name__}.{name}"] = sorted(found)
        store.close()
    assert not said


OF_ALL_ROWS = {("Keys", "find"), ("Keys", "touch")}
"""By the id of a key, which comes before it is known whose it is."""
