"""Versions of a job: each set of inputs, outputs and code location that a run ended with, or a job event named."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from headwater.graph.facts import Shape
from headwater.lineage.errors import NodeNotFound
from headwater.lineage.marquez.graph.run_flows import Flows, flows_of_shapes
from headwater.lineage.marquez.instants import instant
from headwater.lineage.marquez.jobs import job_events, references
from headwater.lineage.marquez.logged_event import API, facet, sent
from headwater.lineage.marquez.parents import JobName
from headwater.lineage.marquez.runs import RunView, load_runs, render_runs, version_id
from headwater.lineage.marquez.view import View
from headwater.openlineage.event import EventKind

__all__ = ["find_job_version", "job_version_page", "one_job_version"]

_RUNS = 500
"""Number of a job's newest runs in which versions are looked for."""


class MarquezJobVersion(Struct, frozen=True):
    """Inputs, outputs and code location of a job."""

    id: str
    created: int
    flows: Flows
    location: Any
    run: RunView | None = None
    """Its newest run; a job event is none."""

    @property
    def settled(self) -> int:
        """When it last came to be."""
        return self.run.run.ended_at or self.run.created if self.run is not None else self.created


def job_version_page(view: View, job: JobName, *, limit: int, offset: int) -> dict[str, Any]:
    """The versions of a job, newest first."""
    found = sorted(_versions(view, job).values(), key=lambda version: version.created, reverse=True)
    return {"versions": [_render(view, job, version) for version in found[offset : offset + limit]]}


def one_job_version(view: View, job: JobName, version: str) -> dict[str, Any]:
    found = find_job_version(view, job, version)
    if found is None:
        raise NodeNotFound(f"Job version '{version}' not found.")
    return _render(view, job, found)


def find_job_version(view: View, job: JobName, version: str) -> MarquezJobVersion | None:
    return _versions(view, job).get(version)


def _versions(view: View, job: JobName) -> dict[str, MarquezJobVersion]:
    """Versions by id; of equal ones the first time and the newest run."""
    found: dict[str, MarquezJobVersion] = {}
    for version in [*_made_by_runs(view, job), *_made_by_events(view, job)]:
        known = found.get(version.id, version)
        found[version.id] = MarquezJobVersion(
            version.id, min(known.created, version.created), version.flows, version.location, known.run or version.run
        )
    return found


def _made_by_runs(view: View, job: JobName) -> list[MarquezJobVersion]:
    """Newest first."""
    ids = view.activity.runs_of_job(view.tenant, job.id, limit=_RUNS, offset=0)
    runs = load_runs(view, ids)
    found = []
    for run in (runs[run] for run in ids if run in runs and runs[run].has_version):
        location = facet(run.job_facets, "sourceCodeLocation").get("url")
        made = version_id(job.id, run.flows, location)
        found.append(MarquezJobVersion(made, run.run.ended_at or run.created, run.flows, location, run))
    return found


def _made_by_events(view: View, job: JobName) -> list[MarquezJobVersion]:
    """Versions of job events begin with the job; changes through the older API make none."""
    shapes = {
        shape.shape for shape in view.facts(Shape, job=job.id) if shape.kind == EventKind.JOB and shape.producer != API
    }
    flows = flows_of_shapes(view, shapes)
    found = []
    for shape, facets in job_events(view, shapes).items():
        location = facet(facets, "sourceCodeLocation").get("url")
        made = version_id(job.id, flows[shape], location)
        found.append(MarquezJobVersion(made, job.first_seen or 0, flows[shape], location))
    return found


def _render(view: View, job: JobName, version: MarquezJobVersion) -> dict[str, Any]:
    names = view.names(version.flows.inputs | version.flows.outputs)
    return {
        "id": {"namespace": job.namespace, "name": job.name, "version": version.id},
        "name": job.name,
        "createdAt": instant(version.created),
        "version": version.id,
        "namespace": job.namespace,
        "location": version.location if isinstance(version.location, str) else None,
        "inputs": references(version.flows.inputs, names),
        "outputs": references(version.flows.outputs, names),
        "latestRun": _run(view, job, version.run) if version.run is not None else None,
    }


def _run(view: View, job: JobName, run: RunView) -> dict[str, Any]:
    """Its facets are those of the job."""
    rendered = render_runs(view, {run.run.run: run}, {job.id: job})[run.run.run]
    return {**rendered, "facets": sent(run.job_facets)}
