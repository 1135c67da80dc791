"""Inputs and outputs added up, as `headwater.graph.rollup.totals`: every level sums the one below."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from headwater.graph.derived import DatasetDay, JobDataset, JobDatasetDay, Relevance, RunTotal
from headwater.graph.facts import Role, RunStatus
from headwater.graph.rollup.totals import INFERRED
from headwater.pipeline.rollup.expressions import TOTALS, count_if, sum_totals, total
from headwater.pipeline.schemas import spark_schema

__all__ = ["dataset_days", "job_dataset_days", "job_datasets", "own_totals", "run_totals", "said_by_events"]

_PLACE = ("tenant", "run", "dataset", "role")


def said_by_events(shapes: DataFrame) -> DataFrame:
    """Shapes but for the inferred ones, which repeat what an event said."""
    return shapes.where(~F.col("origin").eqNullSafe(INFERRED))


def own_totals(links: DataFrame, shapes: DataFrame, parts: DataFrame, measured: DataFrame) -> DataFrame:
    """`RunShape`, `Shape`, `ShapeDataset` and `RunDataset` facts to totals by run, dataset and role."""
    moves = F.col("role").isin(int(Role.INPUT), int(Role.OUTPUT))
    kept = said_by_events(shapes).select("tenant", "shape")
    named = F.col("schema").isNotNull()
    said = (
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
    return said.unionByName(counted.select(*_PLACE, *TOTALS)).groupBy(*_PLACE).agg(*sum_totals())


def run_totals(own: DataFrame, summaries: DataFrame) -> DataFrame:
    """To `RunTotal` rows: of a run with all operations inside it, of an operation by itself."""
    places = summaries.select("tenant", "run", "inside")
    placed = own.join(places, ["tenant", "run"])
    counted_for = F.when(F.col("inside") == F.col("run"), F.array("run")).otherwise(F.array("run", "inside"))
    spread = placed.withColumn("run", F.explode(counted_for)).drop("inside")
    jobs = summaries.select("tenant", "run", "job")
    summed = spread.groupBy(*_PLACE).agg(*sum_totals())
    return summed.join(jobs, ["tenant", "run"]).select(*_PLACE, "job", *TOTALS).to(spark_schema(RunTotal))


def job_dataset_days(totals: DataFrame, counted: DataFrame) -> DataFrame:
    """`RunTotal` rows and the runs that count to `JobDatasetDay` rows."""
    runs = counted.select("tenant", "run", "job", "day", "within", "status", "ended_at")
    keys = ("tenant", "job", "day", "dataset", "role", "within")
    succeeded = F.when(F.col("status") == int(RunStatus.SUCCEEDED), F.col("ended_at"))
    return (
        totals.drop("job")
        .join(runs, ["tenant", "run"])
        .groupBy(*keys)
        .agg(
            F.count(F.lit(1)).alias("runs"),
            count_if(F.col("status") == int(RunStatus.FAILED)).alias("failures"),
            F.max(succeeded).alias("last_succeeded"),
            *sum_totals(),
        )
        .to(spark_schema(JobDatasetDay))
    )


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
