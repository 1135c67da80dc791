"""Routes whose parts may hold escaped slashes, and answers and errors in the way of Marquez."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route

from headwater.api.context import Context, maker_of, render
from headwater.api.marquez.http.refuse import Refused
from headwater.ingest.record_event import record
from headwater.lineage.edits.event import Remark, notes_event, now
from headwater.lineage.errors import NodeNotFound
from headwater.lineage.marquez.logged_event import API
from headwater.lineage.marquez.view import View

__all__ = ["MarquezRoute", "record_all", "record_notes", "view_of"]

Handler = Callable[[Request], Awaitable[Response]]


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


async def record_notes(context: Context, remarks: list[Remark]) -> None:
    """Append a change by hand to the tenant's log."""
    if remarks:
        await record(context.writer, context.tenant, notes_event(now(), remarks, maker_of(context, via="MARQUEZ"), API))


async def record_all(context: Context, *bodies: bytes) -> None:
    """Append events of Headwater's own to the tenant's log, one after the other."""
    for body in bodies:
        await record(context.writer, context.tenant, body, filters=True)


def _answering(endpoint: Handler) -> Handler:
    """Renders missing things and refusals in the words of Marquez."""

    @wraps(endpoint)
    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except NodeNotFound as error:
            return render({"code": 404, "message": error.message}, 404)
        except Refused as refused:
            return (
                Response(status_code=refused.status) if refused.body is None else render(refused.body, refused.status)
            )

    return answer
