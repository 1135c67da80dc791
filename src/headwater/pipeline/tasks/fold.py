"""Fold inside a Spark task: decode, interpret, fold; each fact once.

Facts of single runs, nearly all there are, hardly ever meet others: the task writes them itself, and the store merges
those that do. The others go to Spark, which merges the facts of all tasks.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Protocol

import msgspec
import pyarrow as pa
from msgspec import Struct

from headwater.bounded_cache import BoundedCache
from headwater.errors import HeadwaterError
from headwater.graph.fact import Fact
from headwater.graph.fold import Graph, fold_into
from headwater.interpret.attempt import attempt
from headwater.interpret.describe import Description
from headwater.interpret.interpret import Interpretation
from headwater.openlineage.decode import decode_event
from headwater.openlineage.event import Event
from headwater.pipeline.merge.slots import arrow_schema, to_batch
from headwater.store.write.log import Entry, Tenant
from headwater.store.write.upsert import Row, row_function

__all__ = ["REPORT", "Folding", "RefusedLine", "TaskReport", "may_write", "refusal", "report_batch"]

REPORT = -1
"""The kind of a row that is no fact but the report of a task."""

_log = logging.getLogger(__name__)
_ROWS = 4000
_PORTION = 24_576
"""Events after which the facts of their runs are written; up to twice as many while another task writes.

Many at once: a run is entered in indexes by its job and by its shapes, at as many places as there are jobs, and each
place is a page to write.
"""
_LOOK = 256
"""Events after which it is looked again whether the other one is done."""
_SCHEMA = arrow_schema()
_CACHE_BYTES = 64 << 20
_ANNOUNCED = 200_000

_descriptions: BoundedCache[Description] = BoundedCache(_CACHE_BYTES)
"""Cache of a Python worker, which serves many tasks in turn."""


class Merger(Protocol):
    """Writes the facts of runs."""

    def merge(self, facts: Mapping[type[Fact], Sequence[Row]]) -> None:
        """Merge rows of one tenant, in the order of their keys, in one transaction."""

    def is_free(self) -> bool:
        """Whether nobody else keeps us from writing just now."""


def may_write(writer: Merger, waiting: int, portion: int) -> bool:
    """Whether to write a portion now: rather than wait for another task that writes, a task reads on, for a while."""
    return waiting >= 2 * portion or (waiting % _LOOK == 0 and writer.is_free())


class RefusedLine(Struct, frozen=True, gc=False):
    """A line that is no event, and why."""

    line: int
    code: str
    message: str
    path: str | None
    hint: str | None
    text: str


class TaskReport(Struct, frozen=True, gc=False):
    """Report of a task."""

    task: int
    lines: int = 0
    events: int = 0
    appended: int = 0
    uninterpreted: int = 0
    facts: int = 0
    """Those that it wrote itself."""
    refused: tuple[RefusedLine, ...] = ()
    newest: int = 0
    """Time at which the newest event was received, if the source has it; microseconds since 1970."""
    refused_lines: int = 0
    """All of them, also those that are not in `refused`."""
    missing: str | None = None
    """The machine where the file of the task is not there."""


class _Announced:
    """Shapes that this process has passed on already, so that other tasks of the same run need not repeat them.

    A repeated task must pass on all of its shapes again; so a task skips a shape only if another task passed it on. A
    part of a job is done only when those before it are, so their shapes are in the store, or everything is done
    again.
    """

    def __init__(self) -> None:
        self._run = ""
        self._first: dict[tuple[int, bytes], tuple[int, str]] = {}

    def begin(self, run: str) -> None:
        if run != self._run or len(self._first) > _ANNOUNCED:
            self._run, self._first = run, {}

    def is_known(self, key: tuple[int, bytes], time: int, task: str) -> bool:
        known = self._first.get(key)
        return known is not None and known[0] <= time and known[1] != task

    def learn(self, key: tuple[int, bytes], time: int, task: str) -> None:
        known = self._first.get(key)
        if known is None or time < known[0] or known[1] == task:
            self._first[key] = (time if known is None else min(time, known[0]), task)


_announced = _Announced()


class Folding:
    """Folds the events of one task."""

    def __init__(self, run: str, task: str, writer: Merger) -> None:
        self._writer = writer
        self._graph: Graph = {}
        self._since_written = 0
        self._first_seen: dict[tuple[int, bytes], int] = {}
        self._task = task
        self.events = 0
        self.uninterpreted = 0
        self.written = 0
        """Facts of runs."""
        _announced.begin(run)

    def read(self, tenant: Tenant, body: bytes, received_at: int) -> Entry:
        """Decode an event and add its facts. Raises `RefusedEvent`."""
        event = decode_event(body)
        return Entry(tenant, event, self.take(tenant, event), received_at)

    def take(self, tenant: Tenant, event: Event) -> Interpretation | None:
        """Add the facts of a decoded event."""
        if self._since_written >= _PORTION and may_write(self._writer, self._since_written, _PORTION):
            self._write_runs()
        interpretation = attempt(event, tenant.id, _descriptions, self._failed)
        self.events += 1
        self._since_written += 1
        if interpretation is not None:
            self._fold(tenant.id, interpretation)
        return interpretation

    def _fold(self, tenant: int, interpretation: Interpretation) -> None:
        fold_into(self._graph, interpretation.own)
        key = (tenant, interpretation.description.shape)
        first = self._first_seen.get(key)
        if first is not None and first <= interpretation.time:
            return
        if first is None and _announced.is_known(key, interpretation.time, self._task):
            return
        self._first_seen[key] = interpretation.time
        fold_into(self._graph, interpretation.description.facts(interpretation.time))
        _announced.learn(key, interpretation.time, self._task)

    def _write_runs(self) -> None:
        """Write the facts of runs; one tenant in a transaction, keys in the order of every writer."""
        of_tenant: dict[int, dict[type[Fact], list[Row]]] = {}
        for kind in [kind for kind in self._graph if kind.is_of_run]:
            table, row_of = self._graph.pop(kind), row_function(kind)
            for tenant, keys in groupby(sorted(table), key=_tenant_of):
                of_tenant.setdefault(tenant, {})[kind] = [row_of(table[key]) for key in keys]
        for facts in of_tenant.values():
            self._writer.merge(facts)
            self.written += sum(map(len, facts.values()))
        self._since_written = 0

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Write remaining facts of runs; give the others, folded, as rows of the wide table."""
        self._write_runs()
        for kind, table in self._graph.items():
            facts = list(table.values())
            for start in range(0, len(facts), _ROWS):
                yield to_batch(kind, facts[start : start + _ROWS])

    def _failed(self, event: Event, error: Exception) -> None:
        self.uninterpreted += 1
        _log.error("an event could not be interpreted: %r (fingerprint %s)", error, event.fingerprint.hex())


_tenant_of = itemgetter(0)


def refusal(line: int, error: HeadwaterError, body: bytes) -> RefusedLine:
    text = body[:2000].decode("utf-8", "replace").rstrip("\r\n")
    return RefusedLine(line, error.code, error.message, error.path, error.hint, text)


def report_batch(report: TaskReport) -> pa.RecordBatch:
    """A report as a row of the wide table, so that it travels with the facts."""
    interpretation: dict[str, Any] = {
        "kind": REPORT,
        "tenant": 0,
        "key": report.task.to_bytes(8, "big"),
        "max_bytes_0": msgspec.json.encode(report),
    }
    return pa.RecordBatch.from_pylist([interpretation], schema=_SCHEMA)
