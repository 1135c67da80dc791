"""One batch of a landing folder: the files that are new in it, taken as an import takes them."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from headwater.pipeline.errors import PipelineError, UnreadableSource
from headwater.pipeline.jobs import import_events
from headwater.pipeline.letters import keep_letters, letter
from headwater.pipeline.lines import read_lines
from headwater.pipeline.sources import plan_splits, tenant_in
from headwater.pipeline.streaming import BatchReport
from headwater.store.dead_letters import Refusal
from headwater.store.log import Tenant

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from headwater.pipeline.jobs.import_events import RefusedLine

__all__ = ["FILES", "take_files"]

SOURCE = "FOLDER"
FILES = "*.{ndjson,jsonl,json,log,txt,gz,gzip,zst,zstd,parquet}"
"""What is taken; whatever else lies there stays as it is."""
_WHOLE = 1 << 62


class UnknownTenantOfFile(PipelineError):
    code = "unknown_tenant"


def take_files(names: DataFrame, url: str, tenants: Mapping[str, Tenant], default: str, *, again: bool) -> BatchReport:
    """Import files by their names, with what could not be read kept as dead letters."""
    rows = names.select("path", F.unix_micros("modificationTime").alias("changed")).collect()  # a row per file
    changed = {_plain(row.path): int(row.changed) for row in rows}
    letters: list[Refusal] = []
    good: list[str] = []
    for path in sorted(changed):
        problem = _problem(path, tenants, default)
        if problem is None:
            good.append(path)
        else:
            tenant = tenants.get(tenant_in(path) or default)
            letters.append(letter(SOURCE, path, tenant, problem, b"", changed[path]))
    refused: list[RefusedLine] = []
    report = import_events.run(
        names.sparkSession,
        url,
        list(map(_source, good)),
        tenants=tenants,
        default_tenant=default,
        on_refused=refused.append,
    )
    for path in {line.file for line in refused}:
        of_file = [line for line in refused if line.file == path]
        letters += _letters_of(path, of_file, tenants[tenant_in(path) or default], changed.get(path))
    keep_letters(url, letters, again=again)
    return BatchReport(
        messages=report.events + len(letters),
        events=report.events,
        appended=report.appended,
        uninterpreted=report.uninterpreted,
        refused=len(letters),
        facts=report.facts,
        newest=max(changed.values(), default=None),
    )


def _problem(path: str, tenants: Mapping[str, Tenant], default: str) -> PipelineError | None:
    """Why a file cannot be taken at all."""
    code = tenant_in(path) or default
    if code not in tenants:
        return UnknownTenantOfFile(f"There is no tenant {code!r}; create it, then put the file in under a new name.")
    try:
        plan_splits([_source(path)])
    except UnreadableSource as error:
        return error
    return None


def _letters_of(path: str, lines: Sequence[RefusedLine], tenant: Tenant, changed: int | None) -> Iterator[Refusal]:
    """Refused lines of one file with all of their bytes, for which it is read once more."""
    wanted = {line.line for line in lines}
    bodies: dict[int, bytes] = {}
    number = 0
    try:
        for split in plan_splits([_source(path)], _WHOLE):
            for _, body in read_lines(split):
                number += 1
                if number in wanted:
                    bodies[number] = body.rstrip(b"\r\n")
    except UnreadableSource:
        pass  # that is what was refused
    for line in lines:
        error = PipelineError(line.message, path=line.path, hint=line.hint)
        error.code = line.code
        body = bodies.get(line.line, line.text.encode())
        yield letter(SOURCE, f"{path}, line {line.line}", tenant, error, body, changed)


def _plain(path: str) -> str:
    """A path as Python wants it: Spark says file:/folder/name of a file of this machine.

    >>> _plain("file:/landing/a b.ndjson"), _plain("s3a://bucket/a.ndjson")
    ('/landing/a b.ndjson', 's3a://bucket/a.ndjson')
    """
    if not path.startswith("file:"):
        return path
    return "/" + path.removeprefix("file:").lstrip("/")


def _source(path: str) -> str:
    """A name that stands for itself, whatever characters are in it."""
    return path if "://" in path else glob.escape(path)
