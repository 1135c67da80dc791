"""Each run in short, as `headwater.graph.rollup.summarize`."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from headwater.graph.current.run_around import CLIMB_LIMIT
from headwater.graph.derived import RunSummary
from headwater.graph.facts import Activity
from headwater.pipeline.rollup.expressions import day_of
from headwater.pipeline.spark.schemas import spark_schema

__all__ = ["place_runs", "summaries_of"]

_PLACE = ("run", "job", "day", "status", "ended_at")


def place_runs(runs: DataFrame) -> DataFrame:
    """`Run` facts to `RunSummary` columns, with `around`: the same of the run that each is inside of."""
    kinds = int(Activity.RUN | Activity.OPERATION)
    is_operation = F.coalesce(F.col("activity").bitwiseAND(kinds) == int(Activity.OPERATION), F.lit(False))
    parent = F.when(is_operation & (F.col("parent_run") != F.col("run")), F.col("parent_run"))
    lasted = F.col("ended_at") - F.col("started_at")
    known = runs.select(
        "tenant",
        "run",
        "job",
        "status",
        "ended_at",
        parent.alias("parent"),
        F.coalesce("first_seen", "started_at").alias("began"),
        F.when(lasted >= 0, lasted).alias("duration"),
    )
    inside = Window.partitionBy("tenant", "inside")
    is_around = F.col("inside") == F.col("run")
    return (
        _climb(known)
        .withColumn("first_seen", F.coalesce("began", F.when(is_around, F.min("began").over(inside))))
        .withColumn("day", day_of("first_seen"))
        .withColumn("around", F.max(F.when(is_around, F.struct(*_PLACE))).over(inside))
    )


def summaries_of(placed: DataFrame) -> DataFrame:
    """The `RunSummary` rows."""
    return placed.select(*spark_schema(RunSummary).fieldNames()).to(spark_schema(RunSummary))


def _climb(runs: DataFrame) -> DataFrame:
    """With the run around each operation: parents are followed until one is no operation, or is not known.

    Steps are doubled: a parent's parent, then its parent's parent, so that a few joins reach however deep it goes.
    """
    exist = runs.select("tenant", F.col("run").alias("to"))
    operations = runs.where(F.col("parent").isNotNull()).select("tenant", "run", F.col("parent").alias("to"))
    step = operations.join(exist, ["tenant", "to"], "leftsemi")
    reached = step
    for _ in range(CLIMB_LIMIT.bit_length() - 1):
        further = reached.select("tenant", F.col("run").alias("to"), F.col("to").alias("beyond"))
        reached = reached.join(further, ["tenant", "to"], "left").select(
            "tenant", "run", F.coalesce("beyond", "to").alias("to")
        )
    unfinished = step.select("tenant", F.col("run").alias("to"))
    tops = reached.join(unfinished, ["tenant", "to"], "leftanti").select("tenant", "run", F.col("to").alias("top"))
    return runs.join(tops, ["tenant", "run"], "left").withColumn("inside", F.coalesce("top", "run")).drop("top")
