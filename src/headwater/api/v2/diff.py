"""The difference between two moments."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import ask, context_of, render
from headwater.api.openapi.declare import declare
from headwater.api.openapi.query import Time, present, read_query, time_in
from headwater.api.v2.query.moment_parameters import Direction, Name
from headwater.api.v2.records.walk import DiffAnswer
from headwater.lineage.difference.diff import diff

__all__ = ["ROUTES"]


class DiffQuery(Struct, frozen=True, kw_only=True):
    earlier: Annotated[Time, Meta(description="The one moment; of a day, its beginning.")] = field(name="from")
    later: Annotated[Time, Meta(description="The other, not before it; of a day, its end. Default: now.")] | None = (
        field(name="to", default=None)
    )
    name: Name | None = None
    direction: Direction = "both"
    depth: Annotated[int, Meta(ge=1, le=50, description="With `name`: how many steps to go.")] = 5


@declare("What changed between two moments.", answer=DiffAnswer, query=DiffQuery, errors=(404,), group="Questions")
async def get_diff(request: Request) -> Response:
    context, query = context_of(request), read_query(request, DiffQuery)
    now = present()
    earlier, later = time_in(query.earlier, "from", now=now) or 0, time_in(query.later, "to", "last", now)
    answer = await ask(
        diff,
        context.reader,
        context.tenant.id,
        earlier,
        now if later is None else later,
        name=query.name,
        direction=query.direction,
        depth=query.depth,
    )
    return render(answer)


ROUTES = [Route("/api/v2/diff", get_diff)]
