"""The ASGI application: ingest on its own short path, everything else through Starlette."""

from __future__ import annotations

import asyncio
import gc
import logging
from typing import Any

import sqlalchemy as sa
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response

from headwater.api import events, health, home, lineage, namespaces, questions
from headwater.api.context import Context
from headwater.api.errors import NotAllowed, error_body
from headwater.api.ingest import IngestRoute, is_ingest_path
from headwater.errors import HeadwaterError
from headwater.ingest.admission import Admission
from headwater.ingest.writer import GroupCommit
from headwater.lineage.errors import NodeNotFound
from headwater.settings import Settings
from headwater.store.failures import StoreUnavailable, is_outage, reason_of
from headwater.store.read import Reader
from headwater.store.sql import DEFAULT_TENANT, SqlStore

__all__ = ["Application"]

_log = logging.getLogger(__name__)
ROUTES = [*home.ROUTES, *health.ROUTES, *namespaces.ROUTES, *events.ROUTES, *lineage.ROUTES, *questions.ROUTES]


class Application:
    """One server process. Started and stopped by the ASGI lifespan."""

    def __init__(self, settings: Settings, store: SqlStore) -> None:
        self._settings = settings
        self._store = store
        self._ingest: IngestRoute | None = None
        self._writer: GroupCommit | None = None
        self._rest = Starlette(
            routes=ROUTES,
            exception_handlers={
                HeadwaterError: _render,
                sa.exc.SQLAlchemyError: _no_store,
                404: _no_route,
                405: _no_method,
                500: _failed,
            },
        )
        self._rest.router.redirect_slashes = False

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            if scope["method"] == "POST" and self._ingest is not None and is_ingest_path(scope["path"]):
                await self._ingest(scope, receive, send)
                return
            if len(scope["path"]) > 1 and scope["path"].endswith("/"):
                scope = {**scope, "path": scope["path"].rstrip("/") or "/"}
            await self._rest(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        else:
            await send({"type": "websocket.close", "code": 1000})

    async def _lifespan(self, receive: Any, send: Any) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                self._start()
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                if self._writer is not None:
                    await self._writer.stop()
                await asyncio.to_thread(self._store.close)
                await send({"type": "lifespan.shutdown.complete"})
                return

    def _start(self) -> None:
        settings = self._settings
        self._writer = GroupCommit(self._store, queue_events=settings.queue_events, queue_bytes=settings.queue_bytes)
        self._writer.start()
        self._ingest = IngestRoute(Admission(self._writer), DEFAULT_TENANT, settings.max_event_bytes)
        self._rest.state.context = Context(Reader(self._store.engine), DEFAULT_TENANT, self._writer)
        gc.collect()
        gc.freeze()  # what is loaded now stays; later collections need not look at it again


def _render(_: Request, error: Exception) -> Response:
    failure = error if isinstance(error, HeadwaterError) else HeadwaterError(str(error))
    status, body, headers = error_body(failure)
    return Response(body, status, {name.decode(): value.decode() for name, value in headers})


def _no_route(request: Request, _: Exception) -> Response:
    return _render(
        request, NodeNotFound(f"There is nothing at {request.url.path}.", hint="See docs/reference/http.md.")
    )


def _no_method(request: Request, error: Exception) -> Response:
    response = _render(request, NotAllowed(f"{request.method} is not allowed at {request.url.path}."))
    response.headers.update(getattr(error, "headers", None) or {})
    return response


def _no_store(request: Request, error: Exception) -> Response:
    """A question that the database could not answer. It may be back in a moment; anything else is a defect."""
    if not is_outage(error):
        return _failed(request, error)
    _log.error("the store does not answer", extra={"reason": reason_of(error), "route": request.url.path})
    return _render(
        request,
        StoreUnavailable("The database does not answer now.", hint="Ask again after the time in Retry-After."),
    )


def _failed(request: Request, error: Exception) -> Response:
    _log.error("a request failed", exc_info=error, extra={"route": request.url.path})
    return _render(
        request, HeadwaterError("The server failed to answer this request.", hint="Its log has the details.")
    )
