"""Shape of an event: its content apart from its run.

A job repeats the same content run after run. `Description` is that content, interpreted once and stored under the
digest of its normal form; digests of the facets are only the key of a cache.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import astuple, replace

from headwater.bounded_cache import digest as bytes_digest
from headwater.graph.annotations.notes import EDITS, PERSON, SOURCES, note_id
from headwater.graph.current.sides import sides_of
from headwater.graph.fact import Fact
from headwater.graph.facts import (
    Address,
    Node,
    NodeKind,
    Note,
    OutputType,
    Role,
    Seen,
    Shape,
    Sides,
    SqlText,
    Symlink,
)
from headwater.interpret.details import Details, JobRef
from headwater.interpret.facets.datasets import KEPT_FACETS, Parts, read_dataset, read_subject
from headwater.interpret.facets.flows import part_facts, read_flows
from headwater.interpret.facets.locations import namespace_facts
from headwater.interpret.facets.statement import normalise_sql, output_type_of, tidy_sql
from headwater.interpret.gravitino.engines import link_to_catalog
from headwater.openlineage.event import Event, EventWarning, Facets
from headwater.openlineage.facets import Sql, read_facet, read_members
from headwater.openlineage.identity import digest
from headwater.openlineage.naming import DatasetName, clean, job_id, namespace_id

__all__ = ["Description", "describe", "description_key"]

_KEPT_JOB_FACETS = (
    "documentation",
    "ownership",
    "tags",
    "sourceCode",
    "sourceCodeLocation",
    "jobType",
    "headwater_information",
)
_JOB_FACETS = frozenset((*_KEPT_JOB_FACETS, "sql", "lineage"))
_DATASET_FACETS = frozenset((*KEPT_FACETS, "schema", "columnLineage", "lineage", "symlinks", "lifecycleStateChange"))
_LASTING = int(OutputType.CREATE | OutputType.DROP | OutputType.TRUNCATE)
"""As a number: the operators of a flag take microseconds."""
ORIGIN = "openlineage"
_encode = msgspec.msgpack.Encoder().encode
_encode_members = msgspec.json.Encoder(order="deterministic").encode


class Description(Struct, frozen=True, gc=False):
    """All that stays the same from run to run."""

    shape: bytes
    job: bytes | None
    inputs: tuple[bytes, ...]
    """Ids of the event's inputs, in their order."""
    outputs: tuple[bytes, ...]
    subject: bytes | None
    sides: Sides | None
    """None for neither."""
    changes: tuple[tuple[bytes, OutputType, bytes | None], ...]
    """Datasets created, dropped, truncated or renamed; for a rename also the id of the old name."""
    lasting: tuple[Fact, ...]
    """Facts without any time."""
    dated: tuple[Fact, ...]
    """Facts that also have the first time of this content."""
    warnings: tuple[EventWarning, ...]
    size: int
    """Bytes that keeping this takes, roughly."""

    def facts(self, time: int) -> list[Fact]:
        """Everything, as first seen at this time."""
        return [*self.lasting, *[replace(fact, first_seen=time) for fact in self.dated]]


def description_key(details: Details, integration: str) -> bytes:
    """The mark of everything that a description is read from.

    One mark for all: comparing a dozen names with those of a job that was last seen a thousand events ago takes longer
    than all else here, because none of them is in the processor's caches any more.
    """
    event, job, parent = details.event, details.event.job, details.parent_job
    parts: list[Any] = [details.tenant, event.kind, integration, details.output_type, event.producer, details.owners]
    if job is not None:
        parts += (job.namespace, job.name)
        _collect(parts, job.facets, _JOB_FACETS)
    if parent is not None:
        parts += ("^", parent.namespace, parent.name)
    for dataset in event.inputs:
        parts += ("<", dataset.namespace, dataset.name)
        _collect(parts, dataset.facets, _DATASET_FACETS)
    for dataset in event.outputs:
        parts += (">", dataset.namespace, dataset.name)
        _collect(parts, dataset.facets, _DATASET_FACETS)
    if event.dataset is not None:
        parts += ("=", event.dataset.namespace, event.dataset.name)
        _collect(parts, event.dataset.facets, _DATASET_FACETS)
    return bytes_digest(_encode(parts))


def describe(details: Details, integration: str) -> Description:
    """The description of an event, apart from its run."""
    event = details.event
    warnings: list[EventWarning] = []
    parts = Parts()
    inputs = tuple(
        read_dataset(parts, dataset, f"$.inputs[{index}]", integration, None, warnings).name.id
        for index, dataset in enumerate(event.inputs)
    )
    sql, kept = None, {}
    own_job = job_id(event.job.namespace, event.job.name) if event.job else None
    if event.job is not None:
        sql = _read_sql(event, warnings)
        kept = _kept(event, warnings)
        if details.owners and "ownership" not in kept:
            kept["ownership"] = {"owners": [{"name": clean(name)} for name in details.owners]}
    default = details.output_type or (output_type_of(sql.text) if sql and sql.text else None)
    outputs = tuple(
        read_dataset(parts, dataset, f"$.outputs[{index}]", integration, default, warnings, output=True).name.id
        for index, dataset in enumerate(event.outputs)
    )
    subject = read_subject(parts, event.dataset, integration, warnings).name.id if event.dataset else None
    link_to_catalog(parts, event)
    read_flows(parts, event, own_job, warnings)
    return _assemble(details, integration, parts, inputs, outputs, subject, own_job, sql, kept, warnings)


def _assemble(
    details: Details,
    integration: str,
    parts: Parts,
    inputs: tuple[bytes, ...],
    outputs: tuple[bytes, ...],
    subject: bytes | None,
    own_job: bytes | None,
    sql: SqlText | None,
    kept: dict[str, Any],
    warnings: list[EventWarning],
) -> Description:
    event, tenant = details.event, details.tenant
    parent = details.parent_job
    parent_job = job_id(parent.namespace, parent.name) if parent else None
    facets = _encode_members(kept) if kept else None
    job_type = details.job_type
    words = [word for word in (integration, (job_type.jobType or "").strip().upper()) if word]
    header = Shape(
        tenant,
        b"",
        kind=event.kind.value,
        origin=PERSON if event.producer == EDITS else ORIGIN,
        job=own_job,
        subject=subject,
        parent_job=parent_job if parent_job != own_job else None,
        job_type=clean("_".join(words)) if words else "UNKNOWN",
        processing=clean(job_type.processingType.strip().upper()) if job_type.processingType else None,
        sql=sql.sql if sql else None,
        producer=clean(event.producer) if event.producer else None,
        facets=facets,
    )
    body = part_facts(tenant, parts)
    statement = [replace(sql, tenant=tenant)] if sql is not None else []
    named = _named(
        tenant,
        JobRef(event.job.namespace, event.job.name) if event.job is not None else None,
        details.parent_job,
        tuple(parts.jobs.items()),
        tuple(parts.names),
        tuple(map(int, parts.names.values())),
        tuple(sorted(parts.symlinks)),
    )
    # Whoever knows a shape writes nothing of it again, so its id must cover all that would be written.
    shape = digest("shape", *[_canonical(fact) for fact in (header, *body, *statement)], *named.canonical)
    lasting: tuple[Fact, ...] = (
        replace(header, shape=shape),
        *(replace(fact, shape=shape) for fact in body),
        *(replace(version, tenant=tenant) for version in parts.schemas.values()),
        *statement,
        *named.addresses,
    )
    changes = tuple(
        (part.name.id, part.types, part.renamed_from.id if part.renamed_from else None)
        for part in parts.datasets.values()
        if part.types and (part.renamed_from or int(part.types) & _LASTING)
    )
    dated = (*named.names, *_sources(tenant, parts))  # sources follow from the body, which the id covers
    size = len(event.body) + 300 * (len(lasting) + len(dated))
    sides = sides_of((int(part.role), int(part.types or 0)) for part in parts.datasets.values())
    return Description(shape, own_job, inputs, outputs, subject, sides, changes, lasting, dated, tuple(warnings), size)


class Named(NamedTuple):
    """Names of everything a shape speaks of and of the places they are in."""

    names: tuple[Fact, ...]
    canonical: tuple[bytes, ...]
    addresses: tuple[Address, ...]
    """Those of the places."""


@lru_cache(maxsize=4096)
def _named(
    tenant: int,
    own_job: JobRef | None,
    parent_job: JobRef | None,
    other_jobs: tuple[tuple[bytes, JobRef], ...],
    datasets: tuple[DatasetName, ...],
    seen_as: tuple[int, ...],
    symlinks: tuple[tuple[bytes, bytes, str], ...],
) -> Named:
    """Cached: a new shape of a job mostly names the same things as before."""
    dated: list[Fact] = []
    namespaces: dict[bytes, str] = {}

    def node(kind: NodeKind, node_id: bytes, namespace: str, name: str, seen: Seen) -> None:
        location = namespace_id(namespace)
        namespaces.setdefault(location, namespace)
        dated.append(Node(tenant, node_id, kind, location, name, seen))

    for job in (own_job, parent_job):
        if job is not None:
            namespace, name = clean(job.namespace).strip(), clean(job.name).strip()
            node(NodeKind.JOB, job_id(job.namespace, job.name), namespace, name, Seen.SUBJECT)
    for other, ref in other_jobs:
        node(NodeKind.JOB, other, ref.namespace, ref.name, Seen.REFERENCE)
    for dataset, seen in zip(datasets, seen_as, strict=True):
        node(NodeKind.DATASET, dataset.id, dataset.namespace, dataset.name, Seen(seen))
    for source, target, kind in symlinks:
        dated.append(Symlink(tenant, source, target, type=kind))
    addresses: list[Address] = []
    for text in namespaces.values():
        place_named, found = namespace_facts(tenant, text)
        dated.append(place_named)
        addresses += found
    return Named(tuple(dated), tuple(map(_canonical, dated)), tuple(addresses))


def _sources(tenant: int, parts: Parts) -> list[Note]:
    """Sources of data named by `dataSource` facets; the default one without such a facet."""
    found: dict[str, Any] = {}
    for part in parts.datasets.values():
        if part.role <= Role.SUBJECT:
            source = part.kept.get("dataSource") or {}
            name = source.get("name")
            found[name if isinstance(name, str) and name else "default"] = source.get("uri") or ""
    return [
        _source(tenant, clean(name), clean(uri) if isinstance(uri, str) else None)
        for name, uri in sorted(found.items())
    ]


@lru_cache(maxsize=1024)
def _source(tenant: int, name: str, address: str | None) -> Note:
    return Note(tenant, SOURCES, note_id("source", name=name), kind="source", name=name, text=address)


def _read_sql(event: Event, warnings: list[EventWarning]) -> SqlText | None:
    facets = event.job.facets if event.job else {}
    facet = read_facet(Sql, facets, "sql", "$.job.facets", warnings)
    if facet is None or not facet.query or not facet.query.strip():
        return None
    normal = normalise_sql(facet.query)
    return SqlText(0, digest("sql", normal), text=tidy_sql(facet.query), dialect=facet.dialect and clean(facet.dialect))


def _kept(event: Event, warnings: list[EventWarning]) -> dict[str, Any]:
    facets = event.job.facets if event.job else {}
    kept = {}
    for name in _KEPT_JOB_FACETS:
        if name in facets:
            members = read_members(facets, name, "$.job.facets", warnings)
            if members is not None:
                kept[name] = members
    return kept


def _collect(parts: list[Any], facets: Facets, names: frozenset[str]) -> None:
    for name, raw in facets.items():
        if name in names:
            parts += (name, bytes_digest(raw))


def _canonical(fact: Fact) -> bytes:
    """The bytes that the digest of a shape is made of; the tenant is not among them."""
    return _encode((type(fact).__name__,) + astuple(fact)[1:])  # noqa: RUF005 - takes half of the time
