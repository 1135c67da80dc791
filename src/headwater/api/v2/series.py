"""How much a dataset was used, or a job ran, day by day."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import ask, context_of, render
from headwater.api.declare import OneOf, declare
from headwater.api.query import Time, read_query, time_in
from headwater.api.v2.moments import Format, as_csv, wants_csv
from headwater.api.v2.series_records import DatasetSeries, JobSeries
from headwater.lineage.series import DATASET_FIELDS, DEFAULT_DAYS, MOST_DAYS, fields_of, series

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
    name: Annotated[
        str,
        Meta(min_length=1, description="A dataset or a job.", examples=["dataset:s3://lake:sales/daily"]),
    ]
    by: Annotated[Literal["day"], Meta(description="What one item is about: a day of UTC.")] = "day"
    since: Annotated[Time, Meta(description="From the day of this time on.")] | None = None
    until: Annotated[Time, Meta(description="To the day of this time, which counts too.")] | None = None
    limit: Annotated[int, Meta(ge=1, le=MOST_DAYS, description="How many days at most: the newest.")] = DEFAULT_DAYS
    format: Format | None = None


@declare(
    "How much a dataset was read and written, or a job ran, day by day.",
    answer=OneOf("kind", (JobSeries, DatasetSeries)),
    query=SeriesQuery,
    errors=(404,),
    example=_EXAMPLE,
    tables=f"{','.join(DATASET_FIELDS)}\n",
    group="Questions",
)
async def get_series(request: Request) -> Response:
    context, query = context_of(request), read_query(request, SeriesQuery)
    since, until = time_in(query.since, "since"), time_in(query.until, "until", "last")
    answer = await ask(
        series, context.reader, context.tenant.id, query.name, since=since, until=until, limit=query.limit
    )
    if wants_csv(request, query.format):
        return as_csv(fields_of(answer["kind"]), answer["days"])
    return render(answer)


ROUTES = [Route("/api/v2/series", get_series)]
