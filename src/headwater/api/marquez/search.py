"""Search, in the two forms that Marquez has."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from headwater.api.context import ask, context_of, render
from headwater.api.marquez.route import MarquezRoute, Refused, choice, time_of, view_of, whole
from headwater.graph.facts import NodeKind
from headwater.lineage.marquez.search import search, search_datasets, search_jobs

__all__ = ["ROUTES"]

_DAY = 86_400_000_000


async def get_search(request: Request) -> Response:
    query, given = _text(request), request.query_params
    kind = choice(request, "filter", None, "DATASET", "JOB")
    found = await ask(
        search,
        view_of(context_of(request)),
        query,
        kind=NodeKind[kind] if kind else None,
        sort=choice(request, "sort", "NAME", "NAME", "UPDATE_AT") or "NAME",
        limit=whole(request, "limit", 10),
        namespace=given.get("namespace") or None,
        after=time_of(request, "after", 0) if "after" in given else None,
        before=time_of(request, "before", 0) + _DAY if "before" in given else None,
    )
    return render(found)


async def get_job_search(request: Request) -> Response:
    return render(await ask(search_jobs, view_of(context_of(request)), _text(request)))


async def get_dataset_search(request: Request) -> Response:
    return render(await ask(search_datasets, view_of(context_of(request)), _text(request)))


def _text(request: Request) -> str:
    text = request.query_params.get("q", "").strip()
    if not text:
        raise Refused(400, {"errors": ["query param q must not be blank"]})
    return text


ROUTES = [
    MarquezRoute("/api/v1/search", get_search, ["GET"]),
    MarquezRoute("/api/v2beta/search/jobs", get_job_search, ["GET"]),
    MarquezRoute("/api/v2beta/search/datasets", get_dataset_search, ["GET"]),
]
