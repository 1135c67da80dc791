"""The merge of facts as one native aggregation of Spark, generated from the rules of their columns."""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it
from pyspark.sql.types import StructType

from headwater.graph.rules import Rule
from headwater.pipeline.slots import KEY, SLOTS, Slot, arrow_schema

__all__ = ["merge_facts", "spark_schema", "wide_schema"]


def spark_schema(schema: pa.Schema) -> StructType:
    """A schema of Arrow, for Spark."""
    from pyspark.sql.pandas.types import from_arrow_schema  # noqa: PLC0415 - loads pandas

    return from_arrow_schema(schema)


def wide_schema() -> StructType:
    """The wide table of `slots`, for Spark."""
    return spark_schema(arrow_schema())


def merge_facts(facts: DataFrame, partitions: int | None = None) -> DataFrame:
    """One row per key, in and out a wide table; sorted by key within each partition."""
    # By key first: tasks hand over each key once, so merging before the shuffle would sort all rows for nothing.
    by_key = facts.repartition(*KEY) if partitions is None else facts.repartition(partitions, *KEY)
    merged = by_key.groupBy(*KEY).agg(*(_aggregate(slot).alias(slot.name) for slot in SLOTS))
    columns: list[Column] = [F.col(name) for name in KEY]
    for slot in SLOTS:
        if slot.rule is Rule.LATEST:
            columns += [F.col(f"{slot.name}.value").alias(slot.name), F.col(f"{slot.name}.stamp").alias(slot.stamp)]
        else:
            columns.append(F.col(slot.name))
    return merged.select(*columns).sortWithinPartitions(*KEY)


def _aggregate(slot: Slot) -> Column:
    """The same as `graph.rules.join` over many values. All of these pass over nulls."""
    if slot.rule is Rule.MIN:
        return F.min(slot.name)
    if slot.rule is Rule.FLAGS:
        return F.bit_or(slot.name)
    if slot.rule is Rule.LATEST:
        return F.max(F.struct(F.col(slot.stamp).alias("stamp"), F.col(slot.name).alias("value")))
    return F.max(slot.name)
