"""Versions of datasets: one per writing run, one per dataset event, and one for reads before any of these."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

import msgspec
from msgspec import Struct

from headwater.graph.facts import Evidence, Role, Run, RunShape, RunStatus, Seen, Shape, ShapeDataset
from headwater.lineage.marquez.instants import made_id
from headwater.lineage.marquez.view import View
from headwater.openlineage.identity import stamp_time

__all__ = ["DatasetVersion", "VersionHistory", "histories", "version_at", "version_page"]

_RECENT = 5
_READS = 500
"""Different ways of reading a dataset that are looked at for the first of them."""


class DatasetVersion(Struct, frozen=True):
    """One version of a dataset."""

    dataset: bytes
    created: int
    settled: int | None
    """When it became the current one; None for a run that has not (yet) succeeded."""
    run: bytes | None = None
    shape: bytes | None = None
    """The dataset or job event that made it."""
    is_first: bool = False
    """Found, not made: somebody read it before anybody is known to have written it."""

    @property
    def id(self) -> str:
        return made_id("version", self.dataset, self.run or self.shape or b"first")


class VersionHistory(Struct, frozen=True):
    """Versions of a dataset as far as they are known without reading every run."""

    dataset: bytes
    writers: frozenset[bytes]
    """Jobs that wrote it in runs."""
    output_shapes: frozenset[bytes]
    """Shapes of the writing runs."""
    recent: tuple[DatasetVersion, ...]
    """Those of the newest successful runs, newest first."""
    others: tuple[DatasetVersion, ...]
    """Those that no run made."""

    @property
    def current(self) -> DatasetVersion | None:
        settled = [version for version in (*self.recent, *self.others) if version.settled is not None]
        made = [version for version in settled if not version.is_first]
        return max(made or settled, key=lambda version: (version.settled or 0, version.created), default=None)


def histories(view: View, datasets: Collection[bytes]) -> dict[bytes, VersionHistory]:
    """Versions of these datasets from their newest runs; each is looked up once."""
    unknown = [dataset for dataset in datasets if dataset not in view.histories]
    if unknown:
        view.histories |= _histories(view, unknown)
    return {dataset: view.histories[dataset] for dataset in datasets}


def _histories(view: View, datasets: Collection[bytes]) -> dict[bytes, VersionHistory]:
    members = view.members(datasets)
    parts = [
        msgspec.structs.replace(part, dataset=members[part.dataset])
        for role in (Role.OUTPUT, Role.SUBJECT)
        for part in view.facts(ShapeDataset, dataset=set(members), role=int(role))
    ]
    written = {part.shape for part in parts}
    shapes = {shape.shape: shape for shape in view.facts(Shape, shape=written)}
    evidence = {item.shape: item for item in view.facts(Evidence, shape={part.shape for part in parts})}
    by_run: dict[bytes, set[bytes]] = defaultdict(set)
    for part in parts:
        if part.role == Role.OUTPUT and shapes[part.shape].kind == "RUN_EVENT":
            by_run[part.dataset].add(part.shape)
    writers = {shapes[shape].job or b"" for found in by_run.values() for shape in found}
    streams = {shapes[shape].job or b"" for shape in written if (shapes[shape].processing or "").startswith("STREAM")}
    runs = _runs(view, writers, writers & streams)
    run_shapes: dict[bytes, list[RunShape]] = defaultdict(list)
    for item in view.facts(RunShape, run=set(runs)):
        run_shapes[item.shape].append(item)
    first_read = _first_reads(view, members, {part.dataset for part in parts})
    grouped: dict[bytes, list[ShapeDataset]] = defaultdict(list)
    for part in parts:
        grouped[part.dataset].append(part)
    return {
        dataset: VersionHistory(
            dataset,
            frozenset(shapes[shape].job or b"" for shape in by_run[dataset]),
            frozenset(by_run[dataset]),
            tuple(_made_by_runs(dataset, by_run[dataset], run_shapes, runs)),
            tuple(_others(dataset, grouped[dataset], shapes, evidence, first_read.get(dataset))),
        )
        for dataset in datasets
    }


def _first_reads(view: View, members: dict[bytes, bytes], written: set[bytes]) -> dict[bytes, int]:
    """First read of each dataset that may have been read before it was written.

    A hub is read in thousands of ways: there the first event about it is taken, except for names that were
    only mentioned.
    """
    names = view.names(members)
    found: dict[bytes, int] = {}
    mentioned = []
    for member, name in names.items():
        if not name.seen & Seen.INPUT:
            continue
        if name.seen & (Seen.REFERENCE | Seen.SYMLINK):
            mentioned.append(member)
        elif not name.seen & (Seen.OUTPUT | Seen.SUBJECT) or members[member] not in written:
            found[members[member]] = name.first_seen or 0
        else:
            mentioned.append(member)
    reads = view.listing.mentions(view.tenant, mentioned, Role.INPUT, _READS)
    first = {
        item.shape: item.first_seen or 0
        for item in view.facts(Evidence, shape={shape for pairs in reads.values() for shape, _ in pairs})
    }
    for member, pairs in reads.items():
        time = min(first.get(shape, 0) for shape, _ in pairs)
        found[members[member]] = min(time, found.get(members[member], time))
    return found


def version_at(
    history: VersionHistory | None, dataset: bytes, time: int, reader: bytes | None = None
) -> DatasetVersion:
    """The version that a reader at this time saw; a run does not read its own output."""
    known = [*(history.recent if history else ()), *(history.others if history else ())]
    found = [version for version in known if version.run is None or version.run != reader]
    before = [version for version in found if version.settled is not None and version.settled <= time]
    made = [version for version in before if not version.is_first]
    if made or before:
        return max(made or before, key=lambda version: version.settled or 0)
    first = next((version for version in found if version.is_first), None)
    return first or min(found, key=lambda version: version.created, default=_first(dataset, time))


def version_page(view: View, history: VersionHistory, *, limit: int, offset: int) -> tuple[list[DatasetVersion], int]:
    """A page of all versions, newest first, and how many there are."""
    tenant, dataset = view.tenant, history.dataset
    jobs, shapes = history.writers, history.output_shapes
    total = view.activity.count_runs_with(tenant, jobs, shapes) if shapes else 0
    reach = limit + offset if history.others else limit
    runs: list[bytes] = []
    if shapes and limit:
        start = 0 if history.others else offset
        runs = view.activity.runs_with(tenant, jobs, shapes, limit=reach, offset=start)
    facts = {run.run: run for run in view.facts(Run, run=set(runs))}
    run_shapes: dict[bytes, list[RunShape]] = defaultdict(list)
    for item in view.facts(RunShape, run=set(runs)):
        run_shapes[item.shape].append(item)
    found = [*_made_by_runs(dataset, set(shapes), run_shapes, facts, all_runs=True), *history.others]
    found.sort(key=lambda version: version.created, reverse=True)
    return found[offset : offset + limit] if history.others else found, total + len(history.others)


def _runs(view: View, writers: set[bytes], streams: set[bytes]) -> dict[bytes, Run]:
    ended = view.activity.latest_runs(view.tenant, writers, _RECENT, ended=True)
    running = view.activity.latest_runs(view.tenant, streams, _RECENT)
    ids = {run for found in (*ended.values(), *running.values()) for run in found}
    return {run.run: run for run in view.facts(Run, run=ids)}


def _made_by_runs(
    dataset: bytes,
    shapes: set[bytes],
    run_shapes: dict[bytes, list[RunShape]],
    runs: dict[bytes, Run],
    *,
    all_runs: bool = False,
) -> list[DatasetVersion]:
    created: dict[bytes, int] = {}
    for shape in shapes:
        for item in run_shapes.get(shape, ()):
            first = item.first_seen or 0
            created[item.run] = min(first, created.get(item.run, first))
    found = []
    for run_id, first in created.items():
        run = runs[run_id]
        succeeded = run.status == RunStatus.SUCCEEDED
        settled = (run.ended_at or run.last_seen) if succeeded else None
        if settled is None and not all_runs:
            settled = run.last_seen  # a stream: it is current from its first event on
        found.append(DatasetVersion(dataset, first, settled, run=run_id))
    return sorted(found, key=lambda version: version.created, reverse=True)


def _others(
    dataset: bytes,
    parts: list[ShapeDataset],
    shapes: dict[bytes, Shape],
    evidence: dict[bytes, Evidence],
    first_read: int | None,
) -> list[DatasetVersion]:
    """Versions by dataset and job events; and the first one, if it was read before it was written."""
    found = []
    first_written: int | None = None
    for part in parts:
        item = evidence.get(part.shape)
        if item is None or item.first_seen is None or item.last is None:
            continue
        first_written = item.first_seen if first_written is None else min(first_written, item.first_seen)
        if shapes[part.shape].kind != "RUN_EVENT":
            found.append(DatasetVersion(dataset, item.first_seen, stamp_time(item.last), shape=part.shape))
    if first_read is not None and (first_written is None or first_read <= first_written):
        found.append(_first(dataset, first_read))
    return found


def _first(dataset: bytes, time: int) -> DatasetVersion:
    return DatasetVersion(dataset, time, time, is_first=True)
