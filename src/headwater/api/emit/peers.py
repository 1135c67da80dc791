"""Overlays and sinks of a tenant: configured, listed, removed, resumed."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import ask, context_of, render
from headwater.api.emit.examples import OVERLAY, SINK
from headwater.api.emit.records import OverlayItem, OverlayList, Removed, SinkItem, SinkList
from headwater.api.openapi.declare import NoQuery, declare
from headwater.api.openapi.query import read_query
from headwater.api.operators.request_body import body_as, moment
from headwater.emit.check import CheckPage
from headwater.emit.configuration import Overlay, Sink
from headwater.emit.emitter import Emitter
from headwater.lineage.errors import NodeNotFound
from headwater.store.emit import outbox as states

__all__ = ["ROUTES"]

_SUMS = ("versions", "missing", "failed", "requested", "waiting", "unsent", "dead")


@declare(
    "Configure an overlay, or configure it again.",
    answer=OverlayItem,
    body=Overlay,
    errors=(502,),
    example=OVERLAY,
    body_example={"name": "prod", "url": "https://overlay.example.com", "producer_host": "lineage.example.com"},
)
async def put_overlay(request: Request) -> Response:
    read_query(request, NoQuery)
    context, overlay = context_of(request), await body_as(request, Overlay)
    await ask(context.services.emitter.put_overlay, context.tenant, overlay)
    found = await ask(_overlays, context.services.emitter, context.tenant.id)
    return render(next(item for item in found if item.name == overlay.name))


@declare("Overlays.", answer=OverlayList, example={"overlays": [OVERLAY]})
async def list_overlays(request: Request) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    return render(OverlayList(await ask(_overlays, context.services.emitter, context.tenant.id)))


@declare("Remove an overlay; what was emitted stays.", answer=Removed, errors=(404,), example={"removed": True})
async def remove_overlay(request: Request) -> Response:
    read_query(request, NoQuery)
    context, name = context_of(request), request.path_params["name"]
    if not await ask(context.services.emitter.peers.remove_overlay, context.tenant.id, name):
        raise NodeNotFound(f"There is no overlay {name[:100]!r}.", hint="GET /api/v2/emit/overlays lists them.")
    return render(Removed(True))


@declare(
    "Configure a sink, or configure it again.",
    answer=SinkItem,
    body=Sink,
    errors=(502,),
    example=SINK,
    body_example={"name": "marquez", "kind": "marquez", "url": "https://marquez.example.com"},
)
async def put_sink(request: Request) -> Response:
    read_query(request, NoQuery)
    context, sink = context_of(request), await body_as(request, Sink)
    await ask(context.services.emitter.put_sink, context.tenant, sink)
    found = await ask(_sinks, context.services.emitter, context.tenant.id)
    return render(next(item for item in found if item.name == sink.name))


@declare("Sinks, with what waits for each.", answer=SinkList, example={"sinks": [SINK]})
async def list_sinks(request: Request) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    return render(SinkList(await ask(_sinks, context.services.emitter, context.tenant.id)))


@declare("Remove a sink and the events that are for it.", answer=Removed, errors=(404,), example={"removed": True})
async def remove_sink(request: Request) -> Response:
    read_query(request, NoQuery)
    context, name = context_of(request), request.path_params["name"]
    if not await ask(context.services.emitter.peers.remove_sink, context.tenant.id, name):
        raise _no_sink(name)
    return render(Removed(True))


@declare("Let a paused sink have its events again.", answer=SinkItem, errors=(404,), example=SINK)
async def resume_sink(request: Request) -> Response:
    read_query(request, NoQuery)
    context, name = context_of(request), request.path_params["name"]
    if not await ask(context.services.emitter.resume, context.tenant.id, name):
        raise _no_sink(name)
    found = await ask(_sinks, context.services.emitter, context.tenant.id)
    return render(next(item for item in found if item.name == name))


def _overlays(emitter: Emitter, tenant: int) -> list[OverlayItem]:
    found = []
    for row in emitter.peers.overlays(tenant):
        overlay = msgspec.json.decode(row.configuration, type=Overlay)
        checked = msgspec.json.decode(row.check_result, type=CheckPage) if row.check_result else None
        result = None if checked is None else {name: getattr(checked, name) for name in _SUMS}
        found.append(
            OverlayItem(
                **msgspec.structs.asdict(overlay),
                namespace=overlay.namespace,
                checked_at=moment(row.checked_at),
                check_result=result,
            )
        )
    return found


def _sinks(emitter: Emitter, tenant: int) -> list[SinkItem]:
    counts = emitter.outbox.count(tenant)
    found = []
    for row in emitter.peers.sinks(tenant):
        sink = msgspec.json.decode(row.configuration, type=Sink)
        pending, sent, dead = (counts.get((row.name, state), 0) for state in (states.PENDING, states.SENT, states.DEAD))
        more: dict[str, Any] = {
            "state": row.state,
            "reason": row.reason,
            "pending": pending,
            "sent": sent,
            "dead": dead,
        }
        found.append(SinkItem(**msgspec.structs.asdict(sink), **more))
    return found


def _no_sink(name: str) -> NodeNotFound:
    return NodeNotFound(f"There is no sink {name[:100]!r}.", hint="GET /api/v2/emit/sinks lists them.")


ROUTES = [
    Route("/api/v2/emit/overlays", put_overlay, methods=["POST"]),
    Route("/api/v2/emit/overlays", list_overlays, methods=["GET"]),
    Route("/api/v2/emit/overlays/{name}", remove_overlay, methods=["DELETE"]),
    Route("/api/v2/emit/sinks", put_sink, methods=["POST"]),
    Route("/api/v2/emit/sinks", list_sinks, methods=["GET"]),
    Route("/api/v2/emit/sinks/{name}", remove_sink, methods=["DELETE"]),
    Route("/api/v2/emit/sinks/{name}/resume", resume_sink, methods=["POST"]),
]
