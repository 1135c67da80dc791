"""How many events, jobs, datasets and sources there were, by hour or by day."""

from __future__ import annotations

import time
from datetime import UTC, tzinfo
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from headwater.api.context import ask, context_of, render
from headwater.api.marquez.http.describe import describe
from headwater.api.marquez.http.examples import EVENT_COUNTS, NODE_COUNTS
from headwater.api.marquez.http.query import query_of
from headwater.api.marquez.http.records import EventCount, NodeCount
from headwater.api.marquez.http.refuse import Refused
from headwater.api.marquez.http.route import MarquezRoute, view_of
from headwater.graph.facts import NodeKind
from headwater.lineage.marquez.stats import event_stats, intervals, node_stats, source_stats

__all__ = ["ROUTES"]

_NODE_COUNTS = list[NodeCount]


class StatsQuery(Struct, frozen=True):
    period: Annotated[Literal["DAY", "WEEK"], Meta(description="24 hours, or 7 days.")] | None = None
    """Required; Marquez reports its absence in other words than that of other parameters."""
    timezone: Annotated[str, Meta(description="Whose days; UTC if none is named.", examples=["Europe/Berlin"])] = ""


@describe(
    "Events by type; for a week the time zone must be named.",
    answer=list[EventCount],
    query=StatsQuery,
    example=EVENT_COUNTS,
)
async def get_event_stats(request: Request) -> Response:
    query = query_of(request, StatsQuery)
    if query.period == "WEEK" and not query.timezone:
        raise Refused(400, "Timezone must be specified for period 'WEEK'")
    return render(await ask(event_stats, view_of(context_of(request)), _spans(query)))


@describe("How many jobs there were.", answer=_NODE_COUNTS, query=StatsQuery, example=NODE_COUNTS)
async def get_job_stats(request: Request) -> Response:
    spans = _spans(query_of(request, StatsQuery))
    return render(await ask(node_stats, view_of(context_of(request)), NodeKind.JOB, spans))


@describe("How many datasets there were.", answer=_NODE_COUNTS, query=StatsQuery, example=NODE_COUNTS)
async def get_dataset_stats(request: Request) -> Response:
    spans = _spans(query_of(request, StatsQuery))
    return render(await ask(node_stats, view_of(context_of(request)), NodeKind.DATASET, spans))


@describe("How many sources there were.", answer=_NODE_COUNTS, query=StatsQuery, example=NODE_COUNTS)
async def get_source_stats(request: Request) -> Response:
    spans = _spans(query_of(request, StatsQuery))
    return render(await ask(source_stats, view_of(context_of(request)), spans))


def _spans(query: StatsQuery) -> list[tuple[int, int]]:
    if query.period is None:
        raise Refused(400, "Invalid period")
    return intervals(query.period, _zone(query.timezone.strip() or "UTC"), time.time_ns() // 1000)


def _zone(name: str) -> tzinfo:
    if name in ("UTC", "Z", "GMT"):
        return UTC
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):  # ZoneInfoNotFoundError is a KeyError
        raise Refused(400, {"code": 400, "message": f"Invalid timezone: {name!r}"}) from None


ROUTES = [
    MarquezRoute("/api/v1/stats/lineage-events", get_event_stats, ["GET"]),
    MarquezRoute("/api/v1/stats/jobs", get_job_stats, ["GET"]),
    MarquezRoute("/api/v1/stats/datasets", get_dataset_stats, ["GET"]),
    MarquezRoute("/api/v1/stats/sources", get_source_stats, ["GET"]),
]
