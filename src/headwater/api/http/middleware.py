"""Steps of every request: allowed sites and addresses, an answer in any case, and its count."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, MutableMapping
from functools import lru_cache
from typing import Any

from starlette.routing import Match, Route

from headwater.api.errors import error_body
from headwater.errors import HeadwaterError
from headwater.ingest.metrics import API_5XX, API_REQUESTS, lineage_query

__all__ = ["SECURITY_HEADERS", "UNLESS_GIVEN", "Front", "count_events"]

_log = logging.getLogger(__name__)
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"})
_QUESTIONS = frozenset(
    {
        "/api/v2/lineage",
        "/api/v2/impact",
        "/api/v2/paths",
        "/api/v2/diff",
        "/api/v2/series",
        "/api/v1/lineage",
        "/api/v1/column-lineage",
        "/openlineage/lineage",
    }
)
_INGEST = "/api/v1/lineage"
_CONTENT = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
SECURITY_HEADERS = [
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
]
"""On every answer."""
UNLESS_GIVEN = ((b"content-security-policy", _CONTENT.encode()), (b"cache-control", b"no-store"))
"""Headers of every answer that does not set them, as files of the web page do. Other pages need their own styles and
nothing else; answers belong to one tenant and must not be cached.
"""

_Application = Callable[[Any, Any, Any], Awaitable[None]]


class Front:
    """Calls the application."""

    def __init__(self, application: _Application, routes: list[Route], *, is_ingest: Callable[[str], bool]) -> None:
        self._application = application
        self._is_ingest = is_ingest
        self._routes = routes
        self._matching = lru_cache(maxsize=1024)(self._match)
        self._paths = {route.path for route in routes}
        self._path_of = {route.endpoint: route.path for route in routes}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        began, path = time.perf_counter(), scope["path"]
        status, is_complete = 0, False

        async def note(message: MutableMapping[str, Any]) -> None:
            nonlocal status, is_complete
            if message["type"] == "http.response.start":
                status = message["status"]
                given = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [*message["headers"], *(it for it in UNLESS_GIVEN if it[0] not in given)]
            elif message["type"] == "http.response.body":
                is_complete = not message.get("more_body", False)
            await send(message)

        try:
            await self._application(scope, receive, note)
        except HeadwaterError as failure:
            if status:
                raise
            await _send_error(note, failure)
        except Exception as error:
            if not status:
                _log.exception("a request failed", extra={"route": path})
                await _send_error(
                    note, HeadwaterError("The server failed to answer this request.", hint="Its log has the details.")
                )
            elif not is_complete:  # the rest of the answer is missing, which closing the connection tells the client
                raise
            else:
                _log.debug("after the answer", exc_info=error)  # it was written down before it was answered
        finally:
            if status:
                self._count(scope, path, status, time.perf_counter() - began)

    def _count(self, scope: Any, path: str, status: int, seconds: float) -> None:
        method = scope["method"] if scope["method"] in _METHODS else "other"
        route = self._route(scope, path, method)
        API_REQUESTS.labels(route, method, str(status)).inc()
        if status >= 500:
            API_5XX.labels(route).inc()
        if route in _QUESTIONS and method == "GET":
            lineage_query.observe((route,), seconds * 1000)

    def _route(self, scope: Any, path: str, method: str) -> str:
        """The route as declared, so that there are few values: never a path made up by a client."""
        if method == "POST" and self._is_ingest(path):
            return path if path in self._paths else _INGEST
        known = self._path_of.get(scope.get("endpoint"))
        return known or self._matching(path.rstrip("/") or "/", scope.get("raw_path") or path.encode())

    def _match(self, path: str, raw_path: bytes) -> str:
        """The route of a request that another process answered."""
        if path in self._paths:
            return path
        scope = {"type": "http", "method": "GET", "path": path, "raw_path": raw_path}
        return next((route.path for route in self._routes if route.matches(scope)[0] is not Match.NONE), "other")


def count_events(status: int, count: int) -> None:
    """Count requests of single events that did not pass through here."""
    API_REQUESTS.labels(_INGEST, "POST", str(status)).inc(count)
    if status >= 500:
        API_5XX.labels(_INGEST).inc(count)


async def _send_error(send: Callable[[Any], Awaitable[None]], failure: HeadwaterError) -> None:
    status, body, headers = error_body(failure)
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
    await send({"type": "http.response.body", "body": body})
