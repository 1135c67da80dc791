"""Datasets inside a run: one part of it writes them, another reads them, and nobody else uses them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from headwater.graph.current.flows import JobShapes
from headwater.lineage.flows.neighbours import Flow

__all__ = ["inner_of"]


def inner_of(flow: Flow, records: Collection[JobShapes]) -> set[bytes]:
    """Those of one run. The same jobs may use them in other runs: each run of a DAG writes its stage again."""
    readers: dict[bytes, set[bytes]] = defaultdict(set)
    writers: dict[bytes, set[bytes]] = defaultdict(set)
    bodies = [(record.job, body) for record in records for body in record.runs.values()]
    flow.aliases.learn(
        {end for _, body in bodies for end in (*body.reads, *body.references, *body.writes)}
        | {body.job for _, body in bodies if body.job is not None}
    )
    shown = flow.aliases.canonical
    for part, body in bodies:
        for dataset in (*body.reads, *body.references):
            readers[shown(dataset)].add(part)
        for dataset in body.writes:
            writers[shown(dataset)].add(part)
    jobs = {shown(body.job) for _, body in bodies if body.job is not None}
    found = {dataset for dataset in writers if dataset in readers and len(writers[dataset] | readers[dataset]) > 1}
    return found - _used_by_others(flow, found, jobs)


def _used_by_others(flow: Flow, datasets: Collection[bytes], jobs: Collection[bytes]) -> set[bytes]:
    found: set[bytes] = set()
    for down in (True, False) if datasets else ():
        members, rows = flow.uses_of(datasets, down=down)
        bodies = flow.applying.bodies({shape for _, shape in rows})
        flow.aliases.learn({body.job for body in bodies.values() if body.job is not None})
        for member, shape in rows:
            body = bodies.get(shape)
            if body is None or not flow.applying.wants(body):
                continue
            if any(member in edge for edge in body.direct) or (
                body.job is not None and flow.aliases.canonical(body.job) not in jobs
            ):
                found.add(members[member])
    return found
