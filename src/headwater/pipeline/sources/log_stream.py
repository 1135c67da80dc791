"""The event log as a streaming source of Spark, for every SQL store; offsets are ids of the log.

`spark.dataSource.register(LogSource)`, then `spark.readStream.format("headwater_log").option("url", ...)`.

With several writers a smaller id can become visible after a greater one. So an offset also names such late ids: they
are found by looking again, for a while, at the ids that were passed already. And it names ranges of ids to read once
more, because their facts came into the graph after them (`store.pipeline.late_facts`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import sqlalchemy as sa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition

from headwater.pipeline.tasks.replay_events import reading_engine
from headwater.store.compression import decompress
from headwater.store.pipeline.late_facts import LateRange, forget_late, late_ranges
from headwater.store.tables import events

__all__ = ["LOG_ROWS", "LogPartition", "LogSource", "LogStreamReader"]

LOG_ROWS = pa.schema([("id", pa.int64()), ("tenant", pa.int64()), ("event", pa.binary()), ("received_at", pa.int64())])
_WINDOW = 5_000
"""How many ids back a late one is looked for."""
_PARTITION = 5_000
_PAGE = 500
_AT_ONCE = 50_000
"""Events in one batch, unless another number is set."""

Offset = dict[str, Any]


class LogPartition(InputPartition):
    """A range of ids, both ends included, or some ids by themselves."""

    def __init__(self, first: int, last: int, ids: tuple[int, ...] = ()) -> None:
        super().__init__((first, last, ids))
        self.first, self.last, self.ids = first, last, ids


class LogSource(DataSource):
    """Options: `url` of the store; `start`, the id after which a new stream begins; `at_once`, events in a batch."""

    @classmethod
    def name(cls) -> str:
        return "headwater_log"

    def schema(self) -> str:
        return "id bigint, tenant bigint, event binary, received_at bigint"

    def streamReader(self, schema: Any) -> DataSourceStreamReader:  # noqa: ARG002, N802 - Spark's names
        options = self.options
        return LogStreamReader(options["url"], int(options.get("start", 0)), int(options.get("at_once", _AT_ONCE)))


class LogStreamReader(DataSourceStreamReader):
    """Lives in one process beside the driver; `read` runs in the tasks."""

    def __init__(self, url: str, start: int, at_once: int) -> None:
        self._url, self._start, self._at_once = url, start, at_once
        self._passed: set[int] | None = None
        self._offset: Offset | None = None

    def initialOffset(self) -> Offset:  # noqa: N802
        return {"id": self._start, "late": "", "again": ""}

    def latestOffset(self, start: Offset | None = None, limit: Any = None) -> Offset:  # noqa: N802, ARG002
        """Spark 4.2 passes the end of the last batch; for older versions the reader keeps it itself."""
        before = start or self._offset
        with reading_engine(self._url).connect() as connection:
            newest = int(connection.execute(sa.select(sa.func.max(events.c.id))).scalar() or 0)
            end = newest if before is None else max(before["id"], min(newest, before["id"] + self._at_once))
            late = self._late(connection, before["id"] if before is not None else end, end)
            again = self._again(connection, _ranges(before), end)
        if before is None or end != before["id"] or late or again:
            self._offset = {"id": end, "late": ",".join(map(str, late)), "again": _text(again)}
        else:
            self._offset = before
        return self._offset

    def partitions(self, start: Offset, end: Offset) -> Sequence[InputPartition]:
        if start == end:
            return []
        found: list[InputPartition] = []
        if end["late"]:
            found.append(LogPartition(0, 0, tuple(map(int, end["late"].split(",")))))
        for part in _ranges(end):
            found += _partitions(part.first, part.last)
        return [*found, *_partitions(start["id"] + 1, end["id"])]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, LogPartition)  # noqa: S101 - our own `partitions` made it
        columns = (events.c.id, events.c.tenant_id, events.c.event, events.c.received_at)
        first = partition.first
        while True:
            chosen = (
                events.c.id.in_(partition.ids)
                if partition.ids
                else sa.and_(events.c.id >= first, events.c.id <= partition.last)
            )
            with reading_engine(self._url).connect() as connection:
                query = sa.select(*columns).where(chosen).order_by(events.c.id)
                rows = connection.execute(query if partition.ids else query.limit(_PAGE)).all()
            if rows:
                ids, tenants, bodies, times = zip(*rows, strict=True)
                yield pa.record_batch([ids, tenants, list(map(decompress, bodies)), times], schema=LOG_ROWS)
            if partition.ids or len(rows) < _PAGE:
                return
            first = rows[-1][0] + 1

    def commit(self, end: Offset) -> None:
        """The log stays; noted ranges that were read again are removed."""
        done = _ranges(end)
        if done:
            forget_late(reading_engine(self._url), done)

    def _again(self, connection: sa.Connection, taken: list[LateRange], end: int) -> list[LateRange]:
        """Ranges to read again, up to the size of a batch; those `taken` are in the batch before."""
        known, chosen, room = {part.row: part.last for part in taken}, [], self._at_once
        for part in late_ranges(connection):
            first = max(part.first, known.get(part.row, 0) + 1)
            last = min(part.last, end, first + room - 1)  # beyond the end they are still to come
            if last >= first:
                chosen.append(LateRange(part.row, first, last))
                room -= last - first + 1
            if room <= 0:
                break
        return chosen

    def _late(self, connection: sa.Connection, passed: int, end: int) -> list[int]:
        """Ids that became visible after they were passed. A new reader takes all recent ones again.

        Present ids are read once and kept in memory; any that appears afterwards is late.
        """
        if connection.dialect.name == "sqlite":  # one writer at a time: ids come in order
            return []
        window = sa.and_(events.c.id > passed - _WINDOW, events.c.id <= end)
        visible = set(connection.execute(sa.select(events.c.id).where(window)).scalars())
        late = sorted(number for number in visible if number <= passed and number not in (self._passed or ()))
        self._passed = {number for number in visible if number > end - _WINDOW}
        return late


def _partitions(first: int, last: int) -> list[InputPartition]:
    return [LogPartition(at, min(at + _PARTITION - 1, last)) for at in range(first, last + 1, _PARTITION)]


def _text(ranges: Sequence[LateRange]) -> str:
    return ",".join(f"{part.row}:{part.first}-{part.last}" for part in ranges)


def _ranges(offset: Offset | None) -> list[LateRange]:
    """The ranges that an offset names; those of older versions name none."""
    found = []
    for text in filter(None, ((offset or {}).get("again") or "").split(",")):
        row, _, ids = text.partition(":")
        first, _, last = ids.partition("-")
        found.append(LateRange(int(row), int(first), int(last)))
    return found
