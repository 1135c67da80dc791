"""Versions of a job: each set of inputs, outputs and code location that a run of it ended with."""

from __future__ import annotations

from typing import Any

from headwater.lineage.errors import NodeNotFound
from headwater.lineage.marquez.flows import flows_of_runs
from headwater.lineage.marquez.instants import instant
from headwater.lineage.marquez.jobs import references
from headwater.lineage.marquez.parents import JobName
from headwater.lineage.marquez.runs import RunView, job_version, load_runs, render_runs
from headwater.lineage.marquez.said import facet, sent
from headwater.lineage.marquez.view import View

__all__ = ["job_version_page", "one_job_version"]

_RUNS = 500
"""Versions are looked for in so many of a job's newest runs."""


def job_version_page(view: View, job: JobName, *, limit: int, offset: int) -> dict[str, Any]:
    """The versions of a job, newest first."""
    found = list(_versions(view, job).items())[offset : offset + limit]
    return {"versions": [_render(view, job, version, runs) for version, runs in found]}


def one_job_version(view: View, job: JobName, version: str) -> dict[str, Any]:
    runs = _versions(view, job).get(version)
    if runs is None:
        raise NodeNotFound(f"Job version '{version}' not found.")
    return _render(view, job, version, runs)


def _versions(view: View, job: JobName) -> dict[str, list[RunView]]:
    """By version, its runs, newest first."""
    ids = view.activity.runs_of_job(view.tenant, job.id, limit=_RUNS, offset=0)
    runs = load_runs(view, ids)
    found: dict[str, list[RunView]] = {}
    for run in ids:
        if run in runs and runs[run].has_version:
            found.setdefault(job_version(runs[run]), []).append(runs[run])
    return found


def _render(view: View, job: JobName, version: str, runs: list[RunView]) -> dict[str, Any]:
    newest, oldest = runs[0], runs[-1]
    flows = flows_of_runs(view, [newest.run.run]).get(newest.run.run, newest.flows)
    names = view.names(flows.inputs | flows.outputs)
    location = facet(newest.job_facets, "sourceCodeLocation").get("url")
    run = render_runs(view, {newest.run.run: newest}, {job.id: job})[newest.run.run]
    return {
        "id": {"namespace": job.namespace, "name": job.name, "version": version},
        "name": job.name,
        "createdAt": instant(oldest.run.ended_at or oldest.created),
        "version": version,
        "namespace": job.namespace,
        "location": location if isinstance(location, str) else None,
        "inputs": references(flows.inputs, names),
        "outputs": references(flows.outputs, names),
        "latestRun": {**run, "facets": sent(newest.job_facets)},
    }
