"""The moments at which something changed."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import ask, context_of, render
from headwater.api.openapi.declare import declare
from headwater.api.openapi.query import Time, present, read_query, time_in
from headwater.api.v2.query.list_parameters import PageQuery, Text
from headwater.lineage.change_list.answer import ChangeKind, ChangeList
from headwater.lineage.change_list.changes import changes

__all__ = ["ROUTES"]

_EXAMPLE = {
    "items": [
        {
            "at": "2026-01-15T08:00:00.000Z",
            "kind": "schema",
            "of": {
                "key": "dataset@2d9c3b5e7f104c1d8e6f0a1b2c3d4e5f",
                "id": "dataset:s3://lake:sales/daily",
                "kind": "dataset",
                "namespace": "s3://lake",
                "name": "sales/daily",
                "title": "daily",
            },
            "cause": {
                "run": "run:0197a5b0-7c4e-7d3a-9f21-5c6d7e8f9a0b",
                "job": "job:shop:build_daily_sales",
                "actor": None,
            },
            "what": {
                "code": "columns_changed",
                "arguments": {"added": 1, "removed": 0, "changed": 0, "columns": "currency"},
            },
        }
    ],
    "total": 1,
    "next": None,
    "since": "2026-01-09T00:00:00.000Z",
    "until": "2026-01-16T00:00:00.000Z",
    "truncated": False,
}


class ChangesQuery(PageQuery, frozen=True, kw_only=True):
    name: (
        Annotated[Text, Meta(description="Only of this dataset or job.", examples=["s3://lake:sales/daily"])] | None
    ) = None
    since: Annotated[Time, Meta(description="From this time on; default seven days before `until`.")] | None = None
    until: Annotated[Time, Meta(description="To this time, which counts too; default now.")] | None = None
    kind: Annotated[tuple[ChangeKind, ...], Meta(description="Only changes of this kind; may be repeated.")] = ()


@declare(
    "What changed, newest first: schemas, lineage, datasets that came or went, failed runs, edits.",
    answer=ChangeList,
    query=ChangesQuery,
    errors=(404,),
    example=_EXAMPLE,
    group="Questions",
)
async def get_changes(request: Request) -> Response:
    context, query, now = context_of(request), read_query(request, ChangesQuery), present()
    answer = await ask(
        changes,
        context.reader,
        context.tenant.id,
        query.name,
        since=time_in(query.since, "since", now=now),
        until=time_in(query.until, "until", "last", now),
        now=now,
        cursor=query.cursor,
        limit=query.limit,
        kinds=query.kind,
    )
    return render(answer)


ROUTES = [Route("/api/v2/changes", get_changes)]
