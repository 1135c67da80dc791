"""The events of a run as they were sent."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import ask, context_of, render
from headwater.api.openapi.declare import declare
from headwater.api.openapi.query import read_query
from headwater.api.v2.query.list_parameters import PageQuery
from headwater.lineage.answer.records import Page
from headwater.lineage.entities.run_events import RunEvent, run_events

__all__ = ["ROUTES"]

_EXAMPLE = {
    "items": [
        {
            "event_time": "2026-01-15T08:00:00.000Z",
            "received_at": "2026-01-15T08:00:01.000Z",
            "type": "START",
            "warnings": [],
            "body": {
                "eventTime": "2026-01-15T08:00:00Z",
                "eventType": "START",
                "run": {"runId": "0197a5b0-7c4e-7d3a-9f21-5c6d7e8f9a0b"},
                "job": {"namespace": "shop", "name": "build_daily_sales"},
            },
        }
    ],
    "total": 2,
    "next": "WyJldmVudF90aW1lIiwxXQ",
}


@declare(
    "The events of a run or operation as they were sent, in the order of their times.",
    answer=Page[RunEvent],
    query=PageQuery,
    errors=(404,),
    example=_EXAMPLE,
)
async def get_run_events(request: Request) -> Response:
    context, query = context_of(request), read_query(request, PageQuery)
    run = request.path_params["id"]
    return render(await ask(run_events, context.reader, context.tenant.id, run, query.cursor, query.limit))


ROUTES = [Route("/api/v2/runs/{id:path}/events", get_run_events)]
