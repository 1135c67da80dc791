"""Checks edges of a request against the rule table and the graph: type before existence, all errors together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from headwater.errors import HeadwaterError
from headwater.lineage.by_hand.ends import End
from headwater.lineage.by_hand.errors import Problem
from headwater.lineage.by_hand.find_ends import Found
from headwater.lineage.by_hand.request import MOST_EDGES, EdgeAsk, EdgesAsk
from headwater.lineage.by_hand.rules import EndType, allowed_downstream, allowed_upstream, is_allowed
from headwater.lineage.errors import BadQuestion

__all__ = ["Checked", "Only", "check_edges", "refuse_size"]

_ASSETS = (EndType.CHART, EndType.DASHBOARD)


class Only(Struct, frozen=True):
    """The one type that an end of the edges of a request may have, where that is narrower than the rule table."""

    member: Literal["source", "target"]
    type: EndType


class Checked(Struct, frozen=True):
    """One edge of a request, both ends found."""

    action: str
    path: str
    source: End
    target: End
    ask: EdgeAsk

    @property
    def ends(self) -> tuple[tuple[bytes, str], tuple[bytes, str]]:
        return self.source.place, self.target.place


def refuse_size(ask: EdgesAsk) -> None:
    """One request has at least one edge, and not too many."""
    count = len(ask.add) + len(ask.remove) + len(ask.hide) + len(ask.show)
    if not count:
        raise BadQuestion("No edge is named.", path="$", hint="Name edges to add, remove, hide or show.")
    if count > MOST_EDGES:
        hint = "Send several requests; `headwater edit add --from FILE` does so by itself."
        raise BadQuestion(f"One request may change {MOST_EDGES} edges; this one names {count}.", path="$", hint=hint)


def check_edges(
    ask: EdgesAsk, found: Found, columns: Mapping[bytes, set[str]], only: Only | None = None
) -> tuple[list[Checked], list[Problem]]:
    """Checks every edge once; gives all problems. `columns` are the known columns of the datasets of column edges."""
    problems: list[Problem] = []
    kept: dict[tuple[str, tuple[tuple[bytes, str], tuple[bytes, str]]], Checked] = {}
    for action, path, edge in ask.listed():
        ends = [found[edge.source], found[edge.target]]
        for end, member in zip(ends, ("source", "target"), strict=True):
            if isinstance(end, HeadwaterError):
                problems.append(_wrong_name(end, f"{path}.{member}", getattr(edge, member)))
        source, target = ends
        if isinstance(source, HeadwaterError) or isinstance(target, HeadwaterError):
            continue
        checked = Checked(action, path, source, target, edge)
        wrong = _not_only(checked, only) or _wrong_ends(checked)
        if wrong is None and action in ("add", "hide"):
            problems += _missing(checked, columns, creates=ask.create and action == "add")
        if wrong is not None:
            problems.append(wrong)
        kept.setdefault((action, checked.ends), checked)
    problems += _both(kept, "add", "remove") + _both(kept, "hide", "show")
    return list(kept.values()), problems


def _wrong_name(error: HeadwaterError, path: str, text: str) -> Problem:
    word = "not_found" if error.code == "not_found" else "name"
    return Problem(path, error.message, word, hint=error.hint, end=text)


def _not_only(edge: Checked, only: Only | None) -> Problem | None:
    """An end of an edge to add that is of another type than the one that is meant."""
    if only is None or edge.action != "add":
        return None
    end = edge.source if only.member == "source" else edge.target
    if end.type is only.type:
        return None
    word = only.type.value
    message = f"{end.shown} is a {end.type.value}, not a {word}."
    sent = getattr(edge.ask, only.member)
    return Problem(f"{edge.path}.{only.member}", message, "type", allowed=(word,), end=sent)


def _wrong_ends(edge: Checked) -> Problem | None:
    source, target = edge.source, edge.target
    if not is_allowed(source.type, target.type):
        allowed = allowed_upstream(target.type)
        words = " or ".join(kind.value for kind in allowed)
        own = [kind.value for kind in allowed_downstream(source.type)]
        may = f"a {source.type.value} may feed {' or '.join(own)}" if own else f"a {source.type.value} feeds nothing"
        return Problem(
            f"{edge.path}.source",
            f"{source.shown} is a {source.type.value}, which cannot feed {target.shown}, a {target.type.value}.",
            "type",
            hint=f"A {target.type.value} is fed by {words}; {may}. `headwater edit rules` has the table.",
            allowed=tuple(kind.value for kind in allowed),
            end=edge.ask.source,
        )
    if source.id == target.id:
        what = "Both columns are of the same dataset" if source.column else "An edge cannot lead to where it begins"
        return Problem(edge.path, f"{what}: {source.shown}.", "same", end=edge.ask.target)
    if edge.ask.transformation is not None and not source.column:
        place = f"{edge.path}.transformation"
        return Problem(place, "Only an edge between columns has a transformation.", "name", hint="Leave it out.")
    return None


def _missing(edge: Checked, columns: Mapping[bytes, set[str]], *, creates: bool) -> list[Problem]:
    """Ends that do not exist and are not to be created."""
    found: list[Problem] = []
    if creates:
        return found
    for end, member in ((edge.source, "source"), (edge.target, "target")):
        path, sent = f"{edge.path}.{member}", getattr(edge.ask, member)
        if not end.exists:
            hint = "Name something that exists, or say --create (in JSON: create) to make it."
            found.append(Problem(path, f"There is no {end.shown}.", "not_found", hint=hint, end=sent))
        elif end.column and end.column not in columns.get(end.id, set()):
            known = sorted(columns.get(end.id, ()))[:8]
            hint = f"It has {', '.join(known)}." if known else "No column of it is known; --create takes it as it is."
            found.append(Problem(path, f"There is no {end.shown}.", "not_found", hint=hint, end=sent))
        elif member == "target" and end.type in _ASSETS and not end.has_information:
            kind = end.type.value
            hint = f"Describe it first: headwater edit create {kind}:{end.namespace}:{end.name} --title TITLE."
            message = f"{end.shown} has no {kind} information."
            found.append(Problem(path, message, "no_information", hint=hint, end=sent))
    return found


def _both(
    kept: Mapping[tuple[str, tuple[tuple[bytes, str], tuple[bytes, str]]], Checked], one: str, other: str
) -> list[Problem]:
    """The same edge to be had and not to be had."""
    return [
        Problem(
            edge.path,
            f"The edge from {edge.source.shown} to {edge.target.shown} is in `{one}` and in `{other}`.",
            "both",
            hint="Decide for one.",
        )
        for (action, ends), edge in kept.items()
        if action == one and (other, ends) in kept
    ]
