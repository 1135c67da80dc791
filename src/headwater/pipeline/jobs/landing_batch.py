"""Batch of a landing folder: imports the files that are new."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from headwater.openlineage.policy.withheld import kept_form
from headwater.pipeline.errors import PipelineError, UnreadableSource
from headwater.pipeline.jobs import import_events
from headwater.pipeline.sources.lines import read_lines
from headwater.pipeline.sources.splits import plan_splits, tenant_in
from headwater.pipeline.spark.stream_query import BatchReport
from headwater.pipeline.tasks.dead_letters import dead_letter, keep_dead_letters
from headwater.store.write.dead_letters import Refusal
from headwater.store.write.log import Tenant

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from headwater.pipeline.jobs.import_events import RefusedLine

__all__ = ["FILES", "take_files"]

SOURCE = "FOLDER"
FILES = "*.{ndjson,jsonl,json,log,txt,gz,gzip,zst,zstd,parquet}"
"""Patterns of imported files; other files are ignored."""
_WHOLE = 1 << 62
_DEAD_LETTERS, _DEAD_LETTER_BYTES = 5_000, 64 << 20
"""Refused lines that are kept together."""


class UnknownTenantOfFile(PipelineError):
    code = "unknown_tenant"


def take_files(
    names: DataFrame, url: str, tenants: Mapping[str, Tenant], default: str, stream: str, *, again: bool
) -> BatchReport:
    """Import files by their names, unreadable lines as dead letters; `stream` is the stream's name."""
    rows = names.select("path", F.unix_micros("modificationTime").alias("changed")).collect()  # a row per file
    changed = {_plain(row.path): int(row.changed) for row in rows}
    dead_letters: list[Refusal] = []
    good: list[str] = []
    for path in sorted(changed):
        problem = _problem(path, tenants, default)
        if problem is None:
            good.append(path)
        else:
            tenant = tenants.get(tenant_in(path) or default)
            dead_letters.append(dead_letter(SOURCE, path, tenant, problem, b"", changed[path]))
    refused = _LandingDeadLetters(url, tenants, default, changed, again=again)
    report = import_events.run(
        names.sparkSession,
        url,
        list(map(_source, good)),
        tenants=tenants,
        default_tenant=default,
        owner=stream,
        on_refused=refused.add,
    )
    refused.flush()
    keep_dead_letters(url, dead_letters, again=again)
    return BatchReport(
        messages=report.events + len(dead_letters) + report.refused,
        events=report.events,
        appended=report.appended,
        uninterpreted=report.uninterpreted,
        refused=len(dead_letters) + report.refused,
        facts=report.facts,
        newest=max(changed.values(), default=None),
    )


def _problem(path: str, tenants: Mapping[str, Tenant], default: str) -> PipelineError | None:
    """Reason why a file cannot be imported."""
    code = tenant_in(path) or default
    if code not in tenants:
        return UnknownTenantOfFile(f"There is no tenant {code!r}; create it, then put the file in under a new name.")
    try:
        plan_splits([_source(path)])
    except UnreadableSource as error:
        return error
    return None


class _LandingDeadLetters:
    """Keeps refused lines as dead letters with all of their bytes, some at a time."""

    def __init__(
        self, url: str, tenants: Mapping[str, Tenant], default: str, changed: Mapping[str, int], *, again: bool
    ) -> None:
        self._url, self._tenants, self._default, self._changed = url, tenants, default, changed
        self._again = again
        self._dead_letters: list[Refusal] = []
        self._bytes = 0
        self._bodies = _Bodies()

    def add(self, line: RefusedLine) -> None:
        """Keep a line; lines of one file come in their order."""
        error = PipelineError(line.message, path=line.path, hint=line.hint)
        error.code = line.code
        body = self._bodies.of(line.file, line.line)
        body = line.text.encode() if body is None else body
        tenant = self._tenants[tenant_in(line.file) or self._default]
        _, body = kept_form(error, body, tenant.facet_policy)
        origin = f"{line.file}, line {line.line}"
        self._dead_letters.append(dead_letter(SOURCE, origin, tenant, error, body, self._changed.get(line.file)))
        self._bytes += len(body)
        if len(self._dead_letters) >= _DEAD_LETTERS or self._bytes >= _DEAD_LETTER_BYTES:
            self.flush()

    def flush(self) -> None:
        keep_dead_letters(self._url, self._dead_letters, again=self._again)
        self._dead_letters, self._bytes = [], 0


class _Bodies:
    """Whole lines of files, which are read once more for that, each once from its beginning to its end."""

    def __init__(self) -> None:
        self._path: str | None = None
        self._lines: Iterator[bytes] = iter(())
        self._number = 0

    def of(self, path: str, number: int) -> bytes | None:
        """A line of a file, after those that were asked for before; None if it is not there any more."""
        if path != self._path:
            self._path, self._lines, self._number = path, _lines(path), 0
        body = None
        while self._number < number:
            body = next(self._lines, None)
            self._number += 1
            if body is None:
                return None
        return None if body is None else body.rstrip(b"\r\n")


def _lines(path: str) -> Iterator[bytes]:
    try:
        for split in plan_splits([_source(path)], _WHOLE):
            for _, body, _ in read_lines(split):
                yield body
    except UnreadableSource:
        return  # that is what was refused


def _plain(path: str) -> str:
    """A path for Python from a path of Spark.

    >>> _plain("file:/landing/a b.ndjson"), _plain("s3a://bucket/a.ndjson")
    ('/landing/a b.ndjson', 's3a://bucket/a.ndjson')
    """
    if not path.startswith("file:"):
        return path
    return "/" + path.removeprefix("file:").lstrip("/")


def _source(path: str) -> str:
    """A name that stands for itself, whatever characters are in it."""
    return path if "://" in path else glob.escape(path)
