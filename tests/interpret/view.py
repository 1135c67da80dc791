"""What the store says after a file of events, in the form of the expectations (see tests/events/README.md)."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any
from uuid import UUID

from headwater.graph.facts import (
    Activity,
    Assertion,
    Dependency,
    Evidence,
    Lifecycle,
    Node,
    NodeKind,
    OutputType,
    Rename,
    Role,
    Run,
    RunDataset,
    RunShape,
    RunStatus,
    SchemaVersion,
    Shape,
    ShapeDataset,
    ShapeEdge,
)
from headwater.store.read.aliases import Aliases
from headwater.store.read.reader import Reader

TENANT = 1


class View:
    """Facts joined back into runs, operations, inputs, outputs and column edges."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.aliases = Aliases(reader, TENANT)
        nodes = list(reader.all_facts(TENANT, Node))
        self.aliases.learn(node.node for node in nodes if node.kind == NodeKind.DATASET)
        self.names = reader.names(TENANT, [node.node for node in nodes])
        self.shapes = {shape.shape: shape for shape in reader.all_facts(TENANT, Shape)}
        self.evidence = {item.shape: item for item in reader.all_facts(TENANT, Evidence)}
        self.all_runs = {run.run: run for run in reader.all_facts(TENANT, Run)}
        self.links = list(reader.all_facts(TENANT, RunShape))
        self.parts = defaultdict(list)
        for part in reader.all_facts(TENANT, ShapeDataset):
            self.parts[part.shape].append(part)

    def name(self, node: bytes) -> list[str]:
        found = self.names[self.aliases.canonical(node)]
        return [found.namespace, found.name]

    def canonical(self, pair: list[str]) -> list[str] | None:
        """The shown name of a dataset that is named like this."""
        for name in self.names.values():
            if [name.namespace, name.name] == pair and name.kind is NodeKind.DATASET:
                return self.name(name.id)
        return None

    def runs(self) -> list[dict[str, Any]]:
        found = []
        for run in self.all_runs.values():
            if run.activity and Activity.RUN not in Activity(run.activity):
                continue
            shape = self._newest([link.shape for link in self.links if link.run == run.run])
            parent = run.parent_run
            found.append(
                {
                    **self._common(run),
                    "run_id": run.sent_id or _uuid(run.run),
                    "job": self._job(run.job),
                    "job_type": run.job_type or (shape.job_type if shape else None),
                    "parent_run_id": _uuid(parent) if parent else None,
                    "external_id": run.external_id,
                    "attempt": run.attempt,
                    "user": run.user,
                    "start_reason": run.start_reason,
                    "persistent_log_url": _said(run.persistent_log_url),
                    "running_log_url": _said(run.running_log_url),
                    "expected_start_at": run.expected_start_at,
                    "expected_end_at": run.expected_end_at,
                }
            )
        return found

    def operations(self) -> list[dict[str, Any]]:
        found = []
        for run in self.all_runs.values():
            if Activity.OPERATION in Activity(run.activity or 0):
                shape = self._newest([link.shape for link in self.links if link.run == run.run])
                found.append(
                    {
                        **self._common(run),
                        "operation_id": _uuid(run.run),
                        "run_id": _uuid(self._run_of(run)),
                        "name": run.name,
                        "position": run.position,
                        "group": run.group,
                        "description": run.description,
                        "type": shape.processing if shape else None,
                    }
                )
        return found

    def datasets_of(self, role: Role) -> list[dict[str, Any]]:
        measured = {(item.run, item.dataset, item.role): item for item in self.reader.all_facts(TENANT, RunDataset)}
        found: dict[tuple[str, ...], dict[str, Any]] = {}
        for link in self.links:
            for part in self.parts[link.shape]:
                if part.role != role:
                    continue
                numbers = measured.get((link.run, part.dataset, int(role)))
                entry = found.setdefault((_uuid(link.run), *self.name(part.dataset)), {"types": set()})
                entry |= {"operation": _uuid(link.run), "dataset": self.name(part.dataset)}
                for key in ("rows", "bytes", "files"):
                    entry[key] = getattr(numbers, key) if numbers else entry.get(key)
                entry["types"] |= {member.name for member in OutputType if member in OutputType(part.types or 0)}
        return [{**entry, "types": sorted(entry["types"])} for entry in found.values()]

    def columns(self) -> list[dict[str, Any]]:
        runs = defaultdict(set)
        for link in self.links:
            runs[link.shape].add(_uuid(link.run))
        found = []
        for edge in self.reader.all_facts(TENANT, ShapeEdge):
            for source, target, kind, subtype, masking, _ in json.loads(edge.columns) if edge.columns else ():
                if edge.source not in self.names or self.names[edge.source].kind is not NodeKind.DATASET:
                    continue
                for run in runs.get(edge.shape) or {None}:
                    item = {
                        "operation": run,
                        "source": [*self.name(edge.source), source],
                        "target": [*self.name(edge.target), target or None],
                        "type": kind,
                        "subtype": subtype,
                        "masking": masking,
                    }
                    if item not in found:
                        found.append(item)
        return found

    def dataset_edges(self) -> list[dict[str, Any]]:
        """Stated edges, and inputs times outputs where nothing else is stated."""
        found = []
        stated = list(self.reader.all_facts(TENANT, ShapeEdge))
        for shape in self.shapes.values():
            pairs = {(edge.source, edge.target) for edge in stated if edge.shape == shape.shape}
            parts = self.parts[shape.shape]
            for output in parts:
                if output.role == Role.OUTPUT and not output.explicit:
                    pairs |= {(part.dataset, output.dataset) for part in parts if part.role == Role.INPUT}
            for source, target in pairs:
                if all(self.names[node].kind is NodeKind.DATASET for node in (source, target)):
                    item = {"source": self.name(source), "target": self.name(target), "job": self._job(shape.job)}
                    if item not in found:
                        found.append(item)
        return found

    def jobs(self) -> list[dict[str, Any]]:
        by_job = defaultdict(list)
        for shape in self.shapes.values():
            if shape.job:
                by_job[shape.job].append(shape.shape)
        found = []
        for job, shapes in by_job.items():
            ordered = sorted(shapes, key=lambda shape: self.evidence[shape].last, reverse=True)
            facets = _merged([self.shapes[shape].facets for shape in ordered])
            found.append(
                {"name": self._job(job), "type": self.shapes[ordered[0]].job_type, **_described(facets, job=True)}
            )
        return found

    def job_dependencies(self) -> list[dict[str, Any]]:
        found = [
            {"from": self._job(item.source), "to": self._job(item.target), "type": item.type}
            for item in self.reader.all_facts(TENANT, Dependency)
        ]
        between_jobs = [
            edge
            for edge in self.reader.all_facts(TENANT, ShapeEdge)
            if all(self.names[node].kind is NodeKind.JOB for node in (edge.source, edge.target))
        ]
        return found + [
            {"from": self._job(edge.source), "to": self._job(edge.target), "type": None} for edge in between_jobs
        ]

    def assertions(self) -> list[dict[str, Any]]:
        return [
            {
                "operation": _uuid(item.run),
                "dataset": self.name(item.dataset),
                "assertion": json.loads(_said(item.details) or "{}").get("assertion"),
                "name": json.loads(_said(item.details) or "{}").get("name"),
                "column": item.column,
                "success": None if item.failed is None else not _said(item.failed),
                "severity": item.severity,
            }
            for item in self.reader.all_facts(TENANT, Assertion)
            if item.dataset in self.names
        ]

    def dataset(self, pair: list[str]) -> dict[str, Any] | None:
        start = next(
            (n for n in self.names.values() if [n.namespace, n.name] == pair and n.kind is NodeKind.DATASET), None
        )
        if start is None:
            return None
        group = self.aliases.group(start.id)
        parts = sorted(
            (part for found in self.parts.values() for part in found if part.dataset in group),
            key=lambda part: (self.evidence[part.shape].last, part.role == Role.OUTPUT),
            reverse=True,
        )
        schemas = {item.schema: json.loads(item.fields) for item in self.reader.all_facts(TENANT, SchemaVersion)}
        schema = next((schemas[part.schema] for part in parts if part.schema), [])
        cycles = [item for item in self.reader.all_facts(TENANT, Lifecycle) if item.dataset in group]
        renames = [item for item in self.reader.all_facts(TENANT, Rename) if item.target in group]
        return {
            "names": sorted([self.names[node].namespace, self.names[node].name] for node in group),
            "columns": _flat(schema),
            "dropped_at": max((item.dropped_at for item in cycles if item.dropped_at), default=None),
            "renamed_from": [self.names[renames[0].source].namespace, self.names[renames[0].source].name]
            if renames
            else None,
            **_described(_merged([part.facets for part in parts]), job=False),
        }

    def _common(self, run: Run) -> dict[str, Any]:
        return {
            "status": RunStatus(run.status or 0).name,
            "created_at": run.created_at,
            "started_at": run.started_at,
            "ended_at": run.ended_at,
            "end_reason": _said(run.end_reason),
        }

    def _job(self, job: bytes | None) -> list[str] | None:
        name = self.names.get(job) if job else None
        return [name.namespace, name.name] if name else None

    def _newest(self, shapes: list[bytes]) -> Shape | None:
        return self.shapes[max(shapes, key=lambda shape: self.evidence[shape].last)] if shapes else None

    def _run_of(self, run: Run) -> bytes:
        """The run that an operation belongs to: itself, or the nearest ancestor that is a run."""
        while Activity.RUN not in Activity(run.activity or Activity.RUN):
            parent = self.all_runs.get(run.parent_run or b"")
            if parent is None:
                return run.parent_run or run.run
            run = parent
        return run.run


def _merged(blobs: list[bytes | None]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for blob in blobs:
        for key, value in (json.loads(blob) if blob else {}).items():
            merged.setdefault(key, value)
    return merged


def _described(facets: dict[str, Any], *, job: bool) -> dict[str, Any]:
    owners = (facets.get("ownership") or {}).get("owners") or []
    tags = (facets.get("tags") or {}).get("tags") or []
    return {
        "description": (facets.get("documentation") or {}).get("description"),
        "owners": sorted([owner.get("name"), owner.get("type")] for owner in owners),
        "tags": sorted(
            (
                [tag.get("key"), tag.get("value")] if job else [tag.get("key"), tag.get("value"), tag.get("field")]
                for tag in tags
            ),
            key=str,
        ),
    }


def _flat(fields: list[dict[str, Any]], prefix: str = "") -> list[str]:
    found = []
    for field in fields:
        found.append(prefix + field["name"])
        found += _flat(field.get("fields") or [], f"{prefix}{field['name']}.")
    return found


def _said(pair: tuple[bytes, Any] | None) -> Any:
    return pair[1] if pair else None


def _uuid(value: bytes) -> str:
    return str(UUID(bytes=value))
