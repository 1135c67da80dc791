"""What is known of one dataset, job or run, as plain values for any door: terminal, HTTP, JSON."""

from __future__ import annotations

from collections import defaultdict
from typing import Any
from uuid import UUID

import msgspec

from headwater.graph.facts import (
    Activity,
    Assertion,
    Dependency,
    Evidence,
    Lifecycle,
    OutputType,
    Quality,
    Role,
    Run,
    RunDataset,
    RunShape,
    RunStatus,
    SchemaVersion,
    Shape,
    ShapeDataset,
    ShapeEdge,
    SqlText,
)
from headwater.lineage.errors import NodeNotFound
from headwater.lineage.find import find_node, parse_run_id
from headwater.openlineage.identity import run_uuid, stamp_time
from headwater.openlineage.times import format_time
from headwater.store.aliases import Aliases
from headwater.store.read import Name, Reader

__all__ = ["show"]

_RUNS_SHOWN = 10


def show(reader: Reader, tenant: int, text: str) -> dict[str, Any]:
    """Describe whatever has this name or run id."""
    text = text.strip()
    run = parse_run_id(text)
    if run is not None and (text.startswith("run:") or reader.facts(tenant, Run, run=run)):
        return _show_run(reader, tenant, run, text)
    try:
        name = find_node(reader, tenant, text)
    except NodeNotFound:
        sent = run_uuid(text).bytes  # perhaps the id of a run, as a producer sent it that has no UUIDs
        if not reader.facts(tenant, Run, run=sent):
            raise
        return _show_run(reader, tenant, sent, text)
    return _show_dataset(reader, tenant, name) if name.kind.name == "DATASET" else _show_job(reader, tenant, name)


def _show_dataset(reader: Reader, tenant: int, name: Name) -> dict[str, Any]:
    aliases = Aliases(reader, tenant)
    aliases.learn([name.id])
    ids = aliases.group(name.id)
    names = reader.names(tenant, ids)
    shown = names.get(aliases.canonical(name.id), name)
    parts = reader.facts(tenant, ShapeDataset, dataset=ids)
    shapes = {shape.shape: shape for shape in reader.facts(tenant, Shape, shape={part.shape for part in parts})}
    evidence = {item.shape: item for item in reader.facts(tenant, Evidence, shape=set(shapes))}
    parts.sort(key=lambda part: (_last(evidence, part.shape), part.role == Role.OUTPUT), reverse=True)
    jobs = reader.names(tenant, {shape.job for shape in shapes.values() if shape.job})
    by_role: dict[int, set[str]] = defaultdict(set)
    for part in parts:
        job = shapes[part.shape].job
        if job in jobs:
            by_role[part.role].add(jobs[job].node_id)
    schemas = [part.schema for part in parts if part.schema is not None and part.role != Role.REFERENCE]
    written = [part.schema for part in parts if part.schema is not None and part.role != Role.INPUT]
    fields = reader.facts(tenant, SchemaVersion, schema=(written or schemas)[0]) if schemas else []
    answer: dict[str, Any] = {
        "kind": "dataset",
        "id": shown.node_id,
        "namespace": shown.namespace,
        "name": shown.name,
        "aliases": sorted(other.node_id for other in names.values() if other.id != shown.id),
        "reference_only": all(part.role == Role.REFERENCE for part in parts),
        "exists": _exists(reader, tenant, ids, parts, evidence),
        "first_seen": _time(
            min((item.first_seen for item in evidence.values() if item.first_seen is not None), default=None)
        ),
        "last_seen": _time(max((_last_time(item) for item in evidence.values()), default=None)),
        "schema": msgspec.json.decode(fields[0].fields) if fields and fields[0].fields else [],
        "schema_versions": len(set(schemas)),
        "facets": _facets([part.facets for part in parts]),
        "written_by": sorted(by_role[Role.OUTPUT]),
        "read_by": sorted(by_role[Role.INPUT]),
        "named_by": sorted(by_role[Role.REFERENCE]),
        "columns": _columns(reader, tenant, ids, set(shapes)),
    }
    checks = reader.facts(tenant, Assertion, dataset=ids)
    if checks:
        answer["assertions"] = [
            _assertion(check) for check in sorted(checks, key=lambda check: check.failed or (b"", 0))
        ]
    quality = reader.facts(tenant, Quality, dataset=ids)
    if quality:
        newest = max(quality, key=lambda item: (item.rows or (b"", 0))[0])
        answer["quality"] = {"rows": _said(newest.rows), "bytes": _said(newest.bytes)}
    return answer


def _show_job(reader: Reader, tenant: int, name: Name) -> dict[str, Any]:
    shapes = reader.facts(tenant, Shape, job=name.id)
    evidence = {item.shape: item for item in reader.facts(tenant, Evidence, shape={shape.shape for shape in shapes})}
    shapes.sort(key=lambda shape: _last(evidence, shape.shape), reverse=True)
    parts = reader.facts(tenant, ShapeDataset, shape={shape.shape for shape in shapes})
    newest = shapes[0] if shapes else Shape(tenant, b"")
    sql = next((shape.sql for shape in shapes if shape.sql), None)
    statement = reader.facts(tenant, SqlText, sql=sql) if sql else []
    dependencies = reader.facts(tenant, Dependency, target=name.id)
    related = {newest.parent_job} | {item.source for item in dependencies}
    names = reader.names(tenant, [other for other in related if other])
    runs = sorted(reader.facts(tenant, Run, job=name.id), key=lambda run: (run.first_seen or 0, run.run), reverse=True)
    return {
        "kind": "job",
        "id": name.node_id,
        "namespace": name.namespace,
        "name": name.name,
        "type": newest.job_type,
        "processing": newest.processing,
        "producer": newest.producer,
        "parent": names[newest.parent_job].node_id if newest.parent_job in names else None,
        "first_seen": _time(name.first_seen),
        "last_seen": _time(max((_last_time(item) for item in evidence.values()), default=None)),
        "facets": _facets([shape.facets for shape in shapes]),
        "sql": statement[0].text if statement else None,
        "waits_for": sorted(names[item.source].node_id for item in dependencies if item.source in names),
        "inputs": _datasets(reader, tenant, parts, Role.INPUT),
        "outputs": _datasets(reader, tenant, parts, Role.OUTPUT),
        "references": _datasets(reader, tenant, parts, Role.REFERENCE),
        "runs_total": len(runs),
        "runs": [_run(run) for run in runs[:_RUNS_SHOWN]],
    }


def _show_run(reader: Reader, tenant: int, run_id: bytes, text: str) -> dict[str, Any]:
    found = reader.facts(tenant, Run, run=run_id)
    if not found:
        raise NodeNotFound(f"There is no run {text}.", hint="`headwater show JOB` lists the newest runs of a job.")
    run = found[0]
    links = reader.facts(tenant, RunShape, run=run_id)
    parts = reader.facts(tenant, ShapeDataset, shape={link.shape for link in links})
    shapes = reader.facts(tenant, Shape, shape={link.shape for link in links})
    measured = {(item.dataset, item.role): item for item in reader.facts(tenant, RunDataset, run=run_id)}
    children = sorted(
        reader.facts(tenant, Run, parent_run=run_id), key=lambda child: (child.first_seen or 0, child.run)
    )
    parent = reader.facts(tenant, Run, run=run.parent_run) if run.parent_run else []
    jobs = [item.job for item in (run, *parent, *children) if item.job]
    names = reader.names(tenant, {part.dataset for part in parts} | set(jobs))
    sql = next((shape.sql for shape in shapes if shape.sql), None)
    statement = reader.facts(tenant, SqlText, sql=sql) if sql else []
    answer = {"kind": "run", "id": f"run:{UUID(bytes=run_id)}", **_run(run)}
    answer["job"] = names[run.job].node_id if run.job in names else None
    answer["parent"] = str(UUID(bytes=run.parent_run)) if run.parent_run else None
    answer["parent_job"] = names[parent[0].job].node_id if parent and parent[0].job in names else None
    answer["sql"] = statement[0].text if statement else None
    for role in (Role.INPUT, Role.OUTPUT):
        listed: dict[str, dict[str, Any]] = {}
        for part in parts:
            if part.role == role and part.dataset in names:
                entry = listed.setdefault(names[part.dataset].node_id, {"dataset": names[part.dataset].node_id})
                entry |= _measures(measured.get((part.dataset, role)))
                if part.types:
                    entry["types"] = sorted(set(entry.get("types", [])) | set(_types(part.types)))
        answer["inputs" if role is Role.INPUT else "outputs"] = [listed[key] for key in sorted(listed)]
    answer["children"] = [
        {**_run(child), "job": names[child.job].node_id if child.job in names else None} for child in children
    ]
    return answer


def _run(run: Run) -> dict[str, Any]:
    activity = Activity(run.activity or 0)
    values: dict[str, Any] = {
        "run": str(UUID(bytes=run.run)),
        "status": RunStatus(run.status or 0).name,
        "activity": [part.name for part in Activity if part in activity],
        "started_at": _time(run.started_at),
        "ended_at": _time(run.ended_at),
        "expected_start_at": _time(run.expected_start_at),
        "expected_end_at": _time(run.expected_end_at),
        "root": str(UUID(bytes=run.root_run)) if run.root_run else None,
        "sent_id": run.sent_id,
        "external_id": run.external_id,
        "attempt": run.attempt,
        "user": run.user,
        "start_reason": run.start_reason,
        "end_reason": _said(run.end_reason),
        "running_log_url": _said(run.running_log_url),
        "persistent_log_url": _said(run.persistent_log_url),
        "engine": run.engine,
        "name": run.name,
        "position": run.position,
        "group": run.group,
        "description": run.description,
    }
    always = ("run", "status", "activity", "started_at", "ended_at")
    return {key: value for key, value in values.items() if value is not None or key in always}


def _measures(item: RunDataset | None) -> dict[str, Any]:
    if item is None:
        return {}
    values = {"rows": item.rows, "bytes": item.bytes, "files": item.files, "version": _said(item.version)}
    return {key: value for key, value in values.items() if value is not None}


def _datasets(reader: Reader, tenant: int, parts: list[ShapeDataset], role: Role) -> list[str]:
    aliases = Aliases(reader, tenant)
    ids = {part.dataset for part in parts if part.role == role}
    aliases.learn(ids)
    names = reader.names(tenant, {aliases.canonical(node) for node in ids})
    return sorted(name.node_id for name in names.values())


def _columns(reader: Reader, tenant: int, ids: frozenset[bytes], shapes: set[bytes]) -> list[dict[str, Any]]:
    """Where the columns of a dataset come from."""
    edges = [edge for edge in reader.facts(tenant, ShapeEdge, shape=shapes) if edge.target in ids]
    aliases = Aliases(reader, tenant)
    aliases.learn(edge.source for edge in edges)
    names = reader.names(tenant, {aliases.canonical(edge.source) for edge in edges})
    found = set()
    for edge in edges:
        origin = names.get(aliases.canonical(edge.source))
        if edge.columns and origin is not None:
            for source, target, kind, subtype, masking, _ in msgspec.json.decode(edge.columns):
                found.add((target, origin.node_id, source, kind, subtype, masking))
    keys = ("column", "source", "source_column", "type", "subtype", "masking")
    return [dict(zip(keys, item, strict=True)) for item in sorted(found)]


def _facets(blobs: list[bytes | None]) -> dict[str, Any]:
    """The newest of every facet; an empty one was deleted."""
    merged: dict[str, Any] = {}
    for blob in blobs:
        for key, value in (msgspec.json.decode(blob) if blob else {}).items():
            merged.setdefault(key, value)
    return {key: value for key, value in merged.items() if value}


def _exists(
    reader: Reader, tenant: int, ids: frozenset[bytes], parts: list[ShapeDataset], evidence: dict[bytes, Evidence]
) -> bool | None:
    """Dropped, unless it was created or written since; None when nobody ever read or wrote it."""
    if all(part.role == Role.REFERENCE for part in parts):
        return None
    cycles = reader.facts(tenant, Lifecycle, dataset=ids)
    dropped = max((item.dropped_at for item in cycles if item.dropped_at is not None), default=None)
    if dropped is None:
        return True
    writes = [part for part in parts if part.role == Role.OUTPUT and OutputType.DROP not in OutputType(part.types or 0)]
    written = max((_last_time(evidence[part.shape]) for part in writes if part.shape in evidence), default=None)
    created = max((item.created_at for item in cycles if item.created_at is not None), default=None)
    return max(written or dropped - 1, created or dropped - 1) > dropped


def _assertion(check: Assertion) -> dict[str, Any]:
    failed = _said(check.failed)
    values = {"name": check.name, "column": check.column, "severity": check.severity, "run": str(UUID(bytes=check.run))}
    return {**{key: value for key, value in values.items() if value}, "success": None if failed is None else not failed}


def _types(types: int) -> list[str]:
    return [member.name for member in OutputType if member in OutputType(types) and member.name]


def _said(pair: tuple[bytes, Any] | None) -> Any:
    return pair[1] if pair else None


def _time(micros: int | None) -> str | None:
    return format_time(micros) if micros is not None else None


def _last(evidence: dict[bytes, Evidence], shape: bytes) -> bytes:
    item = evidence.get(shape)
    return item.last if item and item.last else b""


def _last_time(item: Evidence) -> int:
    return stamp_time(item.last) if item.last else 0
