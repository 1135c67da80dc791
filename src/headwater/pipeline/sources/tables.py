"""Tables of a store as Spark frames: tasks read ranges of keys with the store's own driver, so no JDBC is needed.

The URL of the store travels to the tasks. On a cluster every worker must reach it, and have the driver installed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import pairwise
from typing import Any, NamedTuple

import pyarrow as pa
import sqlalchemy as sa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from headwater.pipeline.spark.schemas import Kind, arrow_schema, key_columns, spark_schema
from headwater.store.engine import make_engine
from headwater.store.tables import derived_tables, fact_tables, tenants

__all__ = ["Range", "plan_ranges", "read_facts", "tenant_ids"]

ROWS_PER_TASK = 100_000
_ROWS_PER_BATCH = 5_000
_KEYS_AT_ONCE = 400


class Range(NamedTuple):
    """Rows of one tenant whose first key column is from `low` to before `high`, or one of `keys`."""

    tenant: int
    low: bytes | None = None
    high: bytes | None = None
    keys: tuple[bytes, ...] | None = None


def read_facts(
    spark: SparkSession,
    url: str,
    fact: Kind,
    tenant: int | None = None,
    keys: Collection[bytes] | None = None,
    columns: Sequence[str] | None = None,
) -> DataFrame:
    """The rows of a table of facts, or of derived rows: of one tenant or all, of some keys or all, some columns or all.

    `keys` are values of the first column of the key after the tenant.
    """
    chosen = tuple(columns or spark_schema(fact).fieldNames())
    schema = StructType([field for name in chosen for field in spark_schema(fact).fields if field.name == name])
    engine = make_engine(url)
    try:
        ids = [tenant] if tenant is not None else tenant_ids(engine)
        tasks = plan_ranges(engine, fact, ids, keys)
    finally:
        engine.dispose()
    if not tasks:
        return spark.createDataFrame([], schema)
    read = partial(_read, url=url, kind=fact, columns=chosen, tasks=tasks)
    return spark.range(0, len(tasks), 1, len(tasks)).mapInArrow(read, schema)


def tenant_ids(engine: sa.Engine) -> list[int]:
    with engine.connect() as connection:
        return [row[0] for row in connection.execute(sa.select(tenants.c.id).order_by(tenants.c.id))]


def plan_ranges(
    engine: sa.Engine, kind: Kind, ids: Iterable[int], keys: Collection[bytes] | None = None
) -> list[list[Range]]:
    """The ranges of each task: about `ROWS_PER_TASK` rows, of one large tenant or of many small ones."""
    table, key = _table(kind), _table(kind).c[key_columns(kind)[1]]
    tasks: list[list[Range]] = []
    room = 0
    with engine.connect() as connection:
        for tenant in ids:
            for part, rows in _ranges(connection, table, key, tenant, keys):
                if rows > room:
                    tasks.append([])
                    room = ROWS_PER_TASK
                tasks[-1].append(part)
                room -= rows
    return tasks


def _ranges(
    connection: sa.Connection, table: sa.Table, key: sa.Column[Any], tenant: int, keys: Collection[bytes] | None
) -> Iterator[tuple[Range, int]]:
    if keys is not None:
        ordered = sorted(set(keys))
        for start in range(0, len(ordered), _KEYS_AT_ONCE):
            chunk = tuple(ordered[start : start + _KEYS_AT_ONCE])
            yield Range(tenant, keys=chunk), len(chunk)
        return
    rows = connection.execute(sa.select(sa.func.count()).where(table.c.tenant == tenant)).scalar_one()
    if rows == 0:
        return
    for low, high in pairwise([None, *_cuts(connection, table.c.tenant == tenant, key), None]):
        yield Range(tenant, low, high), min(rows, ROWS_PER_TASK)


def _cuts(connection: sa.Connection, mine: sa.ColumnElement[bool], key: sa.Column[Any]) -> Iterator[bytes]:
    """Keys between shares of the rows, each looked for from the one before: so that every row is passed once.

    Run ids begin with the time, so equal steps through the numbers would not be equal shares of the rows.
    """
    cut: bytes | None = None
    while True:
        rest = sa.select(key).where(mine) if cut is None else sa.select(key).where(mine, key >= cut)
        found = connection.execute(rest.order_by(key).limit(1).offset(ROWS_PER_TASK)).scalar()
        if found is not None and found == cut:  # one key has more rows than that
            found = connection.execute(sa.select(key).where(mine, key > cut).order_by(key).limit(1)).scalar()
        if found is None:
            return
        cut = bytes(found)
        yield cut


def _read(
    batches: Iterable[pa.RecordBatch], *, url: str, kind: Kind, columns: tuple[str, ...], tasks: list[list[Range]]
) -> Iterator[pa.RecordBatch]:
    """The work of a task: its number chooses its ranges."""
    table = _table(kind)
    schema = pa.schema([arrow_schema(kind).field(name) for name in columns])
    for batch in batches:
        for number in batch.column(0).to_pylist():
            for part in tasks[number]:
                query = sa.select(*(table.c[name] for name in columns)).where(*_conditions(kind, part))
                yield from _batches(url, query, schema)


def _conditions(kind: Kind, part: Range) -> list[sa.ColumnElement[bool]]:
    table, key = _table(kind), _table(kind).c[key_columns(kind)[1]]
    conditions: list[sa.ColumnElement[bool]] = [table.c.tenant == part.tenant]
    if part.low is not None:
        conditions.append(key >= part.low)
    if part.high is not None:
        conditions.append(key < part.high)
    if part.keys is not None:
        conditions.append(key.in_(part.keys))
    return conditions


def _batches(url: str, query: sa.Select[Any], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    options: dict[str, Any] = {"stream_results": True, "yield_per": _ROWS_PER_BATCH}
    with worker_engine(url).connect() as connection:
        for rows in connection.execute(query, execution_options=options).partitions():
            arrays = [
                pa.array(values, field.type) for values, field in zip(zip(*rows, strict=True), schema, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)


@cache
def worker_engine(url: str) -> sa.Engine:
    """One pool of connections for each process that runs tasks, however many of them."""
    return make_engine(url)


def _table(kind: Kind) -> sa.Table:
    tables: dict[Any, sa.Table] = {**fact_tables, **derived_tables}
    return tables[kind]
