"""Times and errors that the web page reports: counted for Prometheus, never stored."""

from __future__ import annotations

import logging
import time
from typing import Annotated, Literal

from msgspec import Meta, Struct
from prometheus_client import Counter, Histogram
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import context_of
from headwater.api.openapi.declare import NoQuery, declare
from headwater.api.openapi.query import read_query
from headwater.api.operators.request_body import body_as
from headwater.openlineage.naming import clean

__all__ = ["ROUTES"]

_log = logging.getLogger(__name__)
_MOST_TIMES, _MOST_ERRORS = 100, 10
_LONGEST_MS = 600_000
_MOST_LOGGED = 20
"""Errors of pages that are logged in a minute."""
_BUCKETS = (1, 2.5, 5, 10, 16.7, 25, 33.3, 50, 100, 250, 500, 1000, 2500, 5000, 10_000)
_HISTOGRAMS = {
    "load": Histogram(
        "lineage_graph_load_ms", "Time until a page of the web page showed its first content.", buckets=_BUCKETS
    ),
    "picture": Histogram("lineage_graph_picture_ms", "Time from a question to its drawn picture.", buckets=_BUCKETS),
    "layout": Histogram("lineage_graph_layout_ms", "Time to lay out a picture in the browser.", buckets=_BUCKETS),
    "frame": Histogram("lineage_graph_frame_ms", "Time between two frames while a picture is moved.", buckets=_BUCKETS),
}
_ERRORS = Counter("lineage_graph_errors", "Errors in the web page, by kind.", ["kind"])
_NODES = Histogram(
    "lineage_graph_nodes", "Nodes of the pictures that were laid out.", buckets=(10, 30, 100, 300, 500, 1000, 2000)
)

Kind = Literal["load", "picture", "layout", "frame"]


class PageTime(Struct, forbid_unknown_fields=True):
    kind: Kind
    ms: Annotated[float, Meta(ge=0, le=_LONGEST_MS)]
    nodes: Annotated[int, Meta(ge=0, le=1_000_000)] | None = None


class PageError(Struct, forbid_unknown_fields=True):
    kind: Literal["thrown", "rejected", "drawn", "policy"]
    message: Annotated[str, Meta(max_length=2000)]
    page: Annotated[str, Meta(max_length=200)] = ""
    """The path, without its query."""


class PageReport(Struct, forbid_unknown_fields=True):
    times: Annotated[list[PageTime], Meta(max_length=_MOST_TIMES)] = []
    errors: Annotated[list[PageError], Meta(max_length=_MOST_ERRORS)] = []


@declare(
    "What the web page measured of itself, for the metrics.",
    answer=None,
    body=PageReport,
    status=204,
    body_example={"times": [{"kind": "layout", "ms": 8.5, "nodes": 31}], "errors": []},
)
async def take_report(request: Request) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    report = await body_as(request, PageReport)
    for one in report.times:
        _HISTOGRAMS[one.kind].observe(one.ms)
        if one.kind == "layout" and one.nodes is not None:
            _NODES.observe(one.nodes)
    for error in report.errors:
        _ERRORS.labels(error.kind).inc()
        if _may_log():
            extra = {"kind": error.kind, "page": clean(error.page), "who": context.identity.key_id}
            _log.warning("an error in the web page: %s", clean(error.message), extra=extra)
    return Response(status_code=204)


_logged: dict[int, int] = {}
"""By minute, of which only the newest is kept."""


def _may_log() -> bool:
    """Rate limit of reports a minute, over all senders."""
    minute = int(time.monotonic() // 60)
    if minute not in _logged:
        _logged.clear()
    _logged[minute] = _logged.get(minute, 0) + 1
    return _logged[minute] <= _MOST_LOGGED


ROUTES = [Route("/api/v2/page-reports", take_report, methods=["POST"])]
