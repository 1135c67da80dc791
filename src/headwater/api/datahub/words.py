"""Error messages that DataHub's clients know."""

from __future__ import annotations

from headwater.lineage.by_hand.errors import Problem, WrongEdges
from headwater.lineage.by_hand.rules import EndType
from headwater.lineage.by_hand.urns import is_urn, parse_urn
from headwater.lineage.errors import BadQuestion

__all__ = ["in_their_words", "no_information", "type_message"]

_TYPE = {
    EndType.DATASET: "Tried to add lineage edge with non-dataset node when we expect a dataset. Upstream urn: {}",
    EndType.CHART: "Tried to add an upstream to a chart that isn't a chart or dataset. Upstream urn: {}",
    EndType.DASHBOARD: "Tried to add an upstream to a dashboard that isn't a chart or dataset. Upstream urn: {}",
    EndType.JOB: "Tried to add an upstream to a dataJob that isn't a datJob or dataset. Upstream urn: {}",
}


def in_their_words(error: WrongEdges, targets: dict[str, str]) -> WrongEdges:
    """The same problems; `targets` has, by place, the downstream end as it was sent."""
    return WrongEdges([_told(problem, targets.get(problem.path.rpartition(".")[0], "")) for problem in error.problems])


def _told(problem: Problem, target: str) -> Problem:
    message = problem.message
    if problem.error == "type":
        message = type_message(target, problem.end or "") or message
    elif problem.error == "not_found":
        message = f"Error: urn does not exist: {problem.end}"
    elif problem.error == "no_information":
        return no_information(problem.end or "", problem.path)
    return Problem(problem.path, message, problem.error, problem.hint, problem.allowed, problem.end)


def type_message(target: str, upstream: str) -> str | None:
    """Message for an upstream end of the wrong type."""
    try:
        kind = parse_urn(target).type if is_urn(target) else None
    except BadQuestion:
        return None
    text = _TYPE.get(kind) if kind is not None else None
    return text.format(upstream) if text is not None else None


def no_information(urn: str, path: str) -> Problem:
    kind = "dashboard" if ":dashboard" in urn else "chart"
    message = f"Failed to update {kind} lineage for urn {urn} as {kind} info doesn't exist"
    hint = f"Send its {kind}Info first, whole (UPSERT), or make it: headwater edit create."
    return Problem(path, message, "no_information", hint=hint, end=urn)
