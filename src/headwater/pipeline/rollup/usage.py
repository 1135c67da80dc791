"""Jobs by day, and statements by job and day, as `headwater.graph.rollup.usage`."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from headwater.graph.derived import JobDay, SqlUse
from headwater.graph.facts import Role, RunStatus
from headwater.pipeline.rollup.expressions import count_if, ranked, total
from headwater.pipeline.rollup.totals import said_by_events
from headwater.pipeline.schemas import spark_schema

__all__ = ["job_days", "sql_uses"]

_JOB_DAY = ("tenant", "job", "day")
_USE = ("tenant", "sql", "job", "day")


def job_days(counted: DataFrame, days: DataFrame) -> DataFrame:
    """Runs that count, and `JobDatasetDay` rows, to `JobDay` rows."""
    runs = counted.groupBy(*_JOB_DAY).agg(
        F.count(F.lit(1)).alias("runs"),
        count_if(F.col("status") == int(RunStatus.SUCCEEDED)).alias("succeeded"),
        count_if(F.col("status") == int(RunStatus.FAILED)).alias("failures"),
        count_if(F.col("status") == int(RunStatus.KILLED)).alias("killed"),
    )
    reads, writes = F.col("role") == int(Role.INPUT), F.col("role") == int(Role.OUTPUT)
    moved = days.groupBy(*_JOB_DAY).agg(
        total(F.when(reads, F.col("rows"))).alias("rows_read"),
        total(F.when(writes, F.col("rows"))).alias("rows_written"),
        total(F.when(reads, F.col("bytes"))).alias("bytes_read"),
        total(F.when(writes, F.col("bytes"))).alias("bytes_written"),
    )
    durations = ranked(counted, _JOB_DAY, "duration", (50, 95)).withColumnsRenamed(
        {"p50": "duration_p50", "p95": "duration_p95"}
    )
    joined = runs.join(durations, list(_JOB_DAY), "left").join(moved, list(_JOB_DAY), "left")
    return joined.to(spark_schema(JobDay))


def sql_uses(summaries: DataFrame, links: DataFrame, shapes: DataFrame) -> DataFrame:
    """`RunSummary` rows, `RunShape` and `Shape` facts to `SqlUse` rows."""
    statements = said_by_events(shapes).where(F.col("sql").isNotNull()).select("tenant", "shape", "sql")
    dated = summaries.where(F.col("job").isNotNull() & F.col("day").isNotNull())
    runs = dated.select("tenant", "run", "job", "day", "status", "duration")
    used = (
        links.join(statements, ["tenant", "shape"])
        .groupBy("tenant", "sql", "run")
        .agg(F.min("first_seen").alias("first_seen"), F.max("last_seen").alias("last_seen"))
        .join(runs, ["tenant", "run"])
    )
    counted = used.groupBy(*_USE).agg(
        F.count(F.lit(1)).alias("runs"),
        count_if(F.col("status") == int(RunStatus.FAILED)).alias("failures"),
        total("duration").alias("duration_total"),
        F.min("first_seen").alias("first_seen"),
        F.max("last_seen").alias("last_seen"),
    )
    slowest = ranked(used, _USE, "duration", (95,)).withColumnRenamed("p95", "duration_p95")
    return counted.join(slowest, list(_USE), "left").to(spark_schema(SqlUse))
