"""Load of the process that answers over the last day, for the page of operators."""

from __future__ import annotations

import os

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import context_of, render
from headwater.api.openapi.declare import declare
from headwater.ingest.load_history import SLOT_SECONDS
from headwater.lineage.answer.text_types import Instant
from headwater.openlineage.times import format_time

__all__ = ["ROUTES"]

_EXAMPLE = {
    "process": 4711,
    "slot_seconds": SLOT_SECONDS,
    "slots": [
        {
            "time": "2026-01-31T02:00:00Z",
            "requests": 1200,
            "p50_seconds": 0.0025,
            "p95_seconds": 0.01,
            "lag_events": 40,
            "lag_seconds": 2.5,
        }
    ],
}


class LoadSlot(Struct):
    time: Instant
    requests: int
    """Requests with events, each with one or many."""
    p50_seconds: float | None
    p95_seconds: float | None
    lag_events: int | None
    lag_seconds: float | None


class LoadAnswer(Struct):
    process: int
    slot_seconds: int
    slots: list[LoadSlot]
    """The last day; those in which nothing happened are left out."""


@declare("What the process that answers had to do in the last day.", answer=LoadAnswer, query=None, example=_EXAMPLE)
async def get_load(request: Request) -> Response:
    slots = context_of(request).services.pressure.history.slots()
    shown = [
        LoadSlot(
            format_time(slot.began * 1_000_000),
            slot.requests,
            slot.seconds_of(0.5),
            slot.seconds_of(0.95),
            slot.lag_events,
            slot.lag_seconds,
        )
        for slot in slots
    ]
    return render(LoadAnswer(os.getpid(), SLOT_SECONDS, shown))


ROUTES = [Route("/health/load", get_load)]
