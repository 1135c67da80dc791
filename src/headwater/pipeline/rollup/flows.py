"""Which dataset flows into which, as `headwater.graph.rollup.flows`."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from headwater.graph.derived import JobFlow, TableFlow
from headwater.graph.facts import Role
from headwater.openlineage.event import EventKind
from headwater.pipeline.rollup.expressions import count_if, stamp_time
from headwater.pipeline.rollup.totals import said_by_events
from headwater.pipeline.schemas import spark_schema

__all__ = ["job_flows", "table_flows"]

_SHAPE = ["tenant", "owner", "shape"]
_OWNER = ["tenant", "owner"]


def job_flows(shapes: DataFrame, parts: DataFrame, edges: DataFrame, evidence: DataFrame) -> DataFrame:
    """`Shape`, `ShapeDataset`, `ShapeEdge` and `Evidence` facts to `JobFlow` rows."""
    current = _current(shapes, evidence)
    owners = current.select(*_SHAPE)
    named = parts.join(owners, ["tenant", "shape"]).select(*_SHAPE, "dataset", "role", "types", "explicit")
    jobs = named.where(F.col("role") == int(Role.JOB)).select(*_SHAPE, F.col("dataset").alias("job"))
    stated = edges.join(owners, ["tenant", "shape"]).select(*_SHAPE, "source", "target")
    for end in ("source", "target"):
        stated = stated.join(jobs.withColumnRenamed("job", end), [*_SHAPE, end], "leftanti")
    written = named.where(F.col("role") == int(Role.OUTPUT))
    inputs, outputs = _ends(named, written, stated)
    between = stated.where((F.col("source") != F.col("owner")) & (F.col("target") != F.col("owner")))
    types = written.select(*_SHAPE, F.col("dataset").alias("target"), "types")
    pairs = between.join(types, [*_SHAPE, "target"], "left").unionByName(_assumed(inputs, outputs, written))
    times = current.select(*_SHAPE, "first_seen", "last_seen")
    flows = pairs.where(F.col("source") != F.col("target")).join(times, _SHAPE)
    return (
        flows.groupBy("tenant", F.col("owner").alias("job"), "source", "target")
        .agg(
            F.bit_or("types").alias("types"),
            F.min("first_seen").alias("first_seen"),
            F.max("last_seen").alias("last_seen"),
        )
        .to(spark_schema(JobFlow))
    )


def table_flows(flows: DataFrame) -> DataFrame:
    """`JobFlow` to `TableFlow` rows."""
    through_job = ~F.col("job").isin(F.col("source"), F.col("target"))
    return (
        flows.groupBy("tenant", "source", "target")
        .agg(
            count_if(through_job).alias("jobs"),
            F.bit_or("types").alias("types"),
            F.min("first_seen").alias("first_seen"),
            F.max("last_seen").alias("last_seen"),
        )
        .to(spark_schema(TableFlow))
    )


def _current(shapes: DataFrame, evidence: DataFrame) -> DataFrame:
    """Shapes that hold, with their owner and times: all of run events, the newest of job and dataset events."""
    owned = said_by_events(shapes).withColumn("owner", F.coalesce("job", "subject")).where(F.col("owner").isNotNull())
    said = evidence.select("tenant", "shape", "first_seen", stamp_time("last").alias("last_seen"), "last")
    dated = owned.join(said, ["tenant", "shape"], "left")
    rivals = Window.partitionBy("tenant", "kind", "origin", "owner").orderBy(
        F.coalesce("last", F.lit(b"")).desc(), F.col("shape").desc()
    )
    of_runs = F.col("kind").eqNullSafe(EventKind.RUN.value)
    newest = dated.where(~of_runs).withColumn("rank", F.row_number().over(rivals)).where("rank = 1")
    columns = [*_SHAPE, "first_seen", "last_seen"]
    return dated.where(of_runs).select(*columns).unionByName(newest.select(*columns))


def _ends(named: DataFrame, written: DataFrame, stated: DataFrame) -> tuple[DataFrame, DataFrame]:
    """Inputs and outputs of each shape; edges to and from the job itself tell of some too."""
    read = named.where(F.col("role") == int(Role.INPUT)).select(*_SHAPE, F.col("dataset").alias("source"))
    fed = stated.where(F.col("target") == F.col("owner")).select(*_SHAPE, "source")
    made = stated.where((F.col("source") == F.col("owner")) & (F.col("target") != F.col("owner")))
    outputs = written.select(*_SHAPE, F.col("dataset").alias("target"), "types").unionByName(
        made.select(*_SHAPE, "target", F.lit(None).cast("bigint").alias("types"))
    )
    return read.unionByName(fed).distinct(), outputs.groupBy(*_SHAPE, "target").agg(F.bit_or("types").alias("types"))


def _assumed(inputs: DataFrame, outputs: DataFrame, written: DataFrame) -> DataFrame:
    """Every input flows into every output, unless a `lineage` facet spoke for that output.

    Where a shape has outputs only, the inputs are those of the job's shapes that have inputs only.
    """
    explicit = written.where(F.coalesce(F.col("explicit"), F.lit(0)) != 0).select(
        *_OWNER, F.col("dataset").alias("target")
    )
    open_outputs = outputs.join(explicit, [*_OWNER, "target"], "leftanti")
    columns = [*_SHAPE, "source", "target", "types"]
    together = open_outputs.join(inputs, _SHAPE).select(*columns)
    alone = open_outputs.join(inputs, _SHAPE, "leftanti")
    only_inputs = inputs.join(outputs, _SHAPE, "leftanti").select(*_OWNER, "source").distinct()
    return together.unionByName(alone.join(only_inputs, _OWNER).select(*columns))
