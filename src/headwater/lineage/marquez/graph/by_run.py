"""Runs upstream of a run: the makers of the versions that it read."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from headwater.lineage.errors import NodeNotFound
from headwater.lineage.marquez.instants import instant_or_none
from headwater.lineage.marquez.parents import job_names
from headwater.lineage.marquez.runs import RunView, job_version, load_runs
from headwater.lineage.marquez.version.versions import DatasetVersion, histories, version_at
from headwater.lineage.marquez.view import View

__all__ = ["upstream_runs"]


def upstream_runs(view: View, run: bytes, depth: int) -> dict[str, Any]:
    """The run, and level by level the runs that made its inputs."""
    found: dict[bytes, tuple[RunView, dict[bytes, DatasetVersion]]] = {}
    level = {run}
    for _ in range(depth + 1):
        runs = load_runs(view, level)
        history = histories(view, {dataset for item in runs.values() for dataset in item.flows.inputs})
        for key, item in runs.items():
            reads = {it: version_at(history.get(it), it, item.created, key) for it in item.flows.inputs}
            found[key] = item, reads
        level = {version.run for key in runs for version in found[key][1].values() if version.run} - set(found)
        if not level:
            break
    if run not in found:
        raise NodeNotFound(f"Run '{UUID(bytes=run)}' not found.")
    return {"runs": _render(view, list(found.values()))}


def _render(view: View, runs: list[tuple[RunView, dict[bytes, DatasetVersion]]]) -> list[dict[str, Any]]:
    jobs = job_names(view, {item.run.job for item, _ in runs if item.run.job})
    names = view.names({dataset for _, reads in runs for dataset in reads})
    answer = []
    for item, reads in runs:
        job = jobs.get(item.run.job or b"")
        answer.append(
            {
                "job": {
                    "namespace": job.namespace if job else None,
                    "name": job.name if job else None,
                    "version": job_version(item) if item.has_version else None,
                },
                "run": {
                    "id": str(UUID(bytes=item.run.run)),
                    "start": instant_or_none(item.started),
                    "end": instant_or_none(item.run.ended_at),
                    "status": item.state,
                },
                "inputs": [
                    {
                        "namespace": names[dataset].namespace,
                        "name": names[dataset].name,
                        "version": version.id,
                        "producedByRunId": str(UUID(bytes=version.run)) if version.run else None,
                    }
                    for dataset, version in sorted(reads.items())
                    if dataset in names
                ],
            }
        )
    return answer
