"""Everything affected when a thing changes or goes."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import ask, context_of, render
from headwater.api.openapi.declare import declare
from headwater.api.openapi.query import read_query
from headwater.api.v2.query.moment_parameters import Format, Name, WindowQuery, as_csv, wants_csv, window_of
from headwater.api.v2.records.walk import ImpactAnswer
from headwater.graph.walk import NODE_LIMIT
from headwater.lineage.impact.impact import FIELDS, impact

__all__ = ["ROUTES"]


class ImpactQuery(WindowQuery, frozen=True, kw_only=True):
    name: Name | None = None
    tag: (
        Annotated[
            str, Meta(min_length=1, description="Instead of a name: all columns with this tag.", examples=["pii"])
        ]
        | None
    ) = None
    columns: Annotated[bool, Meta(description="Of a dataset: columns instead of datasets and jobs.")] | None = None
    masked: (
        Annotated[bool, Meta(description="Only columns that values reach masked (true), or bare (false).")] | None
    ) = None
    depth: Annotated[int, Meta(ge=1, le=50, description="How many steps to go.")] = 50
    order: Annotated[
        Literal["distance", "-distance", "paths", "-paths", "id", "-id", "kind", "-kind", "last_used", "-last_used"],
        Meta(description="By what the list is sorted; `-` turns it round."),
    ] = "distance"
    limit: Annotated[int, Meta(ge=1, le=NODE_LIMIT, description="How many nodes are looked at.")] = NODE_LIMIT
    format: Format | None = None


@declare(
    "What a change affects.",
    answer=ImpactAnswer,
    query=ImpactQuery,
    errors=(404,),
    tables=f"{','.join(FIELDS)}\n",
    group="Questions",
)
async def get_impact(request: Request) -> Response:
    context, query = context_of(request), read_query(request, ImpactQuery)
    answer = await ask(
        impact,
        context.reader,
        context.tenant.id,
        query.name,
        tag=query.tag,
        masked=query.masked,
        by_column=query.columns,
        depth=query.depth,
        order=query.order,
        limit=query.limit,
        window=window_of(query),
        metrics=context.services.metrics,
    )
    return as_csv(FIELDS, answer["affected"]) if wants_csv(request, query.format) else render(answer)


ROUTES = [Route("/api/v2/impact", get_impact)]
