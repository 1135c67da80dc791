"""Inputs and outputs added up, as `headwater.graph.rollup.totals`: every level sums the one below."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from headwater.graph.derived import DatasetDay, JobDataset, JobDatasetDay, Relevance, RunTotal
from headwater.graph.facts import Role, RunStatus
from headwater.graph.rollup.totals import INFERRED
from headwater.pipeline.rollup.expressions import TOTALS, count_if, sum_totals, total
from headwater.pipeline.spark.schemas import spark_schema

__all__ = [
    "counts",
    "dataset_days",
    "job_dataset_days",
    "job_datasets",
    "own_totals",
    "placed_totals",
    "run_totals",
    "totals_in_events",
]

_PLACE = ("tenant", "run", "dataset", "role")


def totals_in_events(shapes: DataFrame) -> DataFrame:
    """All shapes but the inferred ones, which repeat an event's inputs and outputs."""
    return shapes.where(~F.col("origin").eqNullSafe(INFERRED))


def own_totals(links: DataFrame, shapes: DataFrame, parts: DataFrame, measured: DataFrame) -> DataFrame:
    """`RunShape`, `Shape`, `ShapeDataset` and `RunDataset` facts to totals by run, dataset and role."""
    moves = F.col("role").isin(int(Role.INPUT), int(Role.OUTPUT))
    kept = totals_in_events(shapes).select("tenant", "shape")
    named = F.col("schema").isNotNull()
    stated = (
        links.join(parts.where(moves).join(kept, ["tenant", "shape"], "leftsemi"), ["tenant", "shape"])
        .withColumns(
            {
                **{name: F.lit(None).cast("bigint") for name in ("rows", "bytes", "files")},
                "schema_seen": F.when(named, F.col("last_seen")),
                "relevance": F.when(named, int(Relevance.EXACT_MATCH)).cast("bigint"),
            }
        )
        .select(*_PLACE, *TOTALS)
    )
    nothing = {name: F.lit(None).cast("bigint") for name in TOTALS[3:] if name != "schema"}
    counted = measured.where(moves).withColumns({**nothing, "schema": F.lit(None).cast("binary")})
    return stated.unionByName(counted.select(*_PLACE, *TOTALS)).groupBy(*_PLACE).agg(*sum_totals())


def placed_totals(own: DataFrame, placed: DataFrame) -> DataFrame:
    """Totals of each run with all operations inside it, and of each operation by itself; with the place of the run."""
    own_place = F.struct("run", "job", "day", "status", "ended_at")
    is_around = F.col("inside") == F.col("run")
    counts_for = F.when(is_around, F.array(own_place)).otherwise(F.array(own_place, F.col("around")))
    places = placed.select("tenant", "run", "inside", "around", F.explode(counts_for).alias("place"))
    known = places.select(
        "tenant",
        "run",
        "place",
        # An operation counts for its own job by itself, unless the run around it is one of the same job.
        (F.col("place.run") != F.col("inside")).cast("bigint").alias("within"),
        F.col("around.job").alias("around_job"),
    )
    spread = own.join(known, ["tenant", "run"]).drop("run")
    return (
        spread.withColumn("run", F.col("place.run"))
        .groupBy(*_PLACE)
        .agg(*(F.any_value(name).alias(name) for name in ("place", "within", "around_job")), *sum_totals())
    )


def run_totals(placed: DataFrame) -> DataFrame:
    """The `RunTotal` rows."""
    return placed.select(*_PLACE, F.col("place.job").alias("job"), *TOTALS).to(spark_schema(RunTotal))


def job_dataset_days(placed: DataFrame) -> DataFrame:
    """Placed totals to `JobDatasetDay` rows."""
    keys = ("tenant", "job", "day", "dataset", "role", "within")
    named = placed.withColumns({name: F.col(f"place.{name}") for name in ("job", "day", "status", "ended_at")})
    succeeded = F.when(F.col("status") == int(RunStatus.SUCCEEDED), F.col("ended_at"))
    return (
        named.where(counts())
        .groupBy(*keys)
        .agg(
            F.count(F.lit(1)).alias("runs"),
            count_if(F.col("status") == int(RunStatus.FAILED)).alias("failures"),
            F.max(succeeded).alias("last_succeeded"),
            *sum_totals(),
        )
        .to(spark_schema(JobDatasetDay))
    )


def counts() -> Column:
    """Whether a run counts for its job by itself: not if a run of the same job includes it, nor if it is undated."""
    dated = F.col("job").isNotNull() & F.col("day").isNotNull()
    return dated & ((F.col("within") == 0) | ~F.col("job").eqNullSafe(F.col("around_job")))


def job_datasets(days: DataFrame) -> DataFrame:
    """`JobDatasetDay` to `JobDataset` rows."""
    keys = ("tenant", "job", "dataset", "role")
    return days.groupBy(*keys).agg(total("runs").alias("runs"), *sum_totals()).to(spark_schema(JobDataset))


def dataset_days(days: DataFrame) -> DataFrame:
    """`JobDatasetDay` to `DatasetDay` rows; operations are in the totals of their runs already."""
    reads, writes = F.col("role") == int(Role.INPUT), F.col("role") == int(Role.OUTPUT)
    return (
        days.where("within = 0")
        .groupBy("tenant", "dataset", "day")
        .agg(
            F.coalesce(F.sum(F.when(reads, F.col("runs"))), F.lit(0)).alias("reads"),
            F.coalesce(F.sum(F.when(writes, F.col("runs"))), F.lit(0)).alias("writes"),
            F.coalesce(F.sum(F.when(writes, F.col("failures"))), F.lit(0)).alias("failures"),
            total(F.when(reads, F.col("rows"))).alias("rows_read"),
            total(F.when(writes, F.col("rows"))).alias("rows_written"),
            total(F.when(reads, F.col("bytes"))).alias("bytes_read"),
            total(F.when(writes, F.col("bytes"))).alias("bytes_written"),
            F.max(F.when(writes, F.col("last_succeeded"))).alias("last_written"),
        )
        .to(spark_schema(DatasetDay))
    )
