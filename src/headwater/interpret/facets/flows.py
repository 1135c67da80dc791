"""Flows of an event: `lineage` facet, else `columnLineage`, else inputs times outputs."""

from __future__ import annotations

import msgspec

from headwater.graph.facts import Role, Seen, ShapeDataset, ShapeEdge
from headwater.interpret.details import JobRef
from headwater.interpret.facets.columns import add_edges
from headwater.interpret.facets.datasets import Parts
from headwater.openlineage.event import Event, EventWarning
from headwater.openlineage.facets import Lineage, LineageFields, LineageInput, read_facet
from headwater.openlineage.naming import clean, dataset_name, job_id

__all__ = ["part_facts", "read_flows"]

_encode = msgspec.json.Encoder().encode
_encode_members = msgspec.json.Encoder(order="deterministic").encode
_JOB_PATH = "$.job.facets.lineage"


def read_flows(parts: Parts, event: Event, own_job: bytes | None, warnings: list[EventWarning]) -> None:
    """Collect every edge that the event states, by dataset and by column."""
    facets = event.job.facets if event.job else {}
    facet = read_facet(Lineage, facets, "lineage", "$.job.facets", warnings)
    if facet is not None:
        for part in parts.datasets.values():
            part.explicit = part.explicit or part.role is Role.OUTPUT
        _read_entries(parts, facet, own_job, warnings)
    _set_aside_flows_into_inputs(parts, warnings)
    for part in list(parts.datasets.values()):
        if part.lineage is not None:
            path = f"the `lineage` facet of {part.name.name}"
            _read_target(parts, part.name.id, part.lineage.inputs, part.lineage.fields, own_job, path, warnings)
    _add_column_lineage(parts)


def _set_aside_flows_into_inputs(parts: Parts, warnings: list[EventWarning]) -> None:
    """Flows into an input are set aside: only the job that writes it may state them."""
    for part in parts.datasets.values():
        states_flows = bool(part.columns) or part.lineage is not None
        if states_flows and part.role is Role.INPUT and (part.name.id, Role.OUTPUT) not in parts.datasets:
            warnings.append(
                EventWarning(
                    f"the input {part.name.name}", "set aside: what flows into it, since the job only reads it"
                )
            )
            part.columns, part.lineage, part.explicit = {}, None, False


def part_facts(tenant: int, parts: Parts) -> list[ShapeDataset | ShapeEdge]:
    """The facts of a shape's datasets and edges, in canonical order, with the shape still to be filled in."""
    datasets = [
        ShapeDataset(
            tenant,
            b"",
            part.name.id,
            int(part.role),
            part.schema,
            part.types,
            1 if part.explicit else None,
            _encode_members(part.kept) if part.kept else None,
        )
        for _, part in sorted(parts.datasets.items())
    ]
    jobs = [ShapeDataset(tenant, b"", job, int(Role.JOB)) for job in sorted(parts.jobs)]
    edges = [
        ShapeEdge(tenant, b"", source, target, _encode(sorted(found)) if found else None)
        for (source, target), found in sorted(parts.edges.items())
    ]
    return [*datasets, *jobs, *edges]


def _read_entries(parts: Parts, facet: Lineage, own_job: bytes | None, warnings: list[EventWarning]) -> None:
    """The job's form of the facet: each entry is a target, which is a dataset written or a job fed."""
    for index, entry in enumerate(facet.entries or ()):
        path = f"{_JOB_PATH}.entries[{index}]"
        if (entry.type or "DATASET").upper() == "JOB":
            target = _job_of(parts, entry.namespace, entry.name, own_job)
        elif entry.namespace and entry.name:
            name = dataset_name(entry.namespace, entry.name)
            parts.see(name, Seen.OUTPUT)
            parts.part(name, Role.OUTPUT).explicit = True
            target = name.id
        else:
            warnings.append(EventWarning(path, "set aside: a target needs namespace and name"))
            continue
        if target is not None:
            _read_target(parts, target, entry.inputs, entry.fields, own_job, path, warnings)


def _read_target(
    parts: Parts,
    target: bytes,
    inputs: list[LineageInput] | None,
    fields: dict[str, LineageFields | None] | None,
    own_job: bytes | None,
    path: str,
    warnings: list[EventWarning],
) -> None:
    for index, item in enumerate(inputs or ()):
        _add_input(parts, item, target, "", own_job, f"{path}.inputs[{index}]", warnings)
    for column, field in (fields or {}).items():
        for index, item in enumerate(field.inputs or () if field else ()):
            where = f"{path}.fields.{column}.inputs[{index}]"
            _add_input(parts, item, target, clean(column), own_job, where, warnings)


def _add_input(
    parts: Parts,
    item: LineageInput,
    target: bytes,
    column: str,
    own_job: bytes | None,
    path: str,
    warnings: list[EventWarning],
) -> None:
    if (item.type or "DATASET").upper() == "JOB":
        source = _job_of(parts, item.namespace, item.name, own_job)
    elif item.namespace and item.name:
        name = dataset_name(item.namespace, item.name)
        parts.see(name, Seen.INPUT)
        parts.part(name, Role.INPUT)
        source = name.id
    else:
        warnings.append(EventWarning(path, "set aside: a source needs namespace and name"))
        return
    if source is None or source == target == own_job:
        return
    found = parts.edges.setdefault((source, target), set())
    if item.field or column:
        add_edges(found, item.field or "", column, item.transformations)


def _job_of(parts: Parts, namespace: str | None, name: str | None, own_job: bytes | None) -> bytes | None:
    """A job without a name is the event's own."""
    if not (namespace and name):
        return own_job
    found = job_id(namespace, name)
    if found != own_job:
        parts.jobs[found] = JobRef(clean(namespace).strip(), clean(name).strip())
    return found


def _add_column_lineage(parts: Parts) -> None:
    """Edges of `columnLineage`, unless a `lineage` facet has spoken for that dataset."""
    known = {part.name.id for part in parts.datasets.values()}
    known |= {target for source, target, _ in parts.symlinks if source in known}
    for part in list(parts.datasets.values()):
        if part.explicit:
            continue
        for source, found in part.columns.items():
            edge = (source.id, part.name.id)
            known_edges = parts.edges.get(edge)
            parts.edges[edge] = found if known_edges is None else known_edges | found
            if source.id not in known:
                parts.see(source, Seen.REFERENCE)
                parts.part(source, Role.REFERENCE)
