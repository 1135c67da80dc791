"""Lineage by dataset and job, by column, and by run."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from headwater.api.context import ask, context_of, render
from headwater.api.marquez.http.describe import describe
from headwater.api.marquez.http.examples import COLUMN_GRAPH, LINEAGE, UPSTREAM
from headwater.api.marquez.http.query import Depth, query_of
from headwater.api.marquez.http.records import ColumnGraph, LineageGraph, UpstreamRuns
from headwater.api.marquez.http.refuse import NOT_FOUND, Refused, known_id
from headwater.api.marquez.http.route import MarquezRoute, view_of
from headwater.lineage.marquez.graph.by_column import column_lineage
from headwater.lineage.marquez.graph.by_node import marquez_lineage
from headwater.lineage.marquez.graph.by_run import upstream_runs
from headwater.lineage.marquez.graph.node_ids import parse_node_id

__all__ = ["ROUTES"]

_DEEPEST = 100
_Node = Annotated[
    str,
    Meta(
        description="dataset:NAMESPACE:NAME or job:NAMESPACE:NAME.",
        examples=["dataset:s3://lake:sales/daily"],
    ),
]


class LineageQuery(Struct, frozen=True, rename="camel"):
    node_id: _Node = ""
    node: Annotated[str, Meta(description="The same, for those who call it so; `nodeId` comes first.")] = ""
    depth: Depth = 20


class NodeIdQuery(Struct, frozen=True, rename="camel"):
    """Refuses in Marquez' words where neither is there."""

    node_id: _Node


class NodeQuery(Struct, frozen=True):
    node: _Node
    depth: Depth = 20


class ColumnQuery(Struct, frozen=True, rename="camel"):
    node_id: Annotated[
        str,
        Meta(
            description="datasetField:NAMESPACE:NAME:FIELD, a dataset, or a job; with #VERSION, as it was then.",
            examples=["datasetField:s3://lake:sales/daily:amount"],
        ),
    ]
    depth: Depth = 20
    with_downstream: Annotated[bool, Meta(description="Also where the columns go.")] = False


class UpstreamQuery(Struct, frozen=True, rename="camel"):
    run_id: Annotated[str, Meta(description="Id of a run.", examples=["0197a5b0-7c4e-7d3a-9f21-5c6d7e8f9a0b"])]
    depth: Depth = 20


@describe("The graph around a dataset or job.", answer=LineageGraph, query=LineageQuery, errors=(404,), example=LINEAGE)
async def get_lineage(request: Request) -> Response:
    query = query_of(request, LineageQuery)
    if not query.node_id and not query.node:
        query_of(request, NodeIdQuery)
    return await _lineage(request, query.node_id or query.node, query.depth)


@describe(
    "The graph around a dataset or job from events of producers alone: nothing inferred, nothing by hand.",
    answer=LineageGraph,
    query=NodeQuery,
    errors=(404,),
    example=LINEAGE,
)
async def get_node_lineage(request: Request) -> Response:
    query = query_of(request, NodeQuery)
    return await _lineage(request, query.node, query.depth, producers_only=True)


@describe(
    "Where columns come from, and with downstream where they go.",
    answer=ColumnGraph,
    query=ColumnQuery,
    errors=(404,),
    example=COLUMN_GRAPH,
)
async def get_column_lineage(request: Request) -> Response:
    query, view = query_of(request, ColumnQuery), view_of(context_of(request))
    parsed = parse_node_id(query.node_id)
    if parsed is None:
        raise Refused(404, NOT_FOUND)
    if query.with_downstream and parsed.version is not None:
        raise Refused(400, None)
    depth = max(_bounded(query.depth), 1)  # what a column is made of is one step, and always shown
    return render(await ask(column_lineage, view, query.node_id, depth, downstream=query.with_downstream))


@describe(
    "The runs that made what a run read.", answer=UpstreamRuns, query=UpstreamQuery, errors=(404,), example=UPSTREAM
)
async def get_run_lineage(request: Request) -> Response:
    query, view = query_of(request, UpstreamQuery), view_of(context_of(request))
    run = UUID(known_id(query.run_id)).bytes
    return render(await ask(upstream_runs, view, run, _bounded(query.depth)))


async def _lineage(request: Request, node: str, depth: int, *, producers_only: bool = False) -> Response:
    if parse_node_id(node) is None:
        raise Refused(404, NOT_FOUND)
    view = view_of(context_of(request))
    return render(await ask(marquez_lineage, view, node, _bounded(depth), producers_only=producers_only))


def _bounded(depth: int) -> int:
    return min(max(depth, 0), _DEEPEST)


ROUTES = [
    MarquezRoute("/api/v1/lineage", get_lineage, ["GET"]),
    MarquezRoute("/openlineage/lineage", get_node_lineage, ["GET"]),
    MarquezRoute("/api/v1/column-lineage", get_column_lineage, ["GET"]),
    MarquezRoute("/api/v1/runlineage/upstream", get_run_lineage, ["GET"]),
]
