"""Spark's and Arrow's schemas of facts and derived rows, from their declarations.

The columns are those of the store's tables: ids and stamps are bytes, numbers have 64 bits, a `Latest` is two columns.
"""

from __future__ import annotations

from functools import cache

import pyarrow as pa
from pyspark.sql.types import BinaryType, DataType, LongType, StringType, StructField, StructType

from headwater.graph.derived import Derived
from headwater.graph.fact import Fact, columns_of
from headwater.graph.merge_rules import Rule
from headwater.store.tables import STAMP_SUFFIX

__all__ = ["Kind", "arrow_schema", "key_columns", "spark_schema"]

Kind = type[Fact] | type[Derived]

_ARROW: dict[type, pa.DataType] = {int: pa.int64(), bytes: pa.binary(), str: pa.string()}
_SPARK: dict[type, DataType] = {int: LongType(), bytes: BinaryType(), str: StringType()}


@cache
def _columns(kind: Kind) -> tuple[tuple[str, type], ...]:
    """Name and Python type."""
    found: list[tuple[str, type]] = []
    for column in columns_of(kind):
        base = next(base for base in (int, bytes, str) if issubclass(column.kind, base))
        found.append((column.name, base))
        if column.rule is Rule.LATEST:
            found.append((column.name + STAMP_SUFFIX, bytes))
    return tuple(found)


@cache
def key_columns(kind: Kind) -> tuple[str, ...]:
    """The columns that identify a row, the tenant first."""
    fields = kind.__struct_fields__
    return fields[: kind.key_size if issubclass(kind, Fact) else len(fields) - len(kind.__struct_defaults__)]


@cache
def spark_schema(kind: Kind) -> StructType:
    return StructType([StructField(name, _SPARK[base]) for name, base in _columns(kind)])


@cache
def arrow_schema(kind: Kind) -> pa.Schema:
    return pa.schema([pa.field(name, _ARROW[base]) for name, base in _columns(kind)])
