"""Liveness, readiness, status and metrics of the server."""

from __future__ import annotations

import os
import re

import sqlalchemy as sa
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater import __version__
from headwater.api.context import ask, context_of, render
from headwater.api.openapi.declare import declare
from headwater.api.operators.pipeline import PipelineMetrics
from headwater.api.operators.records import HealthAnswer, StatusAnswer
from headwater.api.operators.tasks.metrics import TaskMetrics
from headwater.store.dialects.failures import reason_of
from headwater.store.dialects.sqlite_space import DiskFull, check_space

__all__ = ["ROUTES"]

_TWO_NAMES = re.compile(rb"(# (HELP|TYPE) )?headwater_(api_requests|api_5xx)_total[ {]")
"""Metrics that the contract of overlays names without `headwater_`."""


@declare("Whether the process answers.", answer=HealthAnswer, query=None)
async def live(_: Request) -> Response:
    return render({"status": "up", "version": __version__})


@declare("Whether it can take events.", answer=HealthAnswer, query=None)
async def ready(request: Request) -> Response:
    """Ready when the database answers and its disk has space; after a failed batch, when it takes writes again."""
    context = context_of(request)
    problem = None
    try:
        await ask(context.reader.ping)
        await ask(check_space, context.reader.engine)
        if context.writer.last_error is not None:
            await ask(context.writer.probe)
    except (sa.exc.SQLAlchemyError, DiskFull) as error:
        problem = reason_of(error)
    checks = {"store": "down" if problem else "up"}
    if problem is None:
        return render({"status": "up", "checks": checks})
    response = render({"status": "down", "checks": checks, "reason": problem}, 503)
    response.headers["retry-after"] = "1"
    return response


@declare("What the process that answers is busy with.", answer=StatusAnswer, query=None)
async def status(request: Request) -> Response:
    """Current load of the process that answers."""
    return render(context_of(request).services.pressure.report())


@declare("Figures for Prometheus.", answer=str, query=None, media="text/plain")
async def metrics(request: Request) -> Response:
    services = context_of(request).services
    services.pressure.publish()
    stored = CollectorRegistry()
    stored.register(PipelineMetrics(services.progress))
    stored.register(TaskMetrics(services.tasks))
    text = generate_latest(_registry()) + await ask(generate_latest, stored)
    return Response(text + _under_other_names(text), media_type=CONTENT_TYPE_LATEST)


def _under_other_names(text: bytes) -> bytes:
    """Metrics with a second name, repeated under that name."""
    return b"".join(line.replace(b"headwater_", b"", 1) + b"\n" for line in text.splitlines() if _TWO_NAMES.match(line))


def _registry() -> CollectorRegistry:
    """The metrics of this process, or, where several share a folder for them, of all together."""
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return REGISTRY
    shared = CollectorRegistry()
    MultiProcessCollector(shared)  # type: ignore[no-untyped-call]
    return shared


ROUTES = [
    Route("/health/live", live),
    Route("/health/ready", ready),
    Route("/health/status", status),
    Route("/metrics", metrics),
]
