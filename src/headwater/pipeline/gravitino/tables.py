"""Reads the tables of a metalake, which are most of a full sync: in threads of this process, or on Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from headwater.pipeline.gravitino.events import EventMaker
from headwater.pipeline.gravitino.rest import ApiOptions, GravitinoApi, GravitinoFailed
from headwater.pipeline.spark.session import described, parallelism

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

__all__ = ["FoundTable", "TableName", "TableReader", "on_spark", "with_threads"]

_THREADS = 8
_AT_ONCE = 100
_LEAST, _MOST, _ROUNDS = 25, 200, 20
"""Tables that one task of Spark reads at least and at most; and about how many rounds of tasks there are."""
_SCHEMA = "number int, body binary, columns int, error string, hint string"
TableName = tuple[str, str, str]
"""Catalog, schema, table."""


class FoundTable(Struct, frozen=True):
    """An existing table, as an event."""

    name: TableName
    body: bytes
    columns: int


TableReader = Callable[[EventMaker, Sequence[TableName]], Iterator[list[FoundTable]]]
"""Reads tables, some at a time; tables that were dropped meanwhile are left out: their events say so."""


def with_threads(api: GravitinoApi) -> TableReader:
    """Some requests at once, in this process."""

    def read(events: EventMaker, names: Sequence[TableName]) -> Iterator[list[FoundTable]]:
        for start in range(0, len(names), _AT_ONCE):
            found, failure = _read_part(api, events, names[start : start + _AT_ONCE])
            yield found
            if failure is not None:
                raise failure

    return read


def on_spark(spark: SparkSession, options: Callable[[], ApiOptions]) -> TableReader:
    """Tasks of Spark read the tables, each at its share of the rate; `options` are asked for before every round."""
    tasks = parallelism(spark)

    def read(events: EventMaker, names: Sequence[TableName]) -> Iterator[list[FoundTable]]:
        size = max(_LEAST, min(_MOST, len(names) // (tasks * _ROUNDS)))
        for start in range(0, len(names), size * tasks):
            of_round = names[start : start + size * tasks]
            parts = [of_round[first : first + size] for first in range(0, len(of_round), size)]
            told = options()
            work = _task(msgspec.structs.replace(told, rate=told.rate / tasks), events, parts)
            with described(spark, f"sync: tables {start + 1} to {start + len(of_round)} of {len(names)}"):
                rows = spark.range(0, len(parts), 1, len(parts)).mapInArrow(work, _SCHEMA).collect()
            yield [FoundTable(of_round[row.number], bytes(row.body), row.columns) for row in rows if row.body]
            for row in rows:
                if row.error is not None:
                    raise GravitinoFailed(row.error, hint=row.hint)

    return read


def _task(
    options: ApiOptions, events: EventMaker, parts: Sequence[Sequence[TableName]]
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A task over places in a list of parts. A failure is an answer: Spark would only try the same again."""

    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa  # noqa: PLC0415 - an extra

        api = GravitinoApi(options)
        names = ("number", "body", "columns", "error", "hint")
        types = (pa.int32(), pa.binary(), pa.int32(), pa.string(), pa.string())
        for batch in batches:
            for place in batch.column(0).to_pylist():
                rows: list[tuple[Any, ...]]
                before = sum(map(len, parts[:place]))
                number = {name: before + at for at, name in enumerate(parts[place])}
                read, failure = _read_part(api, events, parts[place])
                rows = [(number[found.name], found.body, found.columns, None, None) for found in read]
                if failure is not None:
                    rows.append((None, None, None, failure.message, failure.hint))
                columns = [
                    pa.array(column, kind) for column, kind in zip(zip(*rows, strict=True), types, strict=True)
                ] or [pa.array([], kind) for kind in types]
                yield pa.RecordBatch.from_arrays(columns, list(names))

    return work


def _read_part(
    api: GravitinoApi, events: EventMaker, names: Sequence[TableName]
) -> tuple[list[FoundTable], GravitinoFailed | None]:
    """The tables that could be read, and why no more of them."""
    found: list[FoundTable] = []
    failure: GravitinoFailed | None = None
    with ThreadPoolExecutor(_THREADS) as threads:
        try:
            for answer in [threads.submit(_table, api, events, name) for name in names]:
                try:
                    table = answer.result()
                except GravitinoFailed as error:
                    failure = error
                else:
                    found += [table] if table is not None else []
        except BaseException:
            api.stop()  # what waits for the server is not waited for
            raise
    return found, failure


def _table(api: GravitinoApi, events: EventMaker, name: TableName) -> FoundTable | None:
    catalog, schema, table = name
    path = ("catalogs", catalog, "schemas", schema, "tables", table)
    answer = api.get(*path, missing_is_none=True)
    if answer is None:
        return None
    found = answer.get("table")
    if not isinstance(found, dict):
        raise api.failed(path, "its answer has no table")
    columns = found.get("columns")
    count = sum(isinstance(column, dict) for column in columns) if isinstance(columns, list) else 0
    return FoundTable(name, events.table(catalog, schema, {**found, "name": table}), count)
