"""Changes seen in new shapes: other columns of a dataset, more flows of a job."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from itertools import pairwise

from headwater.graph.current.flows import MOST_SHAPES
from headwater.graph.current.schemas import schema_uses
from headwater.graph.facts import Evidence, Role, ShapeDataset
from headwater.lineage.change_list.answer import Argument, Raw
from headwater.lineage.change_list.lookups import MOST, Asked
from headwater.lineage.entities.schema_fields import field_types
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.picture.newest_writes import Part, parts_of_datasets

__all__ = ["flows_added", "schemas_changed"]

_FIRST_SEEN = (
    "SELECT s.shape, s.job FROM evidence e JOIN shape s ON s.tenant = e.tenant AND s.shape = e.shape "
    f"WHERE e.tenant = ? AND e.first_seen >= ? AND e.first_seen <= ? ORDER BY e.first_seen DESC LIMIT {MOST}"
)
_OF_JOBS = (
    "SELECT s.job, s.shape, e.first_seen FROM shape s JOIN evidence e ON e.tenant = s.tenant AND e.shape = s.shape "
    "WHERE s.tenant = ? AND s.job {ids}"
)
_FIRST_RUN = (
    "SELECT n.shape, (SELECT r.run FROM run_shape r WHERE r.tenant = n.tenant AND r.shape = n.shape "
    "ORDER BY r.first_seen, r.run LIMIT 1) FROM shape n WHERE n.tenant = ? AND n.shape {ids}"
)
_FIELDS = "SELECT [schema], [fields] FROM schema_version WHERE tenant = ? AND [schema] {ids}"
_NAMED = 5
"""Columns and datasets that are named; the others are counted."""


def schemas_changed(flow: Flow, asked: Asked) -> list[Raw]:
    """Datasets that a writer gave another schema than before."""
    datasets = asked.datasets if asked.datasets is not None else _named_lately(flow, asked)
    flow.aliases.learn(datasets)
    shown = {flow.aliases.canonical(dataset) for dataset in datasets}
    members = {member: dataset for dataset in shown for member in flow.aliases.group(dataset)}
    parts = parts_of_datasets(flow.lookup, flow.tenant, members)
    changes: list[tuple[bytes, int, bytes, bytes]] = []
    for dataset, listed in parts.items():
        written = [part for part in listed if part[2] != Role.INPUT and part[3] is not None]
        records = [ShapeDataset(flow.tenant, part[1], part[0], part[2], schema=part[3]) for part in written]
        evidence = {part[1]: Evidence(flow.tenant, part[1], part[5], part[6]) for part in written}
        uses = schema_uses(records, evidence)
        for before, after in pairwise(uses):
            if after.first_seen is not None and asked.since <= after.first_seen <= asked.until:
                changes.append((dataset, after.first_seen, before.schema, after.schema))
    changes.sort(key=lambda change: change[1], reverse=True)
    return _flow_changes(flow, changes[:MOST], parts)


def _named_lately(flow: Flow, asked: Asked) -> set[bytes]:
    rows = flow.lookup.all(_FIRST_SEEN, flow.tenant, asked.since, asked.until)
    bodies = flow.applying.bodies({row[0] for row in rows})
    return {
        part.dataset for body in bodies.values() for part in (*body.outputs, *body.subjects) if part.schema is not None
    }


def _flow_changes(
    flow: Flow, changes: list[tuple[bytes, int, bytes, bytes]], parts: dict[bytes, list[Part]]
) -> list[Raw]:
    wanted = {schema for _, _, before, after in changes for schema in (before, after)}
    fields = {
        schema: field_types(stored) for schema, stored in flow.lookup.rows(_FIELDS, flow.tenant, wanted) if stored
    }
    saying = {
        (dataset, after): min((part for part in parts[dataset] if part[3] == after), key=lambda part: part[5] or 0)[1]
        for dataset, _, _, after in changes
    }
    bodies = flow.applying.bodies(set(saying.values()))
    runs = dict(flow.lookup.rows(_FIRST_RUN, flow.tenant, set(saying.values())))
    found = []
    for dataset, at, before, after in changes:
        old, new, shape = fields.get(before, {}), fields.get(after, {}), saying[dataset, after]
        added = [name for name in new if name not in old]
        removed = [name for name in old if name not in new]
        changed = [name for name in new if name in old and new[name] != old[name]]
        arguments: dict[str, Argument] = {
            "added": len(added),
            "removed": len(removed),
            "changed": len(changed),
            "columns": ", ".join([*added, *removed, *changed][:_NAMED]),
        }
        job = bodies[shape].job if shape in bodies else None
        found.append(
            Raw(
                at=at,
                kind="schema",
                node=dataset,
                code="columns_changed",
                arguments=arguments,
                run=runs.get(shape),
                job=job,
            )
        )
    return found


def flows_added(flow: Flow, asked: Asked) -> list[Raw]:
    """Jobs that read or wrote a dataset for the first time; jobs with very many shapes are left out."""
    jobs = asked.jobs
    if jobs is None:
        jobs = frozenset(
            row[1] for row in flow.lookup.all(_FIRST_SEEN, flow.tenant, asked.since, asked.until) if row[1]
        )
    jobs -= flow.large(jobs)
    seen_times: dict[bytes, list[tuple[int, bytes]]] = defaultdict(list)
    for job, shape, first in flow.lookup.rows(_OF_JOBS, flow.tenant, jobs):
        seen_times[job].append((first or 0, shape))
    bodies = flow.applying.bodies({shape for listed in seen_times.values() for _, shape in listed})
    found: list[tuple[Raw, bytes, set[bytes], set[bytes]]] = []
    for job, listed in seen_times.items():
        reads, writes = set[bytes](), set[bytes]()
        for first, shape in sorted(listed)[: 4 * MOST_SHAPES]:
            body = bodies.get(shape)
            if body is None:
                continue
            more_reads, more_writes = set(body.reads) - reads, set(body.writes) - writes
            is_first = not reads and not writes
            reads |= more_reads
            writes |= more_writes
            is_meant = not asked.datasets or not asked.datasets.isdisjoint(more_reads | more_writes)
            if (more_reads or more_writes) and asked.since <= first <= asked.until and is_meant:
                raw = Raw(at=first, kind="lineage", node=job, code="first_flow" if is_first else "more_flow")
                found.append((raw, shape, more_reads, more_writes))
    found.sort(key=lambda item: item[0].at, reverse=True)
    return _named(flow, found[:MOST])


def _named(flow: Flow, found: list[tuple[Raw, bytes, set[bytes], set[bytes]]]) -> list[Raw]:
    runs = dict(flow.lookup.rows(_FIRST_RUN, flow.tenant, {shape for _, shape, _, _ in found}))
    names = flow.names({node for _, _, reads, writes in found for node in (*reads, *writes)})

    def texts(nodes: Collection[bytes]) -> str:
        return ", ".join(sorted(names[node].name[:200] for node in nodes if node in names)[:_NAMED])

    return [
        Raw(
            at=raw.at,
            kind=raw.kind,
            node=raw.node,
            code=raw.code,
            arguments={
                "reads": texts(reads),
                "reads_total": len(reads),
                "writes": texts(writes),
                "writes_total": len(writes),
            },
            run=runs.get(shape),
            job=raw.node,
        )
        for raw, shape, reads, writes in found
    ]
