"""Each run in short, as `headwater.graph.rollup.summarize`."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from headwater.graph.derived import RunSummary
from headwater.graph.facts import Activity
from headwater.graph.rollup.summarize import CLIMB_LIMIT
from headwater.pipeline.rollup.expressions import day_of
from headwater.pipeline.schemas import spark_schema

__all__ = ["counted", "summarize"]


def summarize(runs: DataFrame) -> DataFrame:
    """`Run` facts to `RunSummary` rows."""
    kinds = int(Activity.RUN | Activity.OPERATION)
    is_operation = F.coalesce(F.col("activity").bitwiseAND(kinds) == int(Activity.OPERATION), F.lit(False))
    parent = F.when(is_operation & (F.col("parent_run") != F.col("run")), F.col("parent_run"))
    known = runs.withColumn("parent", parent).withColumn("began", F.coalesce("first_seen", "started_at"))
    inside = _climb(known.select("tenant", "run", "parent"))
    placed = known.join(inside, ["tenant", "run"])
    earliest = placed.groupBy("tenant", F.col("inside").alias("run")).agg(F.min("began").alias("earliest"))
    dated = placed.join(earliest, ["tenant", "run"], "left").withColumn("first", F.coalesce("began", "earliest"))
    lasted = F.col("ended_at") - F.col("started_at")
    return dated.select(
        "tenant",
        "run",
        "inside",
        "parent",
        "job",
        day_of("first").alias("day"),
        "status",
        F.when(lasted >= 0, lasted).alias("duration"),
        F.col("first").alias("first_seen"),
        "ended_at",
    ).to(spark_schema(RunSummary))


def counted(summaries: DataFrame) -> DataFrame:
    """Runs that count for their job by themselves, with `within`: not those that a run of the same job includes."""
    around = summaries.select("tenant", F.col("run").alias("inside"), F.col("job").alias("around"))
    dated = summaries.where(F.col("job").isNotNull() & F.col("day").isNotNull())
    within = F.col("inside") != F.col("run")
    return (
        dated.join(around, ["tenant", "inside"])
        .where(~within | ~F.col("job").eqNullSafe(F.col("around")))
        .withColumn("within", within.cast("bigint"))
        .drop("around")
    )


def _climb(runs: DataFrame) -> DataFrame:
    """The run around each operation: parents are followed until one is no operation, or is not known.

    Steps are doubled: a parent's parent, then its parent's parent, so that a few joins reach however deep it goes.
    """
    exist = runs.select("tenant", F.col("run").alias("to"))
    step = runs.select("tenant", "run", F.col("parent").alias("to")).join(exist, ["tenant", "to"], "leftsemi")
    reached = step
    for _ in range(CLIMB_LIMIT.bit_length() - 1):
        further = reached.select("tenant", F.col("run").alias("to"), F.col("to").alias("beyond"))
        reached = reached.join(further, ["tenant", "to"], "left").select(
            "tenant", "run", F.coalesce("beyond", "to").alias("to")
        )
    unfinished = step.select("tenant", F.col("run").alias("to"), F.lit(1).alias("unfinished"))
    around = reached.join(unfinished, ["tenant", "to"], "left").select(
        "tenant", "run", F.when(F.col("unfinished").isNull(), F.col("to")).alias("around")
    )
    return runs.join(around, ["tenant", "run"], "left").select(
        "tenant", "run", F.coalesce("around", "run").alias("inside")
    )
