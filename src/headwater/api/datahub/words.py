"""Error messages that DataHub's clients know."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from headwater.lineage.by_hand.errors import Problem, WrongEdges
from headwater.lineage.by_hand.rules import EndType
from headwater.lineage.by_hand.urns import is_urn, parse_urn
from headwater.lineage.datahub.members import COLUMNS, OUTPUTS, types_allowed
from headwater.lineage.datahub.read_aspect import AspectEdge
from headwater.lineage.errors import BadQuestion

__all__ = ["Placed", "in_their_words", "no_information", "wrong_type"]

_TYPE = {
    EndType.DATASET: "Tried to add lineage edge with non-dataset node when we expect a dataset. Upstream urn: {}",
    EndType.CHART: "Tried to add an upstream to a chart that isn't a chart or dataset. Upstream urn: {}",
    EndType.DASHBOARD: "Tried to add an upstream to a dashboard that isn't a chart or dataset. Upstream urn: {}",
    EndType.JOB: "Tried to add an upstream to a dataJob that isn't a datJob or dataset. Upstream urn: {}",
}
_OF_ASPECT = {
    "upstreamLineage": EndType.DATASET,
    "chartInfo": EndType.CHART,
    "dashboardInfo": EndType.DASHBOARD,
    "dataJobInputOutput": EndType.JOB,
}


class Placed(Struct, frozen=True):
    """An edge of a request."""

    place: str
    target: str
    """The downstream end as it was sent."""


def wrong_type(aspect: str, edge: AspectEdge) -> Problem | None:
    """Problem of the type of an aspect's other end; its existence is checked later."""
    if edge.member == COLUMNS:
        return None
    is_output = edge.member == OUTPUTS
    end = edge.ask.target if is_output else edge.ask.source
    kind, allowed = _type_of(end), types_allowed(aspect, edge.member)
    if kind is None or kind in allowed:
        return None
    text = _TYPE[EndType.DATASET if is_output else _OF_ASPECT[aspect]].format(end)
    return Problem(edge.place, text, "type", allowed=tuple(one.value for one in allowed), end=end)


def in_their_words(error: WrongEdges, placed: Mapping[str, Placed]) -> WrongEdges:
    """The same problems in DataHub's words; `placed` has the edge of the request by its place in ours."""
    return WrongEdges([_told(problem, placed) for problem in error.problems])


def _told(problem: Problem, placed: Mapping[str, Placed]) -> Problem:
    edge = placed.get(problem.path) or placed.get(problem.path.rpartition(".")[0]) or Placed(problem.path, "")
    message = problem.message
    if problem.error == "type":
        kind = _type_of(edge.target)
        message = _TYPE[kind].format(problem.end) if kind in _TYPE else message
    elif problem.error == "not_found":
        message = f"Error: urn does not exist: {problem.end}"
    elif problem.error == "no_information":
        return no_information(problem.end or "", edge.place)
    return Problem(edge.place or problem.path, message, problem.error, problem.hint, problem.allowed, problem.end)


def _type_of(urn: str) -> EndType | None:
    try:
        return parse_urn(urn).type if is_urn(urn) else None
    except BadQuestion:
        return None


def no_information(urn: str, path: str) -> Problem:
    kind = "dashboard" if ":dashboard" in urn else "chart"
    message = f"Failed to update {kind} lineage for urn {urn} as {kind} info doesn't exist"
    hint = f"Send its {kind}Info first, whole (UPSERT), or make it: headwater edit create."
    return Problem(path, message, "no_information", hint=hint, end=urn)
