"""Which dataset flows into which, as `headwater.graph.rollup.flows`.

A shape names few datasets, so each becomes one row with arrays, and its pairs are made of those without joins.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from headwater.graph.derived import JobFlow, TableFlow
from headwater.graph.facts import Role
from headwater.openlineage.event import EventKind
from headwater.pipeline.rollup.expressions import count_if, stamp_time
from headwater.pipeline.rollup.totals import said_by_events
from headwater.pipeline.schemas import spark_schema

__all__ = ["dated_shapes", "job_flows", "table_flows"]

_KEY = ["tenant", "shape"]


def dated_shapes(shapes: DataFrame, evidence: DataFrame) -> DataFrame:
    """`Shape` and `Evidence` facts to what events said, and when."""
    said = evidence.select(*_KEY, "first_seen", "last", stamp_time("last").alias("last_seen"), F.lit(1).alias("said"))
    return said_by_events(shapes).join(said, _KEY, "left")


def job_flows(shapes: DataFrame, parts: DataFrame, edges: DataFrame) -> DataFrame:
    """Dated shapes, `ShapeDataset` and `ShapeEdge` facts to `JobFlow` rows."""
    stated = edges.groupBy(*_KEY).agg(F.collect_list(F.struct("source", "target")).alias("edges"))
    owned = shapes.withColumn("owner", F.coalesce("job", "subject")).where(F.col("owner").isNotNull()).drop("job")
    whole = owned.join(_gathered(parts), _KEY, "left").join(stated, _KEY, "left")
    empty = F.array()
    whole = whole.withColumns(
        {name: F.coalesce(name, empty) for name in ("read", "written", "jobs", "explicit", "edges")}
    ).repartition("tenant", "owner")
    flows = _pairs(_ends(_current(whole))).where(F.col("pair.source") != F.col("pair.target"))
    return (
        flows.groupBy("tenant", F.col("owner").alias("job"), "pair.source", "pair.target")
        .agg(
            F.bit_or("pair.types").alias("types"),
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


def _gathered(parts: DataFrame) -> DataFrame:
    """The datasets of each shape by their roles."""

    def of(role: Role, value: Column) -> Column:
        return F.collect_list(F.when(F.col("role") == int(role), value))

    explicit = F.when(F.coalesce(F.col("explicit"), F.lit(0)) != 0, F.col("dataset"))
    return parts.groupBy(*_KEY).agg(
        of(Role.INPUT, F.col("dataset")).alias("read"),
        of(Role.OUTPUT, F.struct(F.col("dataset").alias("target"), "types")).alias("written"),
        of(Role.JOB, F.col("dataset")).alias("jobs"),
        of(Role.OUTPUT, explicit).alias("explicit"),
    )


def _current(shapes: DataFrame) -> DataFrame:
    """Shapes that hold: all of run events, the newest of job and dataset events."""
    rivals = Window.partitionBy("tenant", "owner", "kind", "origin").orderBy(
        F.coalesce("last", F.lit(b"")).desc(), F.col("shape").desc()
    )
    of_runs = F.col("kind").eqNullSafe(EventKind.RUN.value)
    return shapes.withColumn("newness", F.row_number().over(rivals)).where(of_runs | (F.col("newness") == 1))


def _ends(shapes: DataFrame) -> DataFrame:
    """With `inputs`, `outputs` and the edges `between` datasets; edges to and from the job itself tell its ends."""
    apart = "filter(edges, edge -> not array_contains(jobs, edge.source) and not array_contains(jobs, edge.target))"
    fed = "transform(filter(edges, edge -> edge.target = owner), edge -> edge.source)"
    made = "transform(filter(edges, edge -> edge.source = owner and edge.target != owner), edge -> edge.target)"
    new = f"filter({made}, target -> not exists(written, output -> output.target = target))"
    outputs = f"concat(written, transform({new}, target -> struct(target as target, cast(null as bigint) as types)))"
    return shapes.withColumn("edges", F.expr(apart)).withColumns(
        {
            "inputs": F.expr(f"array_distinct(concat(read, {fed}))"),
            "outputs": F.expr(outputs),
            "between": F.expr("filter(edges, edge -> edge.source != owner and edge.target != owner)"),
        }
    )


def _pairs(shapes: DataFrame) -> DataFrame:
    """One row for each pair: every edge that is stated, and all inputs with every output that no facet spoke for.

    Where a shape has outputs only, the inputs are those of the job's shapes that have inputs only.
    """
    owner = Window.partitionBy("tenant", "owner")
    only_inputs = F.collect_list(F.when(F.size("outputs") == 0, F.col("inputs"))).over(owner)
    known = shapes.withColumns(
        {
            "spoken_for": F.flatten(F.collect_list("explicit").over(owner)),
            "sources": F.when(F.size("inputs") > 0, F.col("inputs")).otherwise(
                F.array_distinct(F.flatten(only_inputs))
            ),
        }
    )
    types = "element_at(filter(written, output -> output.target = edge.target), 1).types"
    types = f"if(exists(written, output -> output.target = edge.target), {types}, null)"
    stated = f"transform(between, edge -> struct(edge.source as source, edge.target as target, {types} as types))"
    open_outputs = "filter(outputs, output -> not array_contains(spoken_for, output.target))"
    row = "transform(sources, source -> struct(source as source, output.target as target, output.types as types))"
    assumed = f"flatten(transform({open_outputs}, output -> {row}))"
    pair = F.explode(F.expr(f"concat({stated}, {assumed})")).alias("pair")
    return known.select("tenant", "owner", "first_seen", "last_seen", pair)
