"""How many events, jobs, datasets and sources there were, by hour or by day."""

from __future__ import annotations

import time
from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo

from starlette.requests import Request
from starlette.responses import Response

from headwater.api.context import ask, context_of, render
from headwater.api.marquez.route import MarquezRoute, Refused, view_of
from headwater.graph.facts import NodeKind
from headwater.lineage.marquez.stats import event_stats, intervals, node_stats, source_stats

__all__ = ["ROUTES"]


async def get_event_stats(request: Request) -> Response:
    return render(await ask(event_stats, view_of(context_of(request)), _spans(request)))


async def get_job_stats(request: Request) -> Response:
    return render(await ask(node_stats, view_of(context_of(request)), NodeKind.JOB, _spans(request)))


async def get_dataset_stats(request: Request) -> Response:
    return render(await ask(node_stats, view_of(context_of(request)), NodeKind.DATASET, _spans(request)))


async def get_source_stats(request: Request) -> Response:
    return render(await ask(source_stats, view_of(context_of(request)), _spans(request)))


def _spans(request: Request) -> list[tuple[int, int]]:
    period = request.query_params.get("period", "").strip().upper()
    if period not in ("DAY", "WEEK"):
        raise Refused(400, {"code": 400, "message": "Invalid period"})
    return intervals(period, _zone(request), time.time_ns() // 1000)


def _zone(request: Request) -> tzinfo:
    name = request.query_params.get("timezone", "UTC").strip() or "UTC"
    if name in ("UTC", "Z", "GMT"):
        return UTC
    try:
        return ZoneInfo(name)
    except (ValueError, OSError):  # also what is not known: ZoneInfoNotFoundError is a KeyError
        raise Refused(400, {"code": 400, "message": f"Invalid timezone: {name!r}"}) from None
    except KeyError:
        raise Refused(400, {"code": 400, "message": f"Invalid timezone: {name!r}"}) from None


ROUTES = [
    MarquezRoute("/api/v1/stats/lineage-events", get_event_stats, ["GET"]),
    MarquezRoute("/api/v1/stats/jobs", get_job_stats, ["GET"]),
    MarquezRoute("/api/v1/stats/datasets", get_dataset_stats, ["GET"]),
    MarquezRoute("/api/v1/stats/sources", get_source_stats, ["GET"]),
]
