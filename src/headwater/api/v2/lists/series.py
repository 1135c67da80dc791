"""How much a dataset was used, or a job ran, day by day."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, to_builtins
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import ask, context_of, render
from headwater.api.openapi.declare import OneOf, declare
from headwater.api.openapi.query import Time, present, read_query, time_in
from headwater.api.v2.query.moment_parameters import Format, as_csv, wants_csv
from headwater.api.v2.records.series import DatasetSeries, JobSeries
from headwater.lineage.lists.activity import ACTIVITY_FIELDS, ActivitySeries, activity
from headwater.lineage.lists.series import DATASET_FIELDS, DEFAULT_DAYS, MOST_DAYS, fields_of, series

__all__ = ["ROUTES"]

_EXAMPLE = {
    "of": "job:shop:build_daily_sales",
    "kind": "job",
    "by": "day",
    "since": "2026-01-30",
    "until": None,
    "days": [
        {
            "day": "2026-01-31",
            "runs": 3,
            "succeeded": 2,
            "failed": 1,
            "killed": 0,
            "other": 0,
            "duration_p50_ms": 90_000,
            "duration_p95_ms": 240_000,
            "rows_read": 4_800,
            "rows_written": 1_200,
            "bytes_read": None,
            "bytes_written": 65_536,
        }
    ],
    "truncated": False,
    "freshness": None,
}


class SeriesQuery(Struct, frozen=True, kw_only=True):
    name: (
        Annotated[
            str,
            Meta(
                min_length=1,
                description="A dataset or a job; without a name all runs, events and refused events are counted.",
                examples=["dataset:s3://lake:sales/daily"],
            ),
        ]
        | None
    ) = None
    by: Annotated[Literal["day", "hour"], Meta(description="What one item is about: a day or an hour of UTC.")] = "day"
    since: Annotated[Time, Meta(description="From the day of this time on.")] | None = None
    until: Annotated[Time, Meta(description="To the day of this time, which counts too.")] | None = None
    limit: Annotated[int, Meta(ge=1, le=MOST_DAYS, description="How many items at most: the newest.")] = DEFAULT_DAYS
    format: Format | None = None


@declare(
    "How much a dataset was read and written, or a job ran, day by day; or all runs and events, also by the hour.",
    answer=OneOf("kind", (JobSeries, DatasetSeries, ActivitySeries)),
    query=SeriesQuery,
    errors=(404,),
    example=_EXAMPLE,
    tables=f"{','.join(DATASET_FIELDS)}\n",
    group="Questions",
)
async def get_series(request: Request) -> Response:
    context, query = context_of(request), read_query(request, SeriesQuery)
    since, until = time_in(query.since, "since"), time_in(query.until, "until", "last")
    if query.name is None or query.by == "hour":
        counted = await ask(
            activity,
            context.reader,
            context.tenant.id,
            query.name,
            by=query.by,
            since=since,
            until=until,
            now=present(),
            limit=query.limit,
        )
        if wants_csv(request, query.format):
            rows = (to_builtins(item) for item in counted.items)
            return as_csv(ACTIVITY_FIELDS, ({**row, **row["runs"]} for row in rows))
        return render(counted)
    answer = await ask(
        series, context.reader, context.tenant.id, query.name, since=since, until=until, limit=query.limit
    )
    if wants_csv(request, query.format):
        return as_csv(fields_of(answer["kind"]), answer["days"])
    return render(answer)


ROUTES = [Route("/api/v2/series", get_series)]
