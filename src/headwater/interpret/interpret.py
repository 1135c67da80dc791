"""One event to the facts it states. Pure: the same event gives the same facts, anywhere and at any time."""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from headwater.bounded_cache import BoundedCache
from headwater.graph.fact import Fact
from headwater.graph.facts import (
    Activity,
    Change,
    Declaration,
    Dependency,
    Evidence,
    Lifecycle,
    Node,
    NodeKind,
    OutputType,
    Rename,
    Role,
    Run,
    RunDependency,
    RunShape,
    RunStatus,
    Seen,
)
from headwater.interpret.describe import Description, describe, description_key
from headwater.interpret.details import Details, JobRef
from headwater.interpret.facets.locations import namespace_facts
from headwater.interpret.facets.measures import measure, measure_tests
from headwater.interpret.facets.notes import description_of_notes, has_notes, note_facts
from headwater.interpret.generic import details_of
from headwater.interpret.gravitino.event import as_dataset_event, catalog_facts, description_of_catalogs, is_of_catalog
from headwater.interpret.producers.registry import integration_of, refine
from headwater.openlineage.event import Event
from headwater.openlineage.identity import stamp, uuid_time
from headwater.openlineage.naming import clean, job_id, namespace_id

__all__ = ["Interpretation", "interpret"]

_STATUS = {
    "START": RunStatus.STARTED,
    "RUNNING": RunStatus.STARTED,
    "COMPLETE": RunStatus.SUCCEEDED,
    "ABORT": RunStatus.KILLED,
    "FAIL": RunStatus.FAILED,
}
_ENDS = {"COMPLETE", "ABORT", "FAIL"}
_UNKNOWN, _INPUT, _OUTPUT = RunStatus.UNKNOWN, Role.INPUT, Role.OUTPUT
_OPERATION = Activity.OPERATION
"""Looked up once: a member of an enumeration takes ten times as long as a name."""


class Interpretation(Struct, frozen=True, gc=False):
    """Facts of an event, in the two parts that are stored differently."""

    time: int
    description: Description
    """The part that repeats from run to run; it is written only if it is new."""
    own: list[Fact]
    """The part of this event alone."""

    def facts(self) -> list[Fact]:
        """All of it."""
        return [*self.description.facts(self.time), *self.own]


def interpret(event: Event, tenant: int, cache: BoundedCache[Description] | None = None) -> Interpretation:
    """The facts of an event. Warnings about parts that were set aside are added to the event."""
    if has_notes(event):
        return Interpretation(event.time, description_of_notes(tenant), note_facts(event, tenant))
    if is_of_catalog(event):
        return _of_catalog(event, tenant, cache)
    details = details_of(event, tenant)
    integration = integration_of(event, details.job_type.integration)
    refine(details, integration)
    if cache is None:
        description = describe(details, integration)
    else:
        key = description_key(details, integration)
        found = cache.get(key)
        if found is None:
            description = describe(details, integration)
            cache.put(key, description, description.size)
        else:
            description = found
    event.warnings.extend(description.warnings)
    return Interpretation(event.time, description, _own(event, details, description))


def _of_catalog(event: Event, tenant: int, cache: BoundedCache[Description] | None) -> Interpretation:
    """Objects of a catalog; a table is a dataset besides."""
    facts, subject = catalog_facts(event, tenant), as_dataset_event(event)
    if subject is None:
        return Interpretation(event.time, description_of_catalogs(tenant), facts)
    as_dataset = interpret(subject, tenant, cache)
    return Interpretation(event.time, as_dataset.description, [*as_dataset.own, *facts[1:]])


def _own(event: Event, details: Details, description: Description) -> list[Fact]:
    tenant, time, run, shape = details.tenant, event.time, event.run_id, description.shape
    event_stamp = stamp(time, event.fingerprint)
    facts: list[Fact] = [Evidence(tenant, shape, time, event_stamp)]
    if run is not None:
        facts.append(_run(event, run, details, description, event_stamp))
        facts.append(RunShape(tenant, run, shape, time, time, description.sides))
        facts += _other_runs(details)
        for index, dataset in enumerate(event.inputs):
            if dataset.role_facets or dataset.facets:
                facts += measure(tenant, event, run, dataset, description.inputs[index], _INPUT, index, event_stamp)
        for index, dataset in enumerate(event.outputs):
            if dataset.role_facets or dataset.facets:
                facts += measure(tenant, event, run, dataset, description.outputs[index], _OUTPUT, index, event_stamp)
        if "test" in event.run_facets:
            facts += measure_tests(tenant, event, run, event_stamp)
        for source, target, kind in details.run_dependencies:
            facts.append(RunDependency(tenant, source, target, kind, first_seen=time))
    elif (declared := description.job or description.subject) is not None:
        facts.append(Declaration(tenant, declared, event_stamp, shape=description.shape))
    for first, then, kind in details.dependencies:
        facts += _dependency(tenant, first, then, kind, time)
    if details.retracts:
        facts += [Lifecycle(tenant, output, retracted_at=time) for output in description.outputs]
    for dataset_id, types, old in description.changes:
        facts += _change(tenant, dataset_id, types, old, time, run)
    return facts


def _run(event: Event, run: bytes, details: Details, description: Description, event_stamp: bytes) -> Run:
    """Facts of the event's own run. By position, since naming 29 arguments takes six times as long."""
    time, event_type, run_job, parent = event.time, event.event_type or "", details.run_job, details.parent_run
    return Run(
        details.tenant,
        run,
        job_id(run_job.namespace, run_job.name) if run_job is not None else description.job,
        details.run_job_type,
        details.activity,
        parent if parent != run else None,
        details.root_run,
        _STATUS.get(event_type, _UNKNOWN),
        time,  # first seen
        time,  # last seen
        details.started_at if details.has_times else time if event_type == "START" else None,
        details.ended_at if details.has_times else time if event_type in _ENDS else None,
        details.expected_start_at,
        details.expected_end_at,
        clean(event.run_id_sent) if event.run_id_sent else None,
        clean(details.external_id) if details.external_id else None,
        clean(details.attempt) if details.attempt else None,
        clean(details.user) if details.user else None,
        _start_reason(details, run),
        (event_stamp, clean(details.end_reason)) if details.end_reason else None,
        (event_stamp, clean(details.running_log_url)) if details.running_log_url else None,
        (event_stamp, clean(details.persistent_log_url)) if details.persistent_log_url else None,
        _engine(details.engine, details.engine_version) if details.engine else None,
        clean(details.name) if details.name else None,
        details.position,
        clean(details.group) if details.group else None,
        clean(details.description) if details.description else None,
        details.tags,
        uuid_time(run),
    )


def _start_reason(details: Details, run: bytes) -> str | None:
    """Start reason by the producer; AUTOMATIC for a run that another run started. Operations have none."""
    if details.start_reason:
        return clean(details.start_reason)
    is_started = details.activity is not _OPERATION and details.parent_run is not None and details.parent_run != run
    return "AUTOMATIC" if is_started else None


@lru_cache(maxsize=256)
def _engine(name: str, version: str | None) -> str:
    return clean(f"{name} {version or ''}".strip())


def _other_runs(details: Details) -> list[Fact]:
    """The parent and root are there, even if their own events never come. Nothing here depends on the time."""
    tenant, own = details.tenant, details.event.run_id
    facts: list[Fact] = [*details.other_runs]
    if details.parent_run is not None and details.parent_run != own:
        facts.append(_referred(tenant, details.parent_run, details.parent_job))
    if details.root_run is not None and details.root_run != own:
        facts.append(_referred(tenant, details.root_run, details.root_job))
    if details.run_job is not None:
        facts += _mentioned(tenant, details.run_job)
    if details.root_job is not None and details.root_job != details.parent_job:
        facts += _mentioned(tenant, details.root_job)
    return facts


def _referred(tenant: int, run: bytes, job: JobRef | None) -> Run:
    job_of_run = job_id(job.namespace, job.name) if job is not None else None
    return Run(tenant, run, job_of_run, created_at=uuid_time(run))


def _mentioned(tenant: int, job: JobRef) -> list[Fact]:
    name, location = clean(job.name).strip(), namespace_id(job.namespace)
    node = job_id(job.namespace, job.name)
    namespace, addresses = namespace_facts(tenant, clean(job.namespace).strip())
    mentioned = Node(tenant, node, kind=NodeKind.JOB, namespace=location, name=name, seen=Seen.REFERENCE)
    return [mentioned, namespace, *addresses]


def _dependency(tenant: int, first: JobRef, then: JobRef, kind: str, time: int) -> list[Fact]:
    source, target = job_id(first.namespace, first.name), job_id(then.namespace, then.name)
    return [
        Dependency(tenant, source, target, kind, first_seen=time, last_seen=time),
        *_mentioned(tenant, first),
        *_mentioned(tenant, then),
    ]


def _change(
    tenant: int, dataset: bytes, types: OutputType, old: bytes | None, time: int, run: bytes | None
) -> list[Fact]:
    facts: list[Fact] = []
    if old is not None:
        facts.append(Rename(tenant, old, dataset, time, run))
    lasting = types & (OutputType.CREATE | OutputType.DROP | OutputType.TRUNCATE)
    if lasting:
        facts.append(Change(tenant, dataset, time, types=lasting, run=run))
    facts.append(
        Lifecycle(
            tenant,
            dataset,
            created_at=time if OutputType.CREATE in types else None,
            dropped_at=time if OutputType.DROP in types else None,
            truncated_at=time if OutputType.TRUNCATE in types else None,
        )
    )
    return facts
