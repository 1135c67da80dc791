"""The overlay's webhooks: a version was published or recalled. Answered 202 once that is durable."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import ask, context_of, render
from headwater.api.emit.examples import REQUESTED
from headwater.api.emit.records import Requested, VersionRequest
from headwater.api.openapi.declare import NoQuery, declare
from headwater.api.openapi.query import read_query
from headwater.api.operators.request_body import body_as

__all__ = ["ROUTES"]

_EXAMPLE = {"versionId": "CyhAIpDVkiER/naXP8LNCA==", "overlay": "prod"}


@declare(
    "Emit a version that was published.",
    answer=Requested,
    body=VersionRequest,
    status=202,
    body_example=_EXAMPLE,
    errors=(429,),
    example=REQUESTED,
)
async def publish(request: Request) -> Response:
    return await _requested(request, is_recall=False)


@declare(
    "Emit that a version was recalled.",
    answer=Requested,
    body=VersionRequest,
    status=202,
    body_example=_EXAMPLE,
    errors=(429,),
    example=REQUESTED,
)
async def recall(request: Request) -> Response:
    return await _requested(request, is_recall=True)


async def _requested(request: Request, *, is_recall: bool) -> Response:
    read_query(request, NoQuery)
    context, wanted = context_of(request), await body_as(request, VersionRequest)
    tenant, emitter = context.tenant, context.services.emitter
    context.services.admission.count(tenant, 1)
    overlay = await ask(emitter.request, tenant.id, wanted.overlay, [wanted.version_id], is_recall=is_recall)
    return render(Requested(wanted.version_id, overlay.name, overlay.namespace), 202)


ROUTES = [
    Route("/adapter/openlineage/publish", publish, methods=["POST"]),
    Route("/adapter/openlineage/recall", recall, methods=["POST"]),
    Route("/api/v2/emit/publish", publish, methods=["POST"]),
    Route("/api/v2/emit/recall", recall, methods=["POST"]),
]
