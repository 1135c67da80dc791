"""Search, in the two forms that Marquez has."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from headwater.api.context import ask, context_of, render
from headwater.api.marquez.http.describe import describe
from headwater.api.marquez.http.examples import DATASET_HITS, JOB_HITS, SEARCH
from headwater.api.marquez.http.query import query_of
from headwater.api.marquez.http.records import DatasetHits, JobHits, SearchResults
from headwater.api.marquez.http.refuse import Refused
from headwater.api.marquez.http.route import MarquezRoute, view_of
from headwater.graph.facts import NodeKind
from headwater.lineage.marquez.search import search, search_datasets, search_jobs
from headwater.openlineage.times import parse_time

__all__ = ["ROUTES"]

_Text = Annotated[str, Meta(min_length=1, description="A part of the name.", examples=["sales"])]
_Day = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$", examples=["2026-01-31"])]


class SearchQuery(Struct, frozen=True, kw_only=True):
    q: _Text
    filter: Annotated[Literal["DATASET", "JOB"], Meta(description="Only datasets, or only jobs.")] | None = None
    sort: Annotated[Literal["NAME", "UPDATE_AT"], Meta(description="By name, or newest change first.")] = "NAME"
    limit: Annotated[int, Meta(ge=0, le=(1 << 31) - 1, description="How many at most.")] = 10
    namespace: Annotated[str, Meta(description="Only those of this namespace.")] | None = None
    before: Annotated[_Day, Meta(description="Changed before this day began, in UTC.")] | None = None
    after: Annotated[_Day, Meta(description="Changed after this day began, in UTC.")] | None = None


class TextQuery(Struct, frozen=True):
    q: _Text


@describe(
    "Datasets and jobs by a part of the name.", answer=SearchResults, query=SearchQuery, errors=(404,), example=SEARCH
)
async def get_search(request: Request) -> Response:
    query = query_of(request, SearchQuery)
    found = await ask(
        search,
        view_of(context_of(request)),
        query.q.strip(),
        kind=NodeKind[query.filter] if query.filter else None,
        sort=query.sort,
        limit=query.limit,
        namespace=query.namespace or None,
        after=_day("after", query.after),
        before=_day("before", query.before),
    )
    return render(found)


@describe("Jobs with the facets of their newest event.", answer=JobHits, query=TextQuery, example=JOB_HITS)
async def get_job_search(request: Request) -> Response:
    query = query_of(request, TextQuery)
    return render(await ask(search_jobs, view_of(context_of(request)), query.q.strip()))


@describe("Datasets with the facets of their newest event.", answer=DatasetHits, query=TextQuery, example=DATASET_HITS)
async def get_dataset_search(request: Request) -> Response:
    query = query_of(request, TextQuery)
    return render(await ask(search_datasets, view_of(context_of(request)), query.q.strip()))


def _day(name: str, text: str | None) -> int | None:
    """The beginning of a day; there may be no such day."""
    time = parse_time(text) if text is not None else None
    if text is not None and time is None:
        raise Refused(400, {"code": 400, "message": f"query param {name} is not in a valid format."})
    return time


ROUTES = [
    MarquezRoute("/api/v1/search", get_search, ["GET"]),
    MarquezRoute("/api/v2beta/search/jobs", get_job_search, ["GET"]),
    MarquezRoute("/api/v2beta/search/datasets", get_dataset_search, ["GET"]),
]
