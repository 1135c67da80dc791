"""How things stood at a moment: which run of a job was its newest, and whether a dataset was there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from headwater.graph.current.existence import UNDONE, is_there, shows_it_is_there
from headwater.graph.facts import OutputType, Role
from headwater.interpret.interpret import interpret
from headwater.openlineage.decode import decode_event
from headwater.openlineage.event import EventKind
from headwater.openlineage.identity import stamp_time
from headwater.store.compression import decompress
from headwater.store.read.dataset_changes import changes_of
from headwater.store.read.lookup import Lookup
from headwater.store.read.shapes.contents import ShapeBody

__all__ = ["dropped_at_moment", "newest_runs"]

Bodies = Callable[[Collection[bytes]], Mapping[bytes, ShapeBody]]
Newest = dict[bytes, tuple[tuple[int, bytes], dict[bytes, int]]]
"""By job: the order of its newest run, and the shapes of this run, each with its first time."""

_NEWEST = (
    "SELECT n.node, (SELECT r.run FROM run r WHERE r.tenant = n.tenant AND r.job = n.node AND r.first_seen <= ? "
    "ORDER BY r.first_seen DESC, r.run DESC LIMIT 1) FROM node n WHERE n.tenant = ? AND n.node {ids}"
)
_OLDER = (
    "SELECT run, first_seen, ended_at FROM run WHERE tenant = ? AND job = ? AND "
    "(first_seen < ? OR (first_seen = ? AND run < ?)) ORDER BY first_seen DESC, run DESC LIMIT 20"
)
_RUNS = "SELECT run, job, first_seen, ended_at FROM run WHERE tenant = ? AND run {ids}"
_SHAPES_OF_RUNS = "SELECT run, shape, first_seen FROM run_shape WHERE tenant = ? AND run {ids} AND first_seen <= ?"
_ENDED = (
    "SELECT 1 FROM lineage_events WHERE tenant_id = ? AND run = ? AND event_time <= ? "
    "AND event_type IN ('COMPLETE', 'FAIL', 'ABORT') LIMIT 1"
)

_EVER_DROPPED = "SELECT dataset FROM lifecycle WHERE tenant = ? AND dataset {ids} AND dropped_at IS NOT NULL"
_WRITES = (
    "SELECT p.dataset, p.shape, p.[role], p.types, e.first_seen, e.[last] FROM shape_dataset p "
    "JOIN evidence e ON e.tenant = p.tenant AND e.shape = p.shape "
    f"WHERE p.tenant = ? AND p.dataset {{ids}} AND p.[role] IN ({int(Role.OUTPUT)}, {int(Role.SUBJECT)})"
)
_NOT_FAILED = f"(r.status IS NULL OR r.status NOT IN ({', '.join(str(int(status)) for status in UNDONE)}))"
_BEGAN = (
    "SELECT 1 FROM run_shape s JOIN run r ON r.tenant = s.tenant AND r.run = s.run "
    f"WHERE s.tenant = ? AND s.shape = ? AND s.first_seen > ? AND s.first_seen <= ? AND {_NOT_FAILED} LIMIT 1"
)
_WRITING_RUNS = (
    "SELECT s.run, s.last_seen FROM run r JOIN run_shape s ON s.tenant = r.tenant AND s.run = r.run "
    "WHERE r.tenant = ? AND r.job {ids} AND r.first_seen <= ? AND r.last_seen > ? AND s.shape = ? "
    f"AND s.first_seen <= ? AND s.last_seen > ? AND {_NOT_FAILED}"
)
"""Runs with a shape first stated by one time, and last stated after another."""
_DECLARED = "SELECT stamp FROM declaration WHERE tenant = ? AND node {ids} AND shape = ?"
_EVENTS = "SELECT event FROM lineage_events WHERE tenant_id = ? AND run {ids} AND event_time > ? AND event_time <= ?"


def newest_runs(tenant: int, lookup: Lookup, jobs: Collection[bytes], moment: int, bodies: Bodies) -> Newest:
    """By job, its newest run that by then had named data or ended, and the shapes of that run."""
    found: Newest = {}
    newest = [run for _, run in lookup.rows(_NEWEST, tenant, jobs, before=(moment,)) if run is not None]
    runs = [(job, run, first, ended) for run, job, first, ended in lookup.rows(_RUNS, tenant, newest)]
    while runs:
        found |= _settled(tenant, lookup, runs, moment, bodies, found)
        missing = {job: (first, run) for job, run, first, _ in runs if job not in found}  # the oldest looked at
        runs = [
            (job, *row)
            for job, (first, run) in missing.items()
            for row in lookup.all(_OLDER, tenant, job, first, first, run)
        ]
    return found


def _settled(
    tenant: int,
    lookup: Lookup,
    runs: list[tuple[bytes, bytes, int, int | None]],
    moment: int,
    bodies: Bodies,
    known: Newest,
) -> Newest:
    """Of these runs, newest first, the first of each job that counts."""
    first_seen_of: dict[bytes, dict[bytes, int]] = {run: {} for _, run, _, _ in runs}
    for run, shape, first in lookup.rows(_SHAPES_OF_RUNS, tenant, first_seen_of, moment):
        first_seen_of[run][shape] = first
    described = bodies({shape for shapes in first_seen_of.values() for shape in shapes})
    found: Newest = {}
    for job, run, first, ended in runs:
        if job in found or job in known:
            continue
        names_data = any(shape in described and described[shape].names_data for shape in first_seen_of[run])
        if names_data or _ended(tenant, lookup, run, ended, moment):
            found[job] = (first, run), first_seen_of[run]
    return found


def _ended(tenant: int, lookup: Lookup, run: bytes, ended: int | None, moment: int) -> bool:
    if ended is None or ended <= moment:
        return ended is not None
    return bool(lookup.all(_ENDED, tenant, run, moment))  # it may have ended twice


def dropped_at_moment(
    tenant: int, lookup: Lookup, groups: Mapping[bytes, Collection[bytes]], moment: int, bodies: Bodies
) -> set[bytes]:
    """Datasets that were dropped by then, and neither created nor written since; a dataset may have several ids."""
    owner = {member: dataset for dataset, members in groups.items() for member in members}
    suspects = {owner[row[0]] for row in lookup.rows(_EVER_DROPPED, tenant, owner)}
    if not suspects:
        return set()
    members = {member for member, dataset in owner.items() if dataset in suspects}
    dropped: dict[bytes, int] = {}
    created: dict[bytes, int] = {}
    for member, at, types in changes_of(tenant, lookup, members, moment):
        for kind, times in ((OutputType.DROP, dropped), (OutputType.CREATE, created)):
            if types & kind:
                times[owner[member]] = max(at, times.get(owner[member], at))
    gone = {dataset for dataset, at in dropped.items() if not is_there(at, created.get(dataset), None)}
    writes: dict[bytes, list[tuple[Any, ...]]] = {}
    for member, *write in lookup.rows(_WRITES, tenant, {member for member in members if owner[member] in gone}):
        writes.setdefault(owner[member], []).append(tuple(write))
    return {
        dataset
        for dataset in gone
        if not any(_wrote(tenant, lookup, write, dropped[dataset], moment, bodies) for write in writes.get(dataset, ()))
    }


def _wrote(tenant: int, lookup: Lookup, write: tuple[Any, ...], after: int, until: int, bodies: Bodies) -> bool:
    """Whether a shape that proves the dataset exists was stated after one time and until another."""
    shape, role, types, first, last = write
    if not shows_it_is_there(role, types or 0) or first is None or last is None:
        return False
    if first > until or stamp_time(last) <= after:
        return False
    body = bodies([shape]).get(shape)
    if body is None:
        return False
    if body.kind != EventKind.RUN or body.job is None:
        rows = lookup.rows(_DECLARED, tenant, [node for node in (body.job or body.subject,) if node], shape)
        return any(after < stamp_time(bytes(row[0])) <= until for row in rows)
    if lookup.all(_BEGAN, tenant, shape, after, until):
        return True
    return any(
        ended <= until or _is_seen_between(tenant, lookup, run, shape, after, until)
        for run, ended in lookup.rows(_WRITING_RUNS, tenant, [body.job], until, after, shape, after, after)
    )


def _is_seen_between(tenant: int, lookup: Lookup, run: bytes, shape: bytes, after: int, until: int) -> bool:
    """A run that repeats a shape for a long time has only its first and last time in the store; the log has each."""
    for (stored,) in lookup.rows(_EVENTS, tenant, [run], after, until):
        event = decode_event(decompress(bytes(stored)))
        if interpret(event, tenant).description.shape == shape:
            return True
    return False
