"""Loads the demo shop into an empty store, for administrators."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import ask, context_of, render
from headwater.api.errors import NotEmpty
from headwater.api.openapi.declare import NoQuery, declare
from headwater.api.openapi.query import read_query
from headwater.demo.shop import shop_events
from headwater.interpret.interpret import interpret
from headwater.openlineage.decode import decode_event
from headwater.openlineage.policy.apply import under_policy
from headwater.store.write.log import Entry, Tenant

__all__ = ["ROUTES"]

_TOGETHER = 200
"""Events that are read before others get their turn."""


class DemoLoaded(Struct):
    events: int


@declare(
    "Load an invented shop into an empty tenant. Role admin.",
    answer=DemoLoaded,
    status=201,
    errors=(409,),
    example={"events": 1932},
)
async def load_demo(request: Request) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    tenant = context.tenant
    if await ask(context.reader.has_events, tenant.id):
        raise NotEmpty(
            f"The tenant {tenant.code} has events already.",
            hint="Create another tenant for the demo: headwater tenant create demo.",
        )
    bodies = await ask(shop_events, datetime.now(UTC))
    for start in range(0, len(bodies), _TOGETHER):
        entries = await ask(_entries, tenant, bodies[start : start + _TOGETHER])
        failed = await context.writer.submit_all(entries)
        for failure in failed.values():
            raise failure
    return render(DemoLoaded(len(bodies)), 201)


def _entries(tenant: Tenant, bodies: list[bytes]) -> list[Entry]:
    now = time.time_ns() // 1000
    decoded = [under_policy(decode_event(body), tenant.facet_policy) for body in bodies]
    return [Entry(tenant, event, interpret(event, tenant.id), now) for event in decoded]


ROUTES = [Route("/api/v2/demo", load_demo, methods=["POST"])]
