"""Lineage around a node, in the shape of Marquez."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import ask, context_of, number, render
from headwater.lineage.errors import BadQuestion
from headwater.lineage.marquez import marquez_lineage

__all__ = ["ROUTES"]


async def get_lineage(request: Request) -> Response:
    context = context_of(request)
    node = request.query_params.get("nodeId")
    if not node:
        raise BadQuestion(
            "The parameter `nodeId` is missing.", path="?nodeId", hint="For example dataset:NAMESPACE:NAME."
        )
    depth = number(request, "depth", 20, 0, 100)
    return render(await ask(marquez_lineage, context.reader, context.tenant.id, node, depth))


ROUTES = [Route("/api/v1/lineage", get_lineage)]
