"""Lineage by hand: edges added, removed, hidden and shown; charts and dashboards made; the rule table."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.by_hand.make_thing import make_thing
from headwater.api.by_hand.service import LineageService, Written
from headwater.api.context import Context, ask, context_of, maker_of, render
from headwater.api.openapi.declare import NoQuery, declare
from headwater.api.openapi.query import read_query
from headwater.api.operators.request_body import body_as
from headwater.api.v2.edits import Made
from headwater.api.v2.query.list_page import heading, shown
from headwater.api.v2.query.list_parameters import PageQuery, Text
from headwater.graph.facts import Edit
from headwater.lineage.by_hand.listing import EDGE, EdgeItem, EdgePage, list_edges
from headwater.lineage.by_hand.request import EdgesAsk
from headwater.lineage.by_hand.rules import RULES
from headwater.lineage.edits.target import find_target
from headwater.openlineage.identity import stamp

__all__ = ["ROUTES", "EdgeChange", "EdgesAnswer", "answer_of"]


class EdgesBody(EdgesAsk, frozen=True, kw_only=True, forbid_unknown_fields=True):
    reason: Annotated[str, Meta(max_length=1000)] = ""
    by: Annotated[str, Meta(max_length=200)] = ""
    """Author of the change; the name of the key if none is given."""
    via: Literal["API", "CLI", "UI"] = "API"
    dry_run: bool = False
    """Report the changes without making them."""
    of: Annotated[str, Meta(max_length=8192)] | None = None
    """Whose edges If-Match is about; by default the end that all edges have in common."""


_Word = Annotated[str, Meta(max_length=1000)]
_Owners = Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=200)], ...], Meta(max_length=100)]
_Charts = Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=8192)], ...], Meta(max_length=1000)]


class CreateBody(Made, frozen=True, kw_only=True):
    name: Annotated[str, Meta(min_length=1, max_length=8192)]
    """chart:TOOL:ID, dashboard:TOOL:ID, dataset:NAMESPACE:NAME, job:NAMESPACE:NAME, or a URN."""
    title: _Word = ""
    url: _Word = ""
    tool: _Word = ""
    description: Annotated[str, Meta(max_length=100_000)] = ""
    owners: _Owners = ()
    charts: _Charts = ()
    """Of a dashboard: the charts on it."""


class EdgeChange(Struct, frozen=True, kw_only=True):
    """Result for one edge."""

    edge: str
    source: str
    target: str
    change: str
    """added, changed, already there, removed, not there, hidden, already hidden, shown, not hidden."""
    is_hidden: bool = False
    """Of an edge to add: somebody hid it before, so that it is not seen until it is shown again."""


class EdgesAnswer(Struct, frozen=True, kw_only=True):
    """Changes of a request, made or planned."""

    changed: bool
    dry_run: bool
    edges: list[EdgeChange]
    created: list[str]
    """Ends that were made."""
    edits: list[str]
    """The changes, by which they can be taken back."""
    counts: dict[str, int]
    """How many edges were added, removed ..."""


class RuleItem(Struct, frozen=True, kw_only=True):
    downstream: str
    upstream: list[str]
    """Types that may feed it."""


class RulesAnswer(Struct, frozen=True, kw_only=True):
    rules: list[RuleItem]


class CreateAnswer(Struct, frozen=True, kw_only=True):
    id: str
    type: str
    changed: bool
    edges: list[EdgeChange]


class EdgeQuery(PageQuery, frozen=True, kw_only=True):
    name: Annotated[Text, Meta(description="Only those of this dataset, chart, dashboard or job.")] | None = None


_EDGE = {
    "edge": "edge@5f0c7d3c8d1f2b9e4a6c1d2e3f405162",
    "source": "dataset:mysql:source_db.orders",
    "target": "job:airflow:etl_dag.load_orders",
    "change": "added",
}
_ANSWER = {
    "changed": True,
    "dry_run": False,
    "edges": [_EDGE],
    "created": [],
    "edits": ["edit:0a6c1d2e3f4051625f0c7d3c8d1f2b9e"],
    "counts": {"added": 1},
}
_ITEM = {
    "id": "edge@5f0c7d3c8d1f2b9e4a6c1d2e3f405162",
    "key": "edge@5f0c7d3c8d1f2b9e4a6c1d2e3f405162",
    "source": "dataset:mysql:source_db.orders",
    "target": "job:airflow:etl_dag.load_orders",
    "stated": True,
    "created": "2026-02-01T00:00:00Z",
    "created_by": "ann",
    "modified": "2026-02-01T00:00:00Z",
    "modified_by": "ann",
    "via": "CLI",
    "reason": "read by a script",
    "note": None,
    "transformation": None,
    "properties": {},
    "hidden": None,
}


@declare(
    "Add edges by hand, remove, hide and show them: all or nothing. Role editor.",
    answer=EdgesAnswer,
    body=EdgesBody,
    errors=(404, 412),
    example=_ANSWER,
    body_example={
        "add": [{"source": "dataset:mysql:source_db.orders", "target": "job:airflow:etl_dag.load_orders"}],
        "reason": "read by a script",
    },
)
async def change_lineage(request: Request) -> Response:
    context, body = await _read(request, EdgesBody)
    maker = maker_of(context, by=body.by, reason=body.reason, via=body.via)
    service = LineageService(context, maker, context.services.datahub_env)
    only_if = request.headers.get("if-match")
    written = await service.change(body, dry_run=body.dry_run, only_if=only_if, of=body.of)
    return render(await ask(answer_of, context, written, body.dry_run))


@declare(
    "Edges made or hidden by hand, each with who, when and why; with `name` those of one thing.",
    answer=EdgePage,
    tables=heading(EdgeItem),
    query=EdgeQuery,
    errors=(404,),
    example={"items": [_ITEM], "total": 1, "next": None, "version": "8f14e45fceea167a5a36dedd"},
)
async def get_edges(request: Request) -> Response:
    query = read_query(request, EdgeQuery)
    page = await ask(_edges, context_of(request), query)
    response = shown(request, query, page, EdgeItem)
    response.headers["etag"] = f'W/"{page.version}"'
    return response


@declare(
    "What may feed what, of edges made by hand.",
    answer=RulesAnswer,
    example={"rules": [{"downstream": "chart", "upstream": ["dataset", "chart"]}]},
)
async def get_rules(request: Request) -> Response:
    read_query(request, NoQuery)
    items = [
        RuleItem(downstream=rule.downstream.value, upstream=[kind.value for kind in rule.upstream]) for rule in RULES
    ]
    return render(RulesAnswer(rules=items))


@declare(
    "Make a chart or a dashboard, or describe it anew; or a dataset or job that no event names. Role editor.",
    answer=CreateAnswer,
    body=CreateBody,
    errors=(404,),
    example={"id": "dataset:looker:dashboard.sales", "type": "dashboard", "changed": True, "edges": []},
    body_example={"name": "dashboard:looker:sales", "title": "Sales", "url": "https://looker.example/d/1"},
)
async def create(request: Request) -> Response:
    context, body = await _read(request, CreateBody)
    maker = maker_of(context, by=body.by, reason=body.reason, via=body.via)
    service = LineageService(context, maker, context.services.datahub_env)
    end, changed, written = await make_thing(context, service, body)
    edges = [] if written is None else _changes(written)
    changed = changed or any(edge.change == "added" for edge in edges)
    return render(CreateAnswer(id=end.shown, type=end.type.value, changed=changed, edges=edges))


def answer_of(context: Context, written: Written, dry_run: bool) -> EdgesAnswer:
    edges = _changes(written)
    return EdgesAnswer(
        changed=written.event is not None or bool(written.plan.created and not dry_run),
        dry_run=dry_run,
        edges=edges,
        created=[end.shown for end in written.plan.created],
        edits=_edits_of(context, written),
        counts=dict(Counter(edge.change for edge in edges)),
    )


def _changes(written: Written) -> list[EdgeChange]:
    return [
        EdgeChange(
            edge=f"{EDGE}{outcome.edge.hex()}",
            source=outcome.source.shown,
            target=outcome.target.shown,
            change=outcome.change,
            is_hidden=outcome.is_hidden,
        )
        for outcome in written.plan.outcomes
    ]


def _edits_of(context: Context, written: Written) -> list[str]:
    """The changes that the event made."""
    if written.event is None:
        return []
    at = stamp(*written.event)
    return sorted(f"edit:{edit.edit.hex()}" for edit in context.reader.facts(context.tenant.id, Edit, stamp=at))


def _edges(context: Context, query: EdgeQuery) -> EdgePage:
    target = None if query.name is None else find_target(context.reader, context.tenant.id, query.name)
    return list_edges(context.reader, context.tenant.id, target, query.cursor, query.limit)


async def _read(request: Request, kind: type[Any]) -> tuple[Context, Any]:
    read_query(request, NoQuery)
    return context_of(request), await body_as(request, kind)


ROUTES = [
    Route("/api/v2/edits/lineage", change_lineage, methods=["POST"]),
    Route("/api/v2/edits/edges", get_edges),
    Route("/api/v2/edits/rules", get_rules),
    Route("/api/v2/edits/create", create, methods=["POST"]),
]
