"""Jobs ordered by their newest event, from an index."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import sqlalchemy as sa

from headwater.graph.facts import Evidence, Node, NodeKind, Seen, Shape, ShapeDataset
from headwater.openlineage.identity import stamp_time
from headwater.openlineage.naming import job_id, namespace_id
from headwater.store.tables import events, fact_tables

__all__ = ["OWN", "last_event_times", "newest_jobs"]

OWN = int(Seen.INPUT | Seen.OUTPUT | Seen.SUBJECT)
"""Of a node that is known by more than a mention."""

_FIRST_CHUNK, _CHUNK = 200, 2_000
_FAR = 20_000
"""Number of newest events in which jobs are looked for; beyond that all jobs are read."""
_SMALL = 2_000
"""Number of jobs up to which a namespace is read whole."""
_AT_ONCE = 500

_node, _shape, _evidence = fact_tables[Node], fact_tables[Shape], fact_tables[Evidence]
_part = fact_tables[ShapeDataset]
_Times = dict[bytes, int]


def newest_jobs(
    connection: sa.Connection, tenant: int, count: int, namespace: bytes | None, without: frozenset[bytes]
) -> list[tuple[bytes, int]]:
    """The jobs with the newest events, newest first, up to a limit."""
    jobs = _jobs_in(connection, tenant, namespace) if namespace is not None else None
    found = _of_few(connection, tenant, jobs) if jobs is not None else None
    if found is None:
        found = _walk_back(connection, tenant, count + len(without), namespace)
    if found is None:
        found = _of_all(connection, tenant)
    for job in without:
        found.pop(job, None)
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    # Some jobs are no more than mentioned, or elsewhere; enough are asked for to fill the page all the same.
    return _listed(connection, tenant, ordered, namespace, count)


def last_event_times(connection: sa.Connection, tenant: int, nodes: Collection[bytes]) -> dict[bytes, bytes]:
    """The newest stamp of each of these nodes."""
    found: dict[bytes, bytes] = {}
    for table, column in ((_shape, _shape.c.job), (_part, _part.c.dataset)):
        joined = table.join(_evidence, sa.and_(_evidence.c.tenant == tenant, _evidence.c.shape == table.c.shape))
        for chunk in _chunks(nodes):
            query = sa.select(column, _evidence.c.last).select_from(joined)
            # Which of a few is the newest is found here: PostgreSQL has no greatest of bytes.
            for node, last in connection.execute(query.where(table.c.tenant == tenant, column.in_(chunk))):
                if last is not None:
                    found[node] = max(last, found.get(node, last))
    return found


def _jobs_in(connection: sa.Connection, tenant: int, namespace: bytes) -> list[bytes] | None:
    """The jobs of a namespace; None when they are too many."""
    condition = (_node.c.tenant == tenant, _node.c.namespace == namespace, _node.c.kind == int(NodeKind.JOB))
    query = sa.select(_node.c.node).where(*condition).limit(_SMALL + 1)
    found = [row[0] for row in connection.execute(query)]
    return found if len(found) <= _SMALL else None


def _of_few(connection: sa.Connection, tenant: int, jobs: list[bytes]) -> _Times:
    event_times = {job: stamp_time(last) for job, last in last_event_times(connection, tenant, jobs).items()}
    silent = [job for job in jobs if job not in event_times]
    if silent:  # only ever somebody's parent
        known = dict.fromkeys(silent, 0)
        query = sa.select(_node.c.node, _node.c.first_seen).where(_node.c.tenant == tenant)
        for chunk in _chunks(silent):
            known |= {row[0]: row[1] or 0 for row in connection.execute(query.where(_node.c.node.in_(chunk)))}
        event_times |= known
    return event_times


def _walk_back(connection: sa.Connection, tenant: int, count: int, namespace: bytes | None) -> _Times | None:
    """Go back in the log until enough jobs were met; None when that takes too long."""
    found: _Times = {}
    wanted: set[bytes] = set()
    looked, size = 0, _FIRST_CHUNK
    columns = (events.c.event_time, events.c.fingerprint, events.c.job_namespace, events.c.job_name)
    order = (events.c.event_time.desc(), events.c.fingerprint.desc())
    query = sa.select(*columns).where(events.c.tenant_id == tenant).order_by(*order)
    page = query
    while looked < _FAR:
        rows = list(connection.execute(page.limit(size)))
        for time, _, location, name in rows:
            if location and name:
                job = job_id(location, name)
                found.setdefault(job, time)
                if namespace is None or namespace_id(location) == namespace:
                    wanted.add(job)
        looked += len(rows)
        if len(rows) < size or len(wanted) >= count + 8:
            return _with_parents(connection, tenant, found)
        time, fingerprint = rows[-1][:2]
        earlier = sa.and_(events.c.event_time == time, events.c.fingerprint < fingerprint)
        page = query.where(events.c.event_time <= time, sa.or_(events.c.event_time < time, earlier))
        size = _CHUNK
    return None


def _with_parents(connection: sa.Connection, tenant: int, found: _Times) -> _Times:
    """Adds parents: an event that names one counts for it."""
    children = dict(found)
    for chunk in _chunks(children):
        condition = (_shape.c.tenant == tenant, _shape.c.job.in_(chunk), _shape.c.parent_job.is_not(None))
        joined = _shape.join(_evidence, sa.and_(_evidence.c.tenant == tenant, _evidence.c.shape == _shape.c.shape))
        query = sa.select(_shape.c.parent_job, _evidence.c.last).select_from(joined).where(*condition)
        for parent, last in connection.execute(query):
            time = stamp_time(last)
            found[parent] = max(time, found.get(parent, time))
    return found


def _of_all(connection: sa.Connection, tenant: int) -> _Times:
    joined = _shape.join(_evidence, sa.and_(_evidence.c.tenant == tenant, _evidence.c.shape == _shape.c.shape))
    found: _Times = {}
    for column in (_shape.c.job, _shape.c.parent_job):
        query = sa.select(column, _evidence.c.last).select_from(joined)
        for job, last in connection.execute(query.where(_shape.c.tenant == tenant, column.is_not(None))):
            found[job] = max(stamp_time(last), found.get(job, 0))
    return found


def _listed(
    connection: sa.Connection, tenant: int, ordered: list[tuple[bytes, int]], namespace: bytes | None, count: int
) -> list[tuple[bytes, int]]:
    found: list[tuple[bytes, int]] = []
    conditions: list[Any] = [_node.c.tenant == tenant, _node.c.seen.bitwise_and(OWN) != 0]
    if namespace is not None:
        conditions.append(_node.c.namespace == namespace)
    for start in range(0, len(ordered), _AT_ONCE):
        some = ordered[start : start + _AT_ONCE]
        query = sa.select(_node.c.node).where(*conditions, _node.c.node.in_([job for job, _ in some]))
        there = {row[0] for row in connection.execute(query)}
        found += [item for item in some if item[0] in there]
        if len(found) >= count:
            break
    return found[:count]


def _chunks(ids: Collection[bytes]) -> Iterator[list[bytes]]:
    ordered = sorted(ids)
    for start in range(0, len(ordered), _AT_ONCE):
        yield ordered[start : start + _AT_ONCE]
