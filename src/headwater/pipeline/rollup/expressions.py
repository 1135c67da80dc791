"""The expressions that the transforms share; each has its counterpart in `headwater.graph.rollup`."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812 - as all of Spark's documentation calls it

from headwater.graph.current.sums import LARGEST
from headwater.graph.derived import Relevance
from headwater.graph.rollup.summarize import DAY

__all__ = ["TOTALS", "count_if", "day_of", "percentile", "sum_totals", "total", "with_rank"]

TOTALS = ("rows", "bytes", "files", "types", "schema", "schema_seen", "relevance", "first_seen", "last_seen")
"""Columns of the totals at every level."""


def day_of(time: str) -> Column:
    """Whole days, also before 1970; division alone would go through a floating point number."""
    return F.expr(f"({time} - pmod({time}, {DAY})) div {DAY}")


def total(value: str | Column) -> Column:
    """Sum of the known values, up to the greatest number; null if none is known."""
    known = F.col(value) if isinstance(value, str) else value
    return F.coalesce(F.try_sum(known), F.when(F.count(known) > 0, F.lit(LARGEST)))


def count_if(condition: Column) -> Column:
    """How many rows meet a condition; an unknown one is not met."""
    return F.sum(F.when(condition, 1).otherwise(0))


def sum_totals() -> list[Column]:
    """The aggregations of `add_up`, in the order of `TOTALS`."""
    named = F.col("schema").isNotNull()
    latest = F.max(F.when(named, F.struct("schema_seen", "schema")))
    several = (F.min("schema") != F.max("schema")) | (F.max("relevance") == int(Relevance.LATEST_KNOWN))
    relevance = F.when(several, int(Relevance.LATEST_KNOWN)).otherwise(int(Relevance.EXACT_MATCH))
    return [
        total("rows").alias("rows"),
        total("bytes").alias("bytes"),
        total("files").alias("files"),
        F.bit_or("types").alias("types"),
        latest["schema"].alias("schema"),
        latest["schema_seen"].alias("schema_seen"),
        F.when(F.count("schema") > 0, relevance).cast("bigint").alias("relevance"),
        F.min("first_seen").alias("first_seen"),
        F.max("last_seen").alias("last_seen"),
    ]


def with_rank(frame: DataFrame, keys: tuple[str, ...], value: str) -> DataFrame:
    """With `rank` and `size`: the place of a value among those of its key, and how many there are; nulls come last."""
    group = Window.partitionBy(*keys)
    return frame.withColumns(
        {
            "rank": F.row_number().over(group.orderBy(F.col(value).asc_nulls_last())),
            "size": F.count(value).over(group),
        }
    )


def percentile(value: str, percent: int) -> Column:
    """Percentile by nearest rank, as in Python; needs the columns of `with_rank`."""
    return F.max(F.when(F.expr(f"rank = (size * {percent} + 99) div 100"), F.col(value)))
