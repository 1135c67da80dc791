"""Lineage by dataset and job, by column, and by run."""

from __future__ import annotations

from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response

from headwater.api.context import ask, context_of, render
from headwater.api.marquez.route import MarquezRoute, Refused, required, view_of, whole
from headwater.lineage.marquez.column_lineage import column_lineage
from headwater.lineage.marquez.lineage import marquez_lineage
from headwater.lineage.marquez.node_ids import parse_node_id
from headwater.lineage.marquez.run_lineage import upstream_runs

__all__ = ["ROUTES"]

_DEEPEST = 100


async def get_lineage(request: Request) -> Response:
    return await _lineage(request, required(request, "nodeId"))


async def get_node_lineage(request: Request) -> Response:
    """The same, for those who call the parameter `node`."""
    return await _lineage(request, required(request, "node"))


async def get_column_lineage(request: Request) -> Response:
    node, view = required(request, "nodeId"), view_of(context_of(request))
    parsed = parse_node_id(node)
    if parsed is None:
        raise Refused(404, {"code": 404, "message": "HTTP 404 Not Found"})
    downstream = request.query_params.get("withDownstream", "false").strip().lower() == "true"
    if downstream and parsed.version is not None:
        raise Refused(400, None)
    depth = _depth(request)
    return render(await ask(column_lineage, view, node, depth, downstream=downstream))


async def get_run_lineage(request: Request) -> Response:
    text = required(request, "runId")
    try:
        run = UUID(text).bytes
    except ValueError:
        raise Refused(404, {"code": 404, "message": "HTTP 404 Not Found"}) from None
    return render(await ask(upstream_runs, view_of(context_of(request)), run, _depth(request)))


async def _lineage(request: Request, node: str) -> Response:
    if parse_node_id(node) is None:
        raise Refused(404, {"code": 404, "message": "HTTP 404 Not Found"})
    return render(await ask(marquez_lineage, view_of(context_of(request)), node, _depth(request)))


def _depth(request: Request) -> int:
    return min(max(whole(request, "depth", 20, negative=True), 0), _DEEPEST)


ROUTES = [
    MarquezRoute("/api/v1/lineage", get_lineage, ["GET"]),
    MarquezRoute("/openlineage/lineage", get_node_lineage, ["GET"]),
    MarquezRoute("/api/v1/column-lineage", get_column_lineage, ["GET"]),
    MarquezRoute("/api/v1/runlineage/upstream", get_run_lineage, ["GET"]),
]
