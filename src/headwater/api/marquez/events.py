"""The raw run events."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from headwater.api.context import ask, context_of, render
from headwater.api.marquez.route import MarquezRoute, choice, page_of, time_of, view_of
from headwater.lineage.marquez.events import event_page, namespace_events

__all__ = ["ROUTES"]

_ALWAYS = 253_402_300_799_000_000
"""The end of the year 9999."""


async def list_events(request: Request) -> Response:
    view = view_of(context_of(request))
    after, before = time_of(request, "after", 0), time_of(request, "before", _ALWAYS)
    descending = choice(request, "sortDirection", "DESC", "DESC", "ASC") == "DESC"
    page = page_of(request)
    return render(await ask(event_page, view, after=after, before=before, descending=descending, **page))


async def list_namespace_events(request: Request) -> Response:
    """What Marquez' Python client asks for, though Marquez has no such route."""
    view, namespace = view_of(context_of(request)), request.path_params["namespace"]
    return render(await ask(namespace_events, view, namespace, **page_of(request)))


ROUTES = [
    MarquezRoute("/api/v1/events/lineage", list_events, ["GET"]),
    MarquezRoute("/api/v1/events", list_events, ["GET"]),
    MarquezRoute("/api/v1/events/{namespace}", list_namespace_events, ["GET"]),
]
