"""Upstream and downstream of a thing."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import ask, context_of, render
from headwater.api.openapi.declare import declare
from headwater.api.openapi.query import read_query
from headwater.api.v2.query.moment_parameters import Direction, Name, WindowQuery, window_of
from headwater.api.v2.records.walk import LineageAnswer
from headwater.graph.walk import NODE_LIMIT
from headwater.lineage.walk.lineage import lineage

__all__ = ["ROUTES"]

Text = Annotated[str, Meta(min_length=1)]


class LineageQuery(WindowQuery, frozen=True, kw_only=True):
    name: Name
    direction: Direction = "both"
    depth: Annotated[int, Meta(ge=1, le=50, description="How many steps to go.")] = 5
    granularity: (
        Annotated[
            Literal["OPERATION", "RUN", "JOB", "DATASET", "COLUMN"],
            Meta(
                description="What stands between datasets; COLUMN is about columns instead. Default: as the start is."
            ),
        ]
        | None
    ) = None
    current: Annotated[bool, Meta(description="Only what is current: the graph as of now.")] = False
    columns: Annotated[bool, Meta(description="With the column lineage between the datasets of the answer.")] = False
    indirect: Annotated[bool, Meta(description="Filters, joins and the like count as column lineage.")] = True
    masked: (
        Annotated[bool, Meta(description="Only columns that values reach masked (true), or bare (false).")] | None
    ) = None
    location: Annotated[
        tuple[Text, ...],
        Meta(description="Only datasets there: a namespace, an address, or a kind such as s3.", examples=["s3"]),
    ] = ()
    job_type: Annotated[
        tuple[Text, ...], Meta(description="Only flows through jobs of this type.", examples=["SPARK_APPLICATION"])
    ] = ()
    tag: Annotated[
        tuple[Text, ...], Meta(description="Only datasets and columns with one of these tags.", examples=["pii"])
    ] = ()
    origin: Annotated[tuple[Text, ...], Meta(description="Only flows of this origin.", examples=["openlineage"])] = ()
    show_hidden: Annotated[bool, Meta(description="With edges that somebody hid by hand, marked.")] = False
    symlinks: Annotated[
        Literal["hide", "keep"], Meta(description="All names of a dataset as one node, or each as its own.")
    ] = "hide"
    unfold: Annotated[
        bool, Meta(description="The parts of an application, DAG or dbt invocation as nodes of their own.")
    ] = False
    limit: Annotated[int, Meta(ge=1, le=NODE_LIMIT, description="How many nodes at most, each way.")] = NODE_LIMIT


@declare("What lies up- and downstream.", answer=LineageAnswer, query=LineageQuery, errors=(404,), group="Questions")
async def get_lineage(request: Request) -> Response:
    context, query = context_of(request), read_query(request, LineageQuery)
    answer = await ask(
        lineage,
        context.reader,
        context.tenant.id,
        query.name,
        window=window_of(query),
        direction=query.direction,
        depth=query.depth,
        granularity=query.granularity,
        current=query.current,
        columns=query.columns,
        indirect=query.indirect,
        masked=query.masked,
        locations=query.location,
        job_types=query.job_type,
        tags=query.tag,
        origins=query.origin,
        shows_hidden=query.show_hidden,
        keep_symlinks=query.symlinks == "keep",
        unfold=query.unfold,
        node_limit=query.limit,
        metrics=context.services.metrics,
    )
    return render(answer)


ROUTES = [Route("/api/v2/lineage", get_lineage)]
