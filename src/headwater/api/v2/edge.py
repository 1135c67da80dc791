"""One flow between two datasets, explained."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import ask, context_of, render
from headwater.api.openapi.declare import declare
from headwater.api.openapi.query import Time, read_query, time_in
from headwater.api.v2.records.picture_examples import EDGE
from headwater.lineage.edge.answer import Edge
from headwater.lineage.edge.edge import explained_edge
from headwater.store.read.shapes.current_shapes import Window

__all__ = ["ROUTES"]

_Dataset = Annotated[
    str, Meta(min_length=1, description="A dataset, by name or key.", examples=["dataset:s3://lake:sales/daily"])
]
_Column = Annotated[str, Meta(min_length=1, description="Only edges of this column.")]


class EdgeQuery(Struct, frozen=True, kw_only=True):
    source: _Dataset = field(name="from")
    target: _Dataset = field(name="to")
    via: (
        Annotated[
            str,
            Meta(min_length=1, description="Only through this job.", examples=["job:shop:build_daily_sales"]),
        ]
        | None
    ) = None
    from_column: _Column | None = None
    to_column: _Column | None = None
    as_of: Annotated[Time, Meta(description="The graph as it was at this time; of a day, at its end.")] | None = None


@declare(
    "The flow from one dataset into another, explained: jobs, columns, SQL, runs, amounts.",
    answer=Edge,
    query=EdgeQuery,
    errors=(404,),
    example=EDGE,
    group="Questions",
)
async def get_edge(request: Request) -> Response:
    context, query = context_of(request), read_query(request, EdgeQuery)
    answer = await ask(
        explained_edge,
        context.reader,
        context.tenant.id,
        query.source,
        query.target,
        via=query.via,
        from_column=query.from_column,
        to_column=query.to_column,
        window=Window(as_of=time_in(query.as_of, "as_of", "last")),
    )
    return render(answer)


ROUTES = [Route("/api/v2/edge", get_edge)]
