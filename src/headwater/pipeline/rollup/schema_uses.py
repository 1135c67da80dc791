"""The schemas a dataset had, as `headwater.graph.rollup.schemas`."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from headwater.graph.derived import Relevance, SchemaUse
from headwater.graph.facts import Role
from headwater.pipeline.schemas import spark_schema

__all__ = ["schema_uses"]


def schema_uses(shapes: DataFrame, parts: DataFrame) -> DataFrame:
    """Dated shapes and `ShapeDataset` facts to `SchemaUse` rows."""
    said = shapes.where(F.col("said") == 1).select("tenant", "shape", "job", "first_seen", "last_seen")
    named = parts.where(F.col("schema").isNotNull()).join(said, ["tenant", "shape"])
    is_output = (F.col("role") == int(Role.OUTPUT)).alias("is_output")
    uses = named.groupBy("tenant", "dataset", "schema").agg(
        F.min("first_seen").alias("first_seen"),
        F.max("last_seen").alias("last_seen"),
        F.size(F.collect_set("job")).cast("bigint").alias("jobs"),
        F.max(F.struct("last_seen", is_output, "schema")).alias("recency"),
    )
    all_of_it = Window.partitionBy("tenant", "dataset")
    is_only = F.count(F.lit(1)).over(all_of_it) == 1
    held = F.when(is_only, int(Relevance.EXACT_MATCH)).otherwise(int(Relevance.LATEST_KNOWN))
    is_latest = F.max("recency").over(all_of_it)["schema"] == F.col("schema")
    return uses.withColumn("relevance", F.when(is_latest, held).cast("bigint")).to(spark_schema(SchemaUse))
