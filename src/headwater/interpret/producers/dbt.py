"""dbt: an invocation is a run; its models, tests and snapshots are operations of that run."""

from __future__ import annotations

from msgspec import Struct

from headwater.graph.facts import Activity, OutputType
from headwater.interpret.details import BOTH, Details
from headwater.openlineage.facets import read_facet

__all__ = ["refine"]


class DbtRun(Struct, frozen=True, gc=False):
    invocation_id: str | None = None


def refine(details: Details) -> None:
    event = details.event
    details.output_type = OutputType.APPEND
    facet = read_facet(DbtRun, event.run_facets, "dbt_run", "$.run.facets", event.warnings)
    kind = (details.job_type.jobType or "").upper()
    if kind == "JOB":
        details.activity = Activity.RUN
    elif details.parent_run is not None:
        details.activity = Activity.OPERATION  # of the run at the root: a query's parent is its model
    else:
        details.activity = BOTH
    if facet is not None and Activity.RUN in details.activity:
        details.external_id = facet.invocation_id
    if Activity.OPERATION in details.activity:
        details.name = event.job.name if event.job else None
        details.group = kind or None
