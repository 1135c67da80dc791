"""The raw run events."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, field
from starlette.requests import Request
from starlette.responses import Response

from headwater.api.context import ask, context_of, render
from headwater.api.marquez.http.describe import describe
from headwater.api.marquez.http.examples import EVENT
from headwater.api.marquez.http.query import Moment, PageQuery, moment, page_of, query_of
from headwater.api.marquez.http.records import EventList, EventPage
from headwater.api.marquez.http.route import MarquezRoute, view_of
from headwater.lineage.marquez.events import event_page, namespace_events

__all__ = ["ROUTES"]

_ALWAYS = 253_402_300_799_000_000
"""The end of the year 9999."""


class EventsQuery(PageQuery, frozen=True, kw_only=True):
    after: Annotated[Moment, Meta(description="Events of this time or later.")] | None = None
    before: Annotated[Moment, Meta(description="Events before this time.")] | None = None
    sort_direction: Annotated[Literal["DESC", "ASC"], Meta(description="Newest or oldest first.")] = field(
        default="DESC", name="sortDirection"
    )
    run_id: Annotated[str, Meta(description="Only events of this run, which Marquez cannot choose.")] | None = field(
        default=None, name="runId"
    )


@describe(
    "Raw run events, newest first.",
    answer=EventPage,
    query=EventsQuery,
    errors=(404,),
    example={"events": [EVENT], "totalCount": 1},
)
async def list_events(request: Request) -> Response:
    view, query = view_of(context_of(request)), query_of(request, EventsQuery)
    after, before = moment("after", query.after, 0), moment("before", query.before, _ALWAYS)
    descending = query.sort_direction == "DESC"
    page, run = page_of(request), (query.run_id or "").strip() or None
    return render(await ask(event_page, view, after=after, before=before, descending=descending, run=run, **page))


@describe(
    "Raw events of a namespace's jobs, newest first.", answer=EventList, query=PageQuery, example={"events": [EVENT]}
)
async def list_namespace_events(request: Request) -> Response:
    """A route that Marquez' Python client calls, though Marquez does not have it."""
    view, namespace = view_of(context_of(request)), request.path_params["namespace"]
    return render(await ask(namespace_events, view, namespace, **page_of(request)))


ROUTES = [
    MarquezRoute("/api/v1/events/lineage", list_events, ["GET"]),
    MarquezRoute("/api/v1/events", list_events, ["GET"]),
    MarquezRoute("/api/v1/events/{namespace}", list_namespace_events, ["GET"]),
]
