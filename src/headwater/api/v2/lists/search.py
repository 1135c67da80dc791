"""Search over everything that has a name or a text."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import Context, ask, context_of
from headwater.api.openapi.declare import declare
from headwater.api.openapi.query import read_query
from headwater.api.v2.query.list_page import heading, shown
from headwater.api.v2.query.list_parameters import PageQuery, Text
from headwater.api.v2.records.examples import SEARCH_ANSWER
from headwater.deadline import NobodyWaits, TooLargeAnswer, TooSlow
from headwater.errors import HeadwaterError
from headwater.lineage.answer.records import Notice, SearchAnswer, SearchHit
from headwater.lineage.errors import BadQuestion
from headwater.lineage.lists.search import KINDS, search
from headwater.lineage.lists.semantic import search_by_meaning
from headwater.lineage.names.filters import place_ids

__all__ = ["ROUTES"]

_MOST_SECONDS = 5.0
"""Time for indexing what was committed just now; the answer reports whether some was left out."""
_Kind = Literal["dataset", "job", "sql", "location", "asset"]
_Mode = Literal["text", "semantic", "hybrid"]


class SearchQuery(PageQuery, frozen=True, kw_only=True):
    q: Annotated[
        Text,
        Meta(description="Words that must all occur; of the last the beginning is enough.", examples=["daily sal"]),
    ]
    kind: Annotated[tuple[_Kind, ...], Meta(description="Only these kinds.")] = ()
    namespace: Annotated[Text, Meta(description="Only datasets and jobs of this namespace.")] | None = None
    location: Annotated[Text, Meta(description="Only those of this location.")] | None = None
    mode: Annotated[
        _Mode,
        Meta(
            description="By words, by meaning, or by both. Meaning needs an embedding model of the tenant; "
            "if that fails, words answer, and `notice` says why."
        ),
    ] = "text"
    limit: Annotated[int, Meta(ge=1, le=1000, description="How many hits at most.")] = 20


@declare(
    "Search names, columns, descriptions, tags, owners and SQL; the best first.",
    answer=SearchAnswer,
    tables=heading(SearchHit),
    query=SearchQuery,
    example=SEARCH_ANSWER,
)
async def get_search(request: Request) -> Response:
    query = read_query(request, SearchQuery)
    return shown(request, query, await ask(_search, context_of(request), query), SearchHit)


def _search(context: Context, query: SearchQuery) -> SearchAnswer:
    reader, tenant = context.reader, context.tenant.id
    context.services.search.drain(tenant, seconds=_MOST_SECONDS)  # so that all is found that was committed before
    namespaces = place_ids(reader, tenant, query.namespace, query.location)
    kinds = [KINDS[kind] for kind in query.kind if kind in KINDS]
    notice = None
    if query.mode != "text":
        try:
            return search_by_meaning(
                reader,
                context.tenant,
                context.services.semantic,
                query.q,
                mode=query.mode,
                kinds=query.kind,
                namespaces=namespaces,
                cursor=query.cursor,
                limit=query.limit,
            )
        except (BadQuestion, TooSlow, TooLargeAnswer, NobodyWaits):
            raise
        except HeadwaterError as error:  # the model's part; words need none
            if query.cursor is not None or (query.kind and not kinds):  # nothing that words can go on with
                raise
            notice = Notice(error.code, error.message, error.hint)
    if query.kind and not kinds:
        raise BadQuestion(
            "Assets are only found by their meaning.", path="?kind", hint="Ask with mode=semantic or mode=hybrid."
        )
    answer = search(
        reader,
        tenant,
        query.q,
        kinds=kinds,
        namespaces=namespaces,
        cursor=query.cursor,
        limit=query.limit,
    )
    return answer if notice is None else msgspec.structs.replace(answer, notice=notice)


ROUTES = [Route("/api/v2/search", get_search)]
