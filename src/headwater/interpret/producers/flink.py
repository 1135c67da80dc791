"""Flink 1 and 2: a job is a run and its only operation, and may never end."""

from __future__ import annotations

from msgspec import Struct

from headwater.graph.facts import Activity, OutputType
from headwater.interpret.details import BOTH, Details
from headwater.openlineage.facets import read_facet

__all__ = ["refine"]


class FlinkJob(Struct, frozen=True, gc=False):
    jobId: str | None = None


def refine(details: Details) -> None:
    event = details.event
    details.output_type = OutputType.APPEND
    is_job = (details.job_type.jobType or "JOB").upper() == "JOB"
    details.activity = BOTH if is_job or event.inputs or event.outputs else Activity.RUN
    details.name = event.job.name if event.job and Activity.OPERATION in details.activity else None
    facet = read_facet(FlinkJob, event.run_facets, "flink_job", "$.run.facets", event.warnings)
    if facet is None or not facet.jobId:
        return
    details.external_id = facet.jobId
    if event.job and event.job.namespace.startswith("http"):
        site = event.job.namespace.rstrip("/")
        details.running_log_url = f"{site}/#/job/running/{facet.jobId}"
        details.persistent_log_url = f"{site}/#/job/completed/{facet.jobId}"
