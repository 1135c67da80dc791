"""Namespaces, as Marquez lists them."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import ask, context_of, number, render
from headwater.graph.facts import Namespace
from headwater.openlineage.times import format_time

__all__ = ["ROUTES"]


async def list_namespaces(request: Request) -> Response:
    context = context_of(request)
    limit, offset = number(request, "limit", 100, 0, 1 << 31), number(request, "offset", 0, 0, 1 << 31)
    found = await ask(context.reader.facts, context.tenant.id, Namespace)
    found.sort(key=lambda namespace: namespace.text or "")
    return render({"namespaces": [_namespace(item) for item in found[offset : offset + limit]]})


def _namespace(item: Namespace) -> dict[str, Any]:
    seen = format_time(item.first_seen or 0)
    return {
        "name": item.text,
        "createdAt": seen,
        "updatedAt": seen,
        "ownerName": "anonymous",
        "description": None,
        "isHidden": False,
    }


ROUTES = [Route("/api/v1/namespaces", list_namespaces)]
