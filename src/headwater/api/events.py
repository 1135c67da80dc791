"""The raw events, newest first, as Marquez lists them."""

from __future__ import annotations

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import ask, context_of, number, render
from headwater.lineage.errors import BadQuestion
from headwater.openlineage.event import EventKind
from headwater.openlineage.times import parse_time

__all__ = ["ROUTES"]


async def list_events(request: Request) -> Response:
    context = context_of(request)
    after = _time(request, "after", "1970-01-01T00:00:00Z")
    before = _time(request, "before", "9999-12-31T23:59:59Z")
    direction = request.query_params.get("sortDirection", "desc").lower()
    if direction not in ("asc", "desc"):
        raise BadQuestion(f"sortDirection must be asc or desc, not {direction!r}.", path="?sortDirection")
    limit, offset = number(request, "limit", 100, 0, 10_000), number(request, "offset", 0, 0, 1 << 31)
    window = {"after": after, "before": before, "kind": EventKind.RUN.value}
    found = await ask(
        context.reader.events, context.tenant.id, limit=limit, offset=offset, descending=direction == "desc", **window
    )
    total = await ask(context.reader.count_events, context.tenant.id, **window)
    return render({"events": [msgspec.Raw(event.body) for event in found], "totalCount": total})


def _time(request: Request, name: str, default: str) -> int:
    # A `+` in a query that was not escaped arrives as a blank.
    text = request.query_params.get(name, default).strip().replace(" ", "+")
    time = parse_time(text)
    if time is None:
        raise BadQuestion(
            f"{name} is no time: {text!r}.", path=f"?{name}", hint='Use ISO 8601: "2025-01-31T12:00:00Z".'
        )
    return time


ROUTES = [Route("/api/v1/events/lineage", list_events)]
