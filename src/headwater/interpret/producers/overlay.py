"""Overlays: a publish is a run and its only operation; a recall is another run of the same job."""

from __future__ import annotations

from msgspec import Struct

from headwater.interpret.details import BOTH, Details
from headwater.openlineage.facets import read_facet

__all__ = ["INTEGRATION", "refine"]

INTEGRATION = "OVERLAY"
_RUN = "$.run.facets"
_ENDS = {"COMPLETE", "ABORT", "FAIL"}
_RETRACTED = "RETRACTED"


class LifecycleOfVersion(Struct, frozen=True, gc=False):
    """The run facet `lifecycleStateChange` of the adapter."""

    lifecycleState: str | None = None


class Reorg(Struct, frozen=True, gc=False):
    unstable: bool | None = None
    reason: str | None = None


def refine(details: Details) -> None:
    """Events of a version come at later times too, when a reorg removed its transaction; the run is of the publish."""
    event = details.event
    details.activity = BOTH
    details.name = event.job.name if event.job else None
    if details.expected_start_at is not None:
        details.has_times = True
        details.started_at = details.expected_start_at
        if event.event_type in _ENDS:
            details.ended_at = details.expected_end_at or details.expected_start_at
    change = read_facet(LifecycleOfVersion, event.run_facets, "lifecycleStateChange", _RUN, event.warnings)
    details.retracts = change is not None and change.lifecycleState == _RETRACTED and event.event_type == "COMPLETE"
    details.group = "RECALL" if details.retracts else "PUBLISH"
    reorg = read_facet(Reorg, event.run_facets, "reorgFacet", _RUN, event.warnings)
    if reorg is not None and reorg.unstable and event.event_type == "ABORT":
        details.end_reason = reorg.reason
