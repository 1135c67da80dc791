"""Writes derived rows into staging tables: sorted, in bulk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, partial

import pyarrow as pa
import sqlalchemy as sa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from headwater.graph.derived import Derived
from headwater.pipeline.spark.schemas import key_columns
from headwater.store.write.staged_derived import StagedWriter

__all__ = ["write_derived"]

CONNECTIONS = 4
"""How many tasks write at once. SQLite has one writer at a time anyway."""


def write_derived(frame: DataFrame, url: str, kind: type[Derived], name: str) -> int:
    """Write a frame into the table of its kind among those aside; gives the number of rows."""
    tasks = 1 if sa.make_url(url).get_backend_name() == "sqlite" else CONNECTIONS
    ordered = frame.coalesce(tasks).sortWithinPartitions(*key_columns(kind))
    written = ordered.mapInArrow(partial(_write, url=url, kind=kind, name=name), "rows bigint")
    return int(written.agg(F.sum("rows")).first()[0] or 0)  # type: ignore[index]  # an aggregation has one row


def _write(batches: Iterable[pa.RecordBatch], *, url: str, kind: type[Derived], name: str) -> Iterator[pa.RecordBatch]:
    writer, count = _writer(url, name), 0
    for batch in batches:
        if batch.num_rows:
            writer.write(kind, list(zip(*(column.to_pylist() for column in batch.columns), strict=True)))
            count += batch.num_rows
    yield pa.RecordBatch.from_pydict({"rows": [count]})


@cache
def _writer(url: str, name: str) -> StagedWriter:
    return StagedWriter(url, name)
