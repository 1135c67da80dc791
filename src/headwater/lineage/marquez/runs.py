"""Runs: state and times by the facts; facets and arguments out of the run's own events."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from uuid import UUID

from msgspec import Raw, Struct

from headwater.graph.facts import Run, RunStatus
from headwater.lineage.errors import NodeNotFound
from headwater.lineage.marquez.graph.run_flows import Flows, flows_of_runs
from headwater.lineage.marquez.instants import instant, instant_or_none, made_id, offset_time
from headwater.lineage.marquez.logged_event import DecodedEvent, dataset_id, facet, merged, sent
from headwater.lineage.marquez.parents import JobName, job_names
from headwater.lineage.marquez.version.versions import DatasetVersion, histories, version_at
from headwater.lineage.marquez.view import View
from headwater.openlineage.event import Dataset
from headwater.openlineage.identity import run_uuid
from headwater.openlineage.times import parse_time
from headwater.store.read.reader import Name

__all__ = [
    "RUN_FACET",
    "RunView",
    "job_version",
    "load_runs",
    "render_run",
    "render_runs",
    "run_facets",
    "runs_page",
    "version_id",
]

RUN_FACET = "headwater_run"
"""Facet of a run created through the older API: its arguments and nominal times."""
_STATES = {
    RunStatus.STARTED: "RUNNING",
    RunStatus.SUCCEEDED: "COMPLETED",
    RunStatus.FAILED: "FAILED",
    RunStatus.KILLED: "ABORTED",
}


class RunView(Struct, frozen=True):
    """A run and all its events."""

    run: Run
    events: list[DecodedEvent]
    flows: Flows
    children_since: int | None = None
    """When the first child came, for a run of which no event was seen."""

    @property
    def created(self) -> int:
        made = [item.event.time for item in self.events if RUN_FACET in item.event.run_facets]
        return made[0] if made else self.run.first_seen or self.children_since or 0

    @property
    def updated(self) -> int:
        later = [item.event.time for item in self.events if RUN_FACET not in item.event.run_facets]
        return max(later, default=self.created) if self.events else self.created

    @property
    def started(self) -> int | None:
        """Time of START; without one, the first time the run was reported as running."""
        if self.run.started_at is not None:
            return self.run.started_at
        running = [item.event.time for item in self.events if item.event.event_type not in (None, *_ENDS)]
        return min(running, default=None)

    @property
    def state(self) -> str:
        known = _STATES.get(RunStatus(self.run.status or 0))
        return known or ("RUNNING" if any(item.event.event_type for item in self.events) else "NEW")

    @property
    def job_facets(self) -> dict[str, Raw]:
        return merged(item.event.job.facets for item in self.events if item.event.job)

    @property
    def has_version(self) -> bool:
        """A version of the job is made when a run ends; a stream does not end."""
        if (self.run.status or 0) >= RunStatus.SUCCEEDED and self.events:
            return True
        kind = str(facet(self.job_facets, "jobType").get("processingType") or "").upper()
        return kind.startswith("STREAM") and not self.flows.is_empty


_ENDS = ("COMPLETE", "ABORT", "FAIL")


def load_runs(view: View, ids: Collection[bytes]) -> dict[bytes, RunView]:
    """Runs with their events, by id."""
    facts = view.facts(Run, run=set(ids))
    events = view.events_by_run(ids)
    flows = flows_of_runs(view, ids)
    unseen = {run.run for run in facts if run.first_seen is None}
    since: dict[bytes, int] = {}
    for child in view.facts(Run, parent_run=unseen):
        if child.parent_run is not None and child.first_seen is not None:
            since[child.parent_run] = min(child.first_seen, since.get(child.parent_run, child.first_seen))
    return {run.run: RunView(run, events[run.run], flows.get(run.run, Flows()), since.get(run.run)) for run in facts}


def render_runs(
    view: View, runs: dict[bytes, RunView], jobs: dict[bytes, JobName] | None = None
) -> dict[bytes, dict[str, Any]]:
    """Runs as Marquez shows them, by id."""
    jobs = job_names(view, {item.run.job for item in runs.values() if item.run.job}) if jobs is None else jobs
    read = {dataset for item in runs.values() for dataset in item.flows.inputs}
    written = {dataset for item in runs.values() for dataset in item.flows.outputs}
    names = view.names(read | written)
    found = histories(view, read)
    answer = {}
    for run_id, item in runs.items():
        inputs = {it: version_at(found.get(it), it, item.created, run_id) for it in item.flows.inputs}
        outputs = {dataset: DatasetVersion(dataset, 0, None, run=run_id) for dataset in item.flows.outputs}
        sent_ids = {dataset_id(it) for event in item.events for it in (*event.event.inputs, *event.event.outputs)}
        shown = view.shown(sent_ids)
        answer[run_id] = render_run(item, jobs.get(item.run.job or b""), names, inputs, outputs, shown)
    return answer


def render_run(
    item: RunView,
    job: JobName | None,
    names: dict[bytes, Name],
    inputs: dict[bytes, DatasetVersion],
    outputs: dict[bytes, DatasetVersion],
    shown: dict[bytes, bytes],
) -> dict[str, Any]:
    started, ended = item.started, item.run.ended_at
    own, facets = _own_facet(item), merged(it.event.run_facets for it in item.events)
    return {
        "id": str(UUID(bytes=item.run.run)),
        "createdAt": instant(item.created),
        "updatedAt": instant(item.updated),
        "nominalStartTime": instant_or_none(parse_time(own.get("nominalStartTime"))),
        "nominalEndTime": instant_or_none(parse_time(own.get("nominalEndTime"))),
        "state": item.state,
        "startedAt": instant_or_none(started),
        "endedAt": instant_or_none(ended),
        "durationMs": (ended - started) // 1000 if started is not None and ended is not None else None,
        "args": _arguments(facets, own),
        "jobVersion": (
            {"namespace": job.namespace, "name": job.name, "version": job_version(item)}
            if job is not None and item.has_version
            else None
        ),
        "inputDatasetVersions": _datasets(inputs, names, _role_facets(item, shown, inputs=True)),
        "outputDatasetVersions": _datasets(outputs, names, _role_facets(item, shown, inputs=False)),
        "facets": sent(facets),
    }


def job_version(item: RunView) -> str:
    """Version of a job: inputs, outputs and code location; equal ones are one version."""
    return version_id(item.run.job or b"", item.flows, facet(item.job_facets, "sourceCodeLocation").get("url"))


def version_id(job: bytes, flows: Flows, location: Any) -> str:
    return made_id("job version", job, *sorted(flows.inputs), b">", *sorted(flows.outputs), str(location))


def runs_page(view: View, job: JobName, *, limit: int, offset: int) -> dict[str, Any]:
    """A page of a job's runs, newest first."""
    ids = view.activity.runs_of_job(view.tenant, job.id, limit=limit, offset=offset)
    rendered = render_runs(view, load_runs(view, ids), {job.id: job})
    total = view.activity.count_runs(view.tenant, job.id)
    return {"runs": [rendered[run] for run in ids if run in rendered], "totalCount": total}


def run_facets(view: View, text: str, kind: str) -> dict[str, Any] | None:
    """The facets of a run, or those its job had in it; None when there are none."""
    run = run_uuid(text).bytes
    item = load_runs(view, [run]).get(run)
    if item is None:
        raise NodeNotFound(f"Run '{text}' not found.")
    facets = sent(merged(it.event.run_facets for it in item.events) if kind == "run" else item.job_facets)
    return {"runId": str(UUID(bytes=run)), "facets": facets} if facets else None


def _own_facet(item: RunView) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for decoded in item.events:
        found |= facet(decoded.event.run_facets, RUN_FACET)
    return found


def _arguments(facets: dict[str, Raw], own: dict[str, Any]) -> dict[str, Any]:
    """Marquez puts the nominal times and the parent among a run's arguments."""
    found: dict[str, Any] = dict(own.get("args") or {})
    nominal = facet(facets, "nominalTime")
    for name, key in (("nominalStartTime", "nominal_start_time"), ("nominalEndTime", "nominal_end_time")):
        text = nominal.get(name)
        if isinstance(text, str) and (shown := offset_time(text)) is not None:
            found[key] = shown
    parent = facet(facets, "parent") or facet(facets, "parentRun")
    if isinstance(parent.get("run"), dict) and isinstance(parent.get("job"), dict):
        found["run_id"] = parent["run"].get("runId")
        found["name"] = parent["job"].get("name")
        found["namespace"] = parent["job"].get("namespace")
    return found


def _role_facets(item: RunView, shown: dict[bytes, bytes], *, inputs: bool) -> dict[bytes, dict[str, Raw]]:
    found: dict[bytes, list[Dataset]] = {}
    for decoded in item.events:
        for dataset in decoded.event.inputs if inputs else decoded.event.outputs:
            found.setdefault(shown[dataset_id(dataset)], []).append(dataset)
    return {key: sent(merged(dataset.role_facets for dataset in datasets)) for key, datasets in found.items()}


def _datasets(
    versions: dict[bytes, DatasetVersion], names: dict[bytes, Name], facets: dict[bytes, dict[str, Raw]]
) -> list[dict[str, Any]]:
    found = sorted((names[dataset].namespace, names[dataset].name, dataset) for dataset in versions if dataset in names)
    return [
        {
            "datasetVersionId": {"namespace": namespace, "name": name, "version": versions[dataset].id},
            "facets": facets.get(dataset, {}),
        }
        for namespace, name, dataset in found
    ]
