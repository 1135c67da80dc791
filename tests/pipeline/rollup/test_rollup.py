"""The Spark transforms and the plain ones give the same rows for the same facts."""

from __future__ import annotations

from contextlib import ExitStack
from random import Random
from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa

from headwater.graph.derived import DERIVED
from headwater.graph.rollup.rollup import roll_up
from headwater.pipeline.rollup import rollup as on_spark
from headwater.pipeline.spark.schemas import arrow_schema, spark_schema
from headwater.store.write.upsert import row_of
from tests.pipeline.random_facts import random_facts

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TENANTS = 60


def test_spark_and_python_agree(spark: SparkSession) -> None:
    graphs = {tenant: random_facts(Random(tenant), tenant) for tenant in range(1, TENANTS + 1)}
    expected = {kind: set() for kind in DERIVED}
    for tenant, graph in graphs.items():
        rows = roll_up(tenant, lambda kind, graph=graph: graph.get(kind, {}).values())
        for kind in DERIVED:
            found = [plain(msgspec.structs.astuple(row)) for row in rows[kind]]
            assert len(found) == len(set(found))
            expected[kind].update(found)

    def read(kind):
        rows = [row_of(fact) for graph in graphs.values() for fact in graph.get(kind, {}).values()]
        columns = [
            pa.array(values, field.type)
            for values, field in zip(zip(*rows, strict=True), arrow_schema(kind), strict=True)
        ]
        return spark.createDataFrame(pa.table(columns, schema=arrow_schema(kind))).select(*on_spark.NEEDED[kind])

    with ExitStack() as kept:
        frames = on_spark.roll_up(read, kept)
        assert set(frames) == set(DERIVED)
        for kind, frame in frames.items():
            assert frame.schema.fieldNames() == spark_schema(kind).fieldNames()
            found = [plain(row) for row in frame.collect()]
            assert len(found) == len(set(found)), kind
            assert set(found) == expected[kind], kind
    assert all(expected.values())


def plain(row) -> tuple:
    return tuple(
        bytes(value) if isinstance(value, bytearray) else int(value) if isinstance(value, int) else value
        for value in row
    )
