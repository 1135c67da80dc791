"""The merge of facts as one native aggregation of Spark, generated from the rules of their columns."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it
from pyspark.sql.types import StructType

from headwater.graph.merge_rules import Rule
from headwater.pipeline.merge.slots import KEY, SLOTS, arrow_schema

__all__ = ["merge_facts", "spark_schema", "wide_schema"]


_AGGREGATES: dict[Rule, Callable[[str], Column]] = {Rule.MIN: F.min, Rule.MAX: F.max, Rule.FLAGS: F.bit_or}
"""The same as `graph.merge_rules.join` over many values. All of these pass over nulls."""


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
    merged = by_key.groupBy(*KEY).agg(*(_AGGREGATES[slot.rule](slot.name).alias(slot.name) for slot in SLOTS))
    return merged.sortWithinPartitions(*KEY)
