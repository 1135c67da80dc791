"""Members of DataHub's aspects that name edges: the other end of each, and its allowed types."""

from __future__ import annotations

from headwater.lineage.by_hand.rules import EndType

__all__ = ["COLUMNS", "OUTPUTS", "Member", "members_of", "types_allowed"]

Member = str
"""The present name of a member; deprecated twins are known by it too."""
COLUMNS = "fineGrainedLineages"
OUTPUTS = "outputDatasetEdges"
_MEMBERS: dict[str, dict[str, Member]] = {
    "upstreamLineage": {"upstreams": "upstreams"},
    "chartInfo": {"inputEdges": "inputEdges", "inputs": "inputEdges"},
    "dashboardInfo": {
        "chartEdges": "chartEdges",
        "charts": "chartEdges",
        "datasetEdges": "datasetEdges",
        "datasets": "datasetEdges",
        "dashboards": "chartEdges",
    },
    "dataJobInputOutput": {
        "inputDatasetEdges": "inputDatasetEdges",
        "inputDatasets": "inputDatasetEdges",
        "inputDatajobEdges": "inputDatajobEdges",
        "inputDatajobs": "inputDatajobEdges",
        "outputDatasetEdges": OUTPUTS,
        "outputDatasets": OUTPUTS,
    },
}
_ALLOWED = {
    "upstreamLineage": (EndType.DATASET,),
    "chartInfo": (EndType.DATASET, EndType.CHART),
    "dashboardInfo": (EndType.DATASET, EndType.CHART),
    "dataJobInputOutput": (EndType.DATASET, EndType.JOB),
}


def members_of(aspect: str) -> dict[str, Member]:
    """By the name under which it is sent, each present one before its deprecated twin: the member.

    >>> members_of("chartInfo")
    {'inputEdges': 'inputEdges', 'inputs': 'inputEdges'}
    """
    return _MEMBERS.get(aspect, {})


def types_allowed(aspect: str, member: Member) -> tuple[EndType, ...]:
    """Allowed types of the other end, as in DataHub's own service."""
    return (EndType.DATASET,) if member == OUTPUTS else _ALLOWED[aspect]
