"""Runs and shapes in the events of a batch, whose derived rows must be computed again."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
from msgspec import Struct

from headwater.bounded_cache import BoundedCache
from headwater.interpret.attempt import attempt
from headwater.interpret.describe import Description
from headwater.openlineage.decode import decode_event
from headwater.openlineage.errors import RefusedEvent
from headwater.openlineage.event import Event
from headwater.pipeline.merge.aggregation import spark_schema
from headwater.pipeline.rollup.changed_keys import ChangedKeys, changed_keys_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["BatchChanges", "changes_in"]

_log = logging.getLogger(__name__)
_RUN, _SHAPE, _COUNT = 0, 1, 2
_ROWS = pa.schema(
    [
        ("what", pa.int32()),
        ("tenant", pa.int64()),
        ("id", pa.binary()),
        ("events", pa.int64()),
        ("last", pa.int64()),
        ("received_at", pa.int64()),
    ]
)
_descriptions: BoundedCache[Description] = BoundedCache(32 << 20)


class BatchChanges(Struct):
    """A batch of the log."""

    tenants: dict[int, ChangedKeys]
    events: int = 0
    last: int = 0
    """The greatest id of the log in it."""
    received_at: int | None = None


def changes_in(frame: DataFrame) -> BatchChanges:
    """Keys named by the events of a frame (`log_source.LOG_ROWS`), which is one batch of the log at most."""
    batch = BatchChanges({})
    rows = frame.mapInArrow(_touch, spark_schema(_ROWS)).collect()
    for row in rows:
        if row.what == _COUNT:
            batch.events += row.events
            batch.last = max(batch.last, row.last)
            batch.received_at = max(batch.received_at or 0, row.received_at)
            continue
        changed = batch.tenants.setdefault(row.tenant, ChangedKeys(set(), set()))
        (changed.runs if row.what == _RUN else changed.shapes).add(bytes(row.id))
    return batch


def _touch(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        found: dict[int, ChangedKeys] = {}
        for tenant, body in zip(batch["tenant"].to_pylist(), batch["event"].to_pylist(), strict=True):
            try:
                interpretation = attempt(decode_event(body), tenant, _descriptions, _failed)
            except RefusedEvent:  # taken by another version of Headwater
                continue
            for number, changed in changed_keys_of(interpretation.own if interpretation is not None else ()).items():
                known = found.setdefault(number, ChangedKeys(set(), set()))
                known.runs.update(changed.runs)
                known.shapes.update(changed.shapes)
        ids, times = batch["id"].to_pylist(), batch["received_at"].to_pylist()
        if ids:
            counts = {"what": _COUNT, "events": len(ids), "last": max(ids), "received_at": max(times)}
            yield pa.RecordBatch.from_pylist([counts, *_rows(found)], schema=_ROWS)


def _rows(found: dict[int, ChangedKeys]) -> Iterator[dict[str, object]]:
    for tenant, changed in found.items():
        for run in changed.runs:
            yield {"what": _RUN, "tenant": tenant, "id": run}
        for shape in changed.shapes:
            yield {"what": _SHAPE, "tenant": tenant, "id": shape}


def _failed(event: Event, error: Exception) -> None:
    _log.error("an event could not be interpreted: %r (fingerprint %s)", error, event.fingerprint.hex())
