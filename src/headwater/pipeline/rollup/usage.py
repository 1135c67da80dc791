"""Jobs by day, and statements by job and day, as `headwater.graph.rollup.usage`."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from headwater.graph.derived import JobDay, SqlUse
from headwater.graph.facts import Role, RunStatus
from headwater.pipeline.rollup.expressions import count_if, percentile, total, with_rank
from headwater.pipeline.rollup.totals import counts, totals_in_events
from headwater.pipeline.spark.schemas import spark_schema

__all__ = ["job_days", "sql_uses"]

_JOB_DAY = ("tenant", "job", "day")
_USE = ("tenant", "sql", "job", "day")


def job_days(placed: DataFrame, days: DataFrame) -> DataFrame:
    """Placed runs and `JobDatasetDay` rows to `JobDay` rows."""
    within = (F.col("inside") != F.col("run")).cast("bigint")
    counted = placed.withColumns({"within": within, "around_job": F.col("around.job")}).where(counts())
    runs = (
        with_rank(counted, _JOB_DAY, "duration")
        .groupBy(*_JOB_DAY)
        .agg(
            F.count(F.lit(1)).alias("runs"),
            count_if(F.col("status") == int(RunStatus.SUCCEEDED)).alias("succeeded"),
            count_if(F.col("status") == int(RunStatus.FAILED)).alias("failures"),
            count_if(F.col("status") == int(RunStatus.KILLED)).alias("killed"),
            percentile("duration", 50).alias("duration_p50"),
            percentile("duration", 95).alias("duration_p95"),
        )
    )
    reads, writes = F.col("role") == int(Role.INPUT), F.col("role") == int(Role.OUTPUT)
    moved = days.groupBy(*_JOB_DAY).agg(
        total(F.when(reads, F.col("rows"))).alias("rows_read"),
        total(F.when(writes, F.col("rows"))).alias("rows_written"),
        total(F.when(reads, F.col("bytes"))).alias("bytes_read"),
        total(F.when(writes, F.col("bytes"))).alias("bytes_written"),
    )
    return runs.join(moved, list(_JOB_DAY), "left").to(spark_schema(JobDay))


def sql_uses(placed: DataFrame, links: DataFrame, shapes: DataFrame) -> DataFrame:
    """Placed runs, `RunShape` and `Shape` facts to `SqlUse` rows."""
    statements = totals_in_events(shapes).where(F.col("sql").isNotNull()).select("tenant", "shape", "sql")
    dated = placed.where(F.col("job").isNotNull() & F.col("day").isNotNull())
    runs = dated.select("tenant", "run", "job", "day", "status", "duration")
    used = (
        links.join(statements, ["tenant", "shape"])
        .groupBy("tenant", "sql", "run")
        .agg(F.min("first_seen").alias("first_seen"), F.max("last_seen").alias("last_seen"))
        .join(runs, ["tenant", "run"])
    )
    return (
        with_rank(used, _USE, "duration")
        .groupBy(*_USE)
        .agg(
            F.count(F.lit(1)).alias("runs"),
            count_if(F.col("status") == int(RunStatus.FAILED)).alias("failures"),
            total("duration").alias("duration_total"),
            percentile("duration", 95).alias("duration_p95"),
            F.min("first_seen").alias("first_seen"),
            F.max("last_seen").alias("last_seen"),
        )
        .to(spark_schema(SqlUse))
    )
