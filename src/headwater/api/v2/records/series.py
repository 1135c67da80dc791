"""Answers about a dataset or job day by day, as the reference of the API describes them."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from headwater.lineage.answer.records import Freshness
from headwater.lineage.answer.text_types import Id, Instant

__all__ = ["DatasetSeries", "JobSeries"]

Day = Annotated[str, Meta(extra_json_schema={"format": "date"})]


class JobDayShown(Struct):
    day: Day
    runs: int
    succeeded: int
    failed: int
    killed: int
    other: int
    duration_p50_ms: int | None
    duration_p95_ms: int | None
    rows_read: int | None
    rows_written: int | None
    bytes_read: int | None
    bytes_written: int | None


class DatasetDayShown(Struct):
    day: Day
    reads: int
    writes: int
    failures: int
    rows_read: int | None
    rows_written: int | None
    bytes_read: int | None
    bytes_written: int | None
    last_written: Instant | None


class _Series(Struct, kw_only=True):
    of: Id
    by: Literal["day"]
    since: Day | None
    until: Day | None
    truncated: bool
    freshness: Freshness | None


class JobSeries(_Series, kw_only=True):
    kind: Literal["job"]
    days: list[JobDayShown]


class DatasetSeries(_Series, kw_only=True):
    kind: Literal["dataset"]
    days: list[DatasetDayShown]
