"""What needs attention now: failures and overdue datasets."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, to_builtins
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import ask, context_of, render
from headwater.api.openapi.declare import declare
from headwater.api.openapi.query import Time, present, read_query, time_in
from headwater.api.v2.query.moment_parameters import Format, as_csv, wants_csv
from headwater.api.v2.records.attention import FAILURES, OVERDUE
from headwater.lineage.attention.failures import MOST_ITEMS, FailureList, failures
from headwater.lineage.attention.overdue import OverdueList, overdue
from headwater.lineage.attention.rows import FIELDS_OF_FAILURES, FIELDS_OF_OVERDUE, failure_row, overdue_row

__all__ = ["ROUTES"]

_Limit = Annotated[int, Meta(ge=1, le=MOST_ITEMS, description="How many items at most; all are counted.")]


class FailuresQuery(Struct, frozen=True, kw_only=True):
    since: (
        Annotated[Time, Meta(description="First seen at this time or later; default a day before `until`.")] | None
    ) = None
    until: Annotated[Time, Meta(description="To this time, which counts too; default now.")] | None = None
    limit: _Limit = 100
    format: Format | None = None


@declare(
    "Runs that failed, what lies downstream of them, and whether their jobs have succeeded since.",
    answer=FailureList,
    query=FailuresQuery,
    example=FAILURES,
    tables=f"{','.join(FIELDS_OF_FAILURES)}\n",
    group="Questions",
)
async def get_failures(request: Request) -> Response:
    context, query, now = context_of(request), read_query(request, FailuresQuery), present()
    answer = await ask(
        failures,
        context.reader,
        context.tenant.id,
        since=time_in(query.since, "since", now=now),
        until=time_in(query.until, "until", "last", now),
        now=now,
        limit=query.limit,
    )
    if wants_csv(request, query.format):
        return as_csv(FIELDS_OF_FAILURES, map(failure_row, to_builtins(answer)["items"]))
    return render(answer)


class OverdueQuery(Struct, frozen=True, kw_only=True):
    as_of: Annotated[Time, Meta(description="As it was at this time; of a day, at its end.")] | None = None
    limit: _Limit = 100
    format: Format | None = None


@declare(
    "Datasets that should have been written by now and were not, by the rhythm of the jobs that write them.",
    answer=OverdueList,
    query=OverdueQuery,
    example=OVERDUE,
    tables=f"{','.join(FIELDS_OF_OVERDUE)}\n",
    group="Questions",
)
async def get_overdue(request: Request) -> Response:
    context, query, now = context_of(request), read_query(request, OverdueQuery), present()
    as_of = time_in(query.as_of, "as_of", "last", now)
    answer = await ask(overdue, context.reader, context.tenant.id, now=now, as_of=as_of, limit=query.limit)
    if wants_csv(request, query.format):
        return as_csv(FIELDS_OF_OVERDUE, map(overdue_row, to_builtins(answer)["items"]))
    return render(answer)


ROUTES = [Route("/api/v2/failures", get_failures), Route("/api/v2/overdue", get_overdue)]
