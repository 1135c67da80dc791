"""Routes whose parts may hold escaped slashes, and answers and errors in the way of Marquez."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route

from headwater.api.context import Context, context_of, render
from headwater.ingest.record import record
from headwater.lineage.errors import NodeNotFound
from headwater.lineage.marquez.view import View
from headwater.openlineage.times import parse_time

__all__ = ["MarquezRoute", "Refused", "choice", "page_of", "record_all", "required", "time_of", "view_of", "whole"]

Handler = Callable[[Request], Awaitable[Response]]
_NOT_FOUND = {"code": 404, "message": "HTTP 404 Not Found"}


class Refused(Exception):
    """An answer other than the one that was asked for."""

    def __init__(self, status: int, body: dict[str, Any] | None) -> None:
        super().__init__(status)
        self.status, self.body = status, body


class MarquezRoute(Route):
    """Matches the path as it was sent: a namespace such as `s3:%2F%2Flake` is one part of it."""

    def __init__(self, path: str, endpoint: Handler, methods: list[str]) -> None:
        super().__init__(path, _answering(endpoint), methods=methods, name=f"{endpoint.__module__}.{endpoint.__name__}")
        pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(path))
        self._raw = re.compile(f"^{pattern}$")

    def matches(self, scope: Any) -> tuple[Match, Any]:
        if scope["type"] != "http":
            return Match.NONE, {}
        raw = scope.get("raw_path") or scope["path"].encode()
        match = self._raw.match(raw.partition(b"?")[0].decode("latin-1").rstrip("/"))
        if match is None:
            return Match.NONE, {}
        parameters = {**scope.get("path_params", {}), **{key: unquote(it) for key, it in match.groupdict().items()}}
        child = {"endpoint": self.endpoint, "path_params": parameters}
        fits = not self.methods or scope["method"] in self.methods
        return (Match.FULL if fits else Match.PARTIAL), child


def view_of(context: Context) -> View:
    services = context.services
    return View(context.reader, services.listing, services.activity, context.tenant.id)


async def record_all(context: Context, *bodies: bytes) -> None:
    """Append events of Headwater's own to the tenant's log, one after the other."""
    for body in bodies:
        await record(context.writer, context.tenant, body)


def page_of(request: Request) -> dict[str, int]:
    return {"limit": whole(request, "limit", 100), "offset": whole(request, "offset", 0)}


def whole(request: Request, name: str, default: int, *, negative: bool = False) -> int:
    """A whole number out of the query; what is none is no address of anything, as in Marquez."""
    text = request.query_params.get(name)
    if text is None:
        return default
    try:
        value = int(text)
    except ValueError:
        raise Refused(404, _NOT_FOUND) from None
    if not -(1 << 31) <= value < 1 << 31:
        raise Refused(404, _NOT_FOUND)
    if value < 0 and not negative:
        raise Refused(400, {"errors": [f"query param {name} must be greater than or equal to 0"]})
    return value


def required(request: Request, name: str) -> str:
    value = request.query_params.get(name)
    if value is None:
        raise Refused(400, {"errors": [f"query param {name} must not be null"]})
    return value


def choice(request: Request, name: str, default: str | None, *choices: str) -> str | None:
    """One of these words, whatever its case."""
    text = request.query_params.get(name)
    if text is None:
        return default
    if text.strip().upper() not in choices:
        raise Refused(400, {"code": 400, "message": f"query param {name} must be one of [{', '.join(choices)}]"})
    return text.strip().upper()


def time_of(request: Request, name: str, default: int) -> int:
    # A `+` in a query that was not escaped arrives as a blank.
    text = request.query_params.get(name)
    time = parse_time(text.strip().replace(" ", "+")) if text is not None else default
    if time is None:
        raise Refused(400, {"code": 400, "message": f"query param {name} is no time: {text!r}"})
    return time


def _answering(endpoint: Handler) -> Handler:
    """What is not there, and what is refused, is said in the words of Marquez."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except NodeNotFound as error:
            return render({"code": 404, "message": error.message}, 404)
        except Refused as refused:
            return (
                Response(status_code=refused.status) if refused.body is None else render(refused.body, refused.status)
            )

    answer.__doc__ = endpoint.__doc__
    return answer


def context_and_view(request: Request) -> tuple[Context, View]:
    context = context_of(request)
    return context, view_of(context)
