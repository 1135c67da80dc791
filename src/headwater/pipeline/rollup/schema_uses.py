"""The schemas a dataset had, as `headwater.graph.rollup.schemas`."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from headwater.graph.derived import Relevance, SchemaUse
from headwater.graph.facts import Role
from headwater.pipeline.rollup.expressions import stamp_time
from headwater.pipeline.rollup.totals import said_by_events
from headwater.pipeline.schemas import spark_schema

__all__ = ["schema_uses"]


def schema_uses(shapes: DataFrame, parts: DataFrame, evidence: DataFrame) -> DataFrame:
    """`Shape`, `ShapeDataset` and `Evidence` facts to `SchemaUse` rows."""
    said = evidence.select("tenant", "shape", "first_seen", stamp_time("last").alias("last_seen"))
    jobs = said_by_events(shapes).select("tenant", "shape", "job")
    named = parts.where(F.col("schema").isNotNull()).join(jobs, ["tenant", "shape"]).join(said, ["tenant", "shape"])
    is_output = (F.col("role") == int(Role.OUTPUT)).alias("is_output")
    uses = named.groupBy("tenant", "dataset", "schema").agg(
        F.min("first_seen").alias("first_seen"),
        F.max("last_seen").alias("last_seen"),
        F.count_distinct("job").alias("jobs"),
    )
    latest = named.groupBy("tenant", "dataset").agg(
        F.max(F.struct("last_seen", is_output, "schema"))["schema"].alias("latest"),
        (F.min("schema") == F.max("schema")).alias("is_only"),
    )
    held = F.when(F.col("is_only"), int(Relevance.EXACT_MATCH)).otherwise(int(Relevance.LATEST_KNOWN))
    return (
        uses.join(latest, ["tenant", "dataset"])
        .withColumn("relevance", F.when(F.col("schema") == F.col("latest"), held).cast("bigint"))
        .to(spark_schema(SchemaUse))
    )
