"""The ASGI application: ingest on its own short path, everything else through Starlette."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections import Counter
from collections.abc import MutableMapping
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import unquote

import sqlalchemy as sa
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect

from headwater.access.announced_tenant import AnnouncedTenants
from headwater.access.authenticate import Authenticator
from headwater.access.directory import Directory
from headwater.access.identity import OPERATOR, Role
from headwater.access.sessions import OpenSessions
from headwater.api.authentication.allowed_sites import Sites
from headwater.api.authentication.authorize import admit_caller, authenticate, role_for, sender_of
from headwater.api.context import CALLER, Services
from headwater.api.emit.own_sink import own_sink
from headwater.api.error_responses import error_response, failed, gone, no_method, no_route, no_store
from headwater.api.features import make_gateway
from headwater.api.http.body import BodyMemory, ClientGone, Sent
from headwater.api.http.connections import Connections, limits_of
from headwater.api.http.middleware import Front
from headwater.api.ingest import IngestRoute, is_ingest_path
from headwater.api.operators.pressure import Pressure
from headwater.api.posted_questions import POSTED, as_question
from headwater.api.query_process.dispatch import Questions, is_question
from headwater.api.query_process.graph_preloader import GraphPreloader
from headwater.api.query_process.messages import BODY
from headwater.api.query_process.pool import QueryPool
from headwater.api.routes import ROUTES
from headwater.api.services import make_services, make_sign_in
from headwater.api.web import Web
from headwater.deadline import current
from headwater.emit.emitter import Emitter
from headwater.emit.worker import EmitWorker, Waker
from headwater.errors import HeadwaterError
from headwater.ingest.admission import Admission
from headwater.ingest.concurrency_limit import ConcurrencyLimit
from headwater.ingest.dead_letter_writer import DeadLetterWriter
from headwater.ingest.group_commit import GroupCommit
from headwater.ingest.large_events.pool import LargeEvents
from headwater.ingest.rate_limits import RateLimits
from headwater.ingest.request_times import RequestTimes
from headwater.ingest.search_indexer import Drained, Indexer
from headwater.lineage.errors import NodeNotFound
from headwater.outgoing.send import Outgoing
from headwater.settings import Settings
from headwater.store.access.assertions import Assertions
from headwater.store.access.keys import Keys
from headwater.store.access.sessions import Sessions
from headwater.store.access.tenants import Tenants
from headwater.store.assets.follow import AssetStore
from headwater.store.dialects.failures import StoreUnavailable
from headwater.store.emit.outbox import EmitOutbox
from headwater.store.emit.peers import EmitPeers
from headwater.store.emit.versions import EmitVersions
from headwater.store.pipeline.progress import Progress
from headwater.store.scope import EVERY_TENANT
from headwater.store.sql_store import SqlStore
from headwater.store.write.dead_letters import DeadLetters
from headwater.store.write.large_events.unfinished_events import has_unfinished
from headwater.tasks.child_process import TaskProcess

__all__ = ["Application"]

_log = logging.getLogger(__name__)
_HEALTH, _METRICS = "/health/", "/metrics"
_LARGEST_QUESTION = 4 << 20
"""Bytes of the body of a request that sends no events: a dataset with tens of thousands of fields is smaller."""
_LARGEST_OPEN = 4 << 10
"""The same where no credential is needed: a key in JSON is smaller."""


class Application:
    """One server process. Started and stopped by the ASGI lifespan."""

    def __init__(
        self,
        settings: Settings,
        store: SqlStore,
        query_processes: QueryPool | None = None,
        large: LargeEvents | None = None,
        task_process: TaskProcess | None = None,
    ) -> None:
        self._settings = settings
        self._store = store
        self._query_processes = query_processes
        self._large, self._task_process = large, task_process
        self._gateway = make_gateway(settings)
        self._directory = Directory(Tenants(store.engine), Keys(store.engine))
        sessions = OpenSessions(Sessions(store.engine), settings.session_seconds)
        self._announcer = AnnouncedTenants(self._directory, Tenants(store.engine)) if settings.create_tenants else None
        self._authenticator = Authenticator(
            self._directory, self._gateway, Assertions(store.engine), sessions, self._announcer
        )
        self.memory = BodyMemory(settings.body_bytes, settings.tenant_body_bytes, settings.unknown_body_bytes)
        self.connections = Connections(limits_of(settings))
        self._questions = Questions(
            query_processes, self.answer_at_once, settings.question_seconds, settings.question_rate
        )
        self._sites = Sites(settings)
        self._web = Web()
        self._front = Front(self._take_or_ask, ROUTES, is_ingest=is_ingest_path)
        self.short: Counter[int] = Counter()
        """Requests that were answered on the short way, by status, and are not yet counted."""
        self._ingest: IngestRoute | None = None
        self._writer: GroupCommit | None = None
        self._indexer: Indexer | None = None
        self._assets: AssetStore | None = None
        self._emitter: Emitter | None = None
        self._emit_worker: EmitWorker | None = None
        self._wake_emit = Waker()
        self._publishing: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._rest = Starlette(
            routes=ROUTES,
            exception_handlers={
                HeadwaterError: error_response,
                sa.exc.SQLAlchemyError: no_store,
                ClientDisconnect: gone,
                404: no_route,
                405: no_method,
                500: failed,
            },
        )
        self._rest.router.redirect_slashes = False

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await self._front(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        else:
            await send({"type": "websocket.close", "code": 1000})

    async def _take_or_ask(self, scope: Any, receive: Any, send: Any) -> None:
        path = scope["path"].rstrip("/")
        if self._settings.metrics_port:
            if self.is_for_metrics(scope.get("server")) and path == _METRICS:
                await self._rest({**scope, "path": path}, receive, send)
                return
            if path == _METRICS:
                raise NodeNotFound("Metrics are at another address.", hint="See the setting `metrics_port`.")
            if self.is_for_metrics(scope.get("server")) and not path.startswith(_HEALTH):
                raise NodeNotFound("There are only metrics at this address.", hint="See `port` and `metrics_port`.")
        if not path.startswith(_HEALTH):
            await self._check_site(scope)
        file = self._web.find(scope)
        if file is not None:
            await self._web.answer(file, scope, send)
            return
        if scope["method"] == "POST" and self._ingest is not None and is_ingest_path(scope["path"]):
            await self._ingest(scope, receive, send)
            return
        if len(scope["path"]) > 1 and scope["path"].endswith("/"):
            scope["path"] = scope["path"].rstrip("/") or "/"
        await self._ask(scope, receive, send)

    async def _check_site(self, scope: Any) -> None:
        """Where no credential is needed, refuse requests that a page of another site makes a browser send."""
        if not self._directory.is_fresh:
            with suppress(StoreUnavailable):  # whoever needs the database is told so later
                await self._directory.refresh()
        if self._authenticator.is_open:
            self._sites.check(scope["method"], dict(scope["headers"]))

    def is_for_metrics(self, address: tuple[str, int | None] | None) -> bool:
        """Whether this address of ours is the one for metrics alone."""
        return bool(self._settings.metrics_port) and address is not None and address[1] == self._settings.metrics_port

    @property
    def stall_seconds(self) -> float:
        """How long a client may take nothing of an answer."""
        return self._settings.stall_seconds

    @property
    def ingest(self) -> IngestRoute | None:
        """The route of events, once the application has started."""
        return self._ingest

    async def ask_as_operator(self, method: str, path: str, query: str, body: bytes) -> tuple[int, bytes]:
        """Answer a request of this process itself, with the role admin: it can open the database anyway."""
        scope: dict[str, Any] = {
            "type": "http",
            "http_version": "1.1",
            "scheme": "http",
            "root_path": "",
            "headers": [],
        }
        scope |= {"method": method, "path": unquote(path), "raw_path": path.encode(), "query_string": query.encode()}
        await self._directory.refresh()
        caller = admit_caller(OPERATOR, Role.ADMIN, scope, {}, self._directory.tenant_index)
        status, _, answer = await self.answer_at_once({**scope, CALLER: caller}, body)
        return status, answer

    async def answer_at_once(self, scope: Any, body: bytes = b"") -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        """Answer a request whose caller is known; gives status, headers and body."""
        sent: list[MutableMapping[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body or scope.get(BODY, b""), "more_body": False}

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        try:
            await self._rest(scope, receive, send)
        except Exception:  # a defect: it was logged and answered with 500, and is then raised all the same
            if not sent:
                raise
        headers, deadline = list(sent[0]["headers"]), current()
        if deadline is not None and deadline.is_cut:
            headers.append((b"x-headwater-cut", b"true"))
        return sent[0]["status"], headers, b"".join(message.get("body", b"") for message in sent[1:])

    async def answer(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request whose caller is known."""
        if is_question(scope):
            await self._questions.answer(scope, receive, send)
        else:
            await self._rest(scope, receive, send)

    async def _ask(self, scope: Any, receive: Any, send: Any) -> None:
        """Authenticate a request that sends no events, then answer it."""
        role = role_for(scope)
        headers = dict(scope["headers"])
        largest = _LARGEST_OPEN if role is None else min(_LARGEST_QUESTION, self._settings.max_event_bytes)
        sent = Sent(receive, headers, largest, self.memory)
        try:
            if role is None:
                await self._rest(scope, sent.receive, send)
                return
            who = await authenticate(self._authenticator, scope, headers, self.connections.limits, self._sites)
            if who.refusal is not None:
                raise who.refusal
            caller = admit_caller(who.identity, role, scope, headers, self._directory.tenant_index)
            sent.sender = sender_of(who.identity)
            if who.assertion is not None:
                await self._authenticator.confirm(who.assertion, await sent.read())
            if scope["method"] == "POST" and scope["path"] in POSTED:
                scope = as_question(scope, await sent.read())
            scope[CALLER] = caller
            await self.answer(scope, sent.receive, send)
        except ClientGone:
            return
        finally:
            sent.release()

    async def _lifespan(self, receive: Any, send: Any) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                self.start()
                self._start_indexer()
                self._start_emitting()
                if self._large is not None:
                    self._large.start(partial(has_unfinished, self._store.engine))
                self._looking = asyncio.ensure_future(self.connections.keep_looking())
                if self._query_processes is not None:
                    self._query_processes.start()
                if self._task_process is not None:
                    self._store.projection.tell(self._task_process.wake)
                    self._task_process.start()
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                await self.stop()
                await send({"type": "lifespan.shutdown.complete"})
                return

    def graph_preloader(self) -> GraphPreloader:
        """Background loader of the graphs that questions of this process need."""
        services: Services = self._rest.state.services
        return GraphPreloader(services.reader, self._tenants)

    def _tenants(self) -> list[int]:
        return [tenant.id for tenant in Tenants(self._store.engine).list(EVERY_TENANT)]

    def _start_indexer(self) -> None:
        writer, large = self._writer, self._large

        def written() -> int:
            return (writer.batches if writer else 0) + (large.written if large else 0)

        indexes: list[Drained] = [self._store.search, self._store.projection]
        if self._assets is not None and self._assets.outbox is not None:
            indexes.append(self._assets.outbox)
        self._indexer = Indexer(self._store.engine, indexes, self._tenants, written)
        self._indexer.start()

    def _start_emitting(self) -> None:
        if self._emitter is not None:
            tenants = Tenants(self._store.engine)
            self._emit_worker = EmitWorker(
                self._emitter, lambda: {tenant.id: tenant for tenant in tenants.list(EVERY_TENANT)}, self._wake_emit
            )
            self._emit_worker.start()

    async def stop(self) -> None:
        if self._emit_worker is not None:
            await asyncio.to_thread(self._emit_worker.stop)
        elif self._emitter is not None:
            self._emitter.close()
        await self._questions.stop()
        if self._query_processes is not None:
            await self._query_processes.stop()
        if self._indexer is not None:
            await asyncio.to_thread(self._indexer.stop)
        if self._task_process is not None:
            await asyncio.to_thread(self._task_process.stop)
        for task in (self._publishing, self._looking):
            if task is not None:
                task.cancel()
        if self._large is not None:
            await self._large.stop()
        if self._writer is not None:
            await self._writer.stop()
        if self._assets is not None:
            await asyncio.to_thread(self._assets.close)
        await asyncio.to_thread(self._store.close)

    def start(self) -> None:
        """Start the writer, in the event loop that runs."""
        settings = self._settings
        assets = AssetStore(self._store, settings.graph, settings.graph_user, settings.graph_password)
        self._assets = assets
        assets.open()
        self._writer = GroupCommit(self._store, follow=assets.follow if assets.is_followed else None)
        self._writer.start()
        engine = self._store.engine
        dead_letters, directory = DeadLetters(engine), self._directory
        admission = Admission(
            self._writer,
            lambda: directory.tenant_index,
            DeadLetterWriter(dead_letters),
            concurrency=ConcurrencyLimit(settings.queue_events, settings.queue_bytes),
            limits=RateLimits(settings.tenant_rate, settings.tenant_burst),
            large=self._large,
            announcer=self._announcer,
        )
        times, progress = RequestTimes(), Progress(engine)
        pressure = Pressure(
            self._store,
            admission.concurrency,
            self.memory,
            times,
            self.short,
            progress,
            self._query_processes,
            assets.server,
        )
        self._ingest = IngestRoute(
            admission,
            self._authenticator,
            self._sites,
            settings.max_event_bytes,
            self.memory,
            times,
            self.connections.limits,
        )
        self._publishing = asyncio.ensure_future(pressure.keep_publishing())
        self._emitter = Emitter(
            EmitPeers(engine),
            EmitVersions(engine),
            EmitOutbox(engine),
            Outgoing(settings.outgoing_private),
            own_sink(admission, asyncio.get_running_loop()),
            settings.emit_secrets,
            self._wake_emit,
        )
        self._rest.state.services = make_services(
            settings,
            self._store,
            writer=self._writer,
            admission=admission,
            dead_letters=dead_letters,
            directory=directory,
            pressure=pressure,
            progress=progress,
            sign_in=make_sign_in(settings, self._authenticator, self._sites, self.connections.limits),
            assets=assets,
            emitter=self._emitter,
        )
        gc.collect()
        gc.set_threshold(200_000, 50, 50)  # records hold no cycles; looking for some every 700 of them costs a tenth
        gc.freeze()  # what is loaded now stays; later collections need not look at it again
