"""`ingestProposal` and `ingestProposalBatch`: aspects that DataHub's clients send, whole or as JSON patches."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from msgspec import Struct

from headwater.api.by_hand.make_thing import INFORMATION_OF_THINGS, tell_of
from headwater.api.by_hand.service import LineageService
from headwater.api.context import Context, ask, maker_of
from headwater.api.datahub.words import Placed, in_their_words, no_information, wrong_type
from headwater.errors import HeadwaterError
from headwater.lineage.by_hand.ends import End
from headwater.lineage.by_hand.errors import Problem, WrongEdges
from headwater.lineage.by_hand.find_ends import find_ends
from headwater.lineage.by_hand.make import Information
from headwater.lineage.by_hand.request import MOST_EDGES, EdgeAsk, EdgesAsk
from headwater.lineage.by_hand.rules import EndType
from headwater.lineage.datahub.find_thing import find_thing
from headwater.lineage.datahub.read_aspect import ASPECTS, AspectChange, decode, read_aspect, read_patch
from headwater.lineage.datahub.replaced import replaced_edges
from headwater.lineage.edits.event import DATAHUB
from headwater.lineage.errors import BadQuestion

__all__ = ["take_proposals"]

_MOST = 1_000
"""Proposals in one request."""
_AT_ONCE = 16
"""Things whose information is changed at the same time."""
_MOST_EDGES = 10 * MOST_EDGES
_PATCH = "PATCH"
_WHOLE = ("UPSERT", "CREATE", "CREATE_ENTITY", "UPDATE")


class _Edges(Struct):
    """The edges of a request, each with its place in it: of two on the same edge the last counts."""

    add: dict[tuple[str, str], tuple[EdgeAsk, str]]
    remove: dict[tuple[str, str], tuple[EdgeAsk, str]]

    def put(self, edge: EdgeAsk, place: str, *, removes: bool) -> None:
        ends = edge.source, edge.target
        (self.add if removes else self.remove).pop(ends, None)
        (self.remove if removes else self.add)[ends] = edge, place


class _Part(Struct):
    """As many edges as one change may have."""

    add: list[tuple[EdgeAsk, str]]
    remove: list[tuple[EdgeAsk, str]]

    def asked(self) -> EdgesAsk:
        return EdgesAsk(add=[edge for edge, _ in self.add], remove=[edge for edge, _ in self.remove], create=True)

    def places(self) -> dict[str, Placed]:
        listed = {"add": self.add, "remove": self.remove}
        return {
            f"$.{name}[{index}]": Placed(place, edge.target)
            for name, edges in listed.items()
            for index, (edge, place) in enumerate(edges)
        }


async def take_proposals(context: Context, proposals: list[Any]) -> list[str]:
    """Apply proposals; gives the URNs of changed things. All are read and checked before any is applied."""
    if not proposals or len(proposals) > _MOST:
        raise BadQuestion(f"A request has 1 to {_MOST} proposals; this one has {len(proposals)}.", path="$.proposals")
    changes = [_read(proposal, f"$.proposals[{index}]") for index, proposal in enumerate(proposals)]
    things, problems = await ask(_things, context, changes)
    problems += [wrong for change in changes for edge in change.add if (wrong := wrong_type(change.aspect, edge))]
    parts = _parts(await ask(_edges_of, context, changes, things, {problem.path for problem in problems}))
    service = LineageService(context, maker_of(context, by=_author(changes), via=DATAHUB), context.services.datahub_env)
    for part in parts:  # before anything is written
        try:
            await service.change(part.asked(), hides=True, dry_run=True)
        except WrongEdges as error:
            problems += in_their_words(error, part.places()).problems
    if problems:
        raise WrongEdges(problems)
    await _tell(service, changes, things)
    for part in parts:
        await service.change(part.asked(), hides=True)
    return [change.urn for change in changes]


async def _tell(service: LineageService, changes: list[AspectChange], things: list[End | None]) -> None:
    """Store information about things: several things at once, changes of one thing in their order."""
    by_thing: dict[bytes, list[tuple[End, AspectChange]]] = {}
    for change, end in zip(changes, things, strict=True):
        if change.about is not None and end is not None:
            by_thing.setdefault(end.id, []).append((end, change))

    async def tell(listed: list[tuple[End, AspectChange]]) -> None:
        for end, change in listed:
            about = change.about or Information()
            await tell_of(service, end, about, adds=not change.is_whole, forgotten=change.forgotten)

    waiting = list(by_thing.values())
    if not waiting:
        return
    async with service.alone(INFORMATION_OF_THINGS):
        for start in range(0, len(waiting), _AT_ONCE):
            await asyncio.gather(*map(tell, waiting[start : start + _AT_ONCE]))


def _read(proposal: Any, place: str) -> AspectChange:
    found = proposal if isinstance(proposal, dict) else {}
    urn, aspect, kind = found.get("entityUrn"), found.get("aspectName"), found.get("changeType")
    if not isinstance(urn, str) or not isinstance(aspect, str):
        raise BadQuestion("A proposal names an entity and an aspect.", path=place)
    if aspect not in ASPECTS:
        hint = f"Lineage alone is taken: {', '.join(ASPECTS)}."
        raise BadQuestion(f"The aspect {aspect!r} is not taken here.", path=f"{place}.aspectName", hint=hint)
    if not urn.startswith(f"urn:li:{ASPECTS[aspect]}:"):
        raise BadQuestion(f"{urn[:200]} has no aspect {aspect}.", path=f"{place}.entityUrn")
    body = found.get("aspect")
    where = f"{place}.aspect.value"
    value = decode(body.get("value") if isinstance(body, dict) else None, where)
    if kind == _PATCH:
        return read_patch(urn, aspect, value, where)
    if kind not in _WHOLE:
        hint = "UPSERT and PATCH are taken. What was made by hand is hidden with `headwater hide`."
        raise BadQuestion(f"The change {kind!r} is not taken here.", path=f"{place}.changeType", hint=hint)
    if not isinstance(value, dict):
        raise BadQuestion("An aspect is an object.", path=where)
    return read_aspect(urn, aspect, value, where)


def _things(context: Context, changes: list[AspectChange]) -> tuple[list[End | None], list[Problem]]:
    """The thing of each change, and the problems of changes without one."""
    things: list[End | None] = []
    problems: list[Problem] = []
    told = {change.urn for change in changes if change.about is not None}
    for index, change in enumerate(changes):
        place = f"$.proposals[{index}].entityUrn"
        try:
            end = find_thing(context.reader, context.tenant.id, change.urn, context.services.datahub_env)[1]
        except HeadwaterError as error:
            problems.append(Problem(place, error.message, "name", hint=error.hint, end=change.urn))
            things.append(None)
            continue
        things.append(end)
        is_asset = end.type in (EndType.CHART, EndType.DASHBOARD)
        is_told = (end.exists and end.has_information) or change.urn in told
        if is_asset and not is_told and (change.add or change.remove):
            problems.append(no_information(change.urn, place))
    return things, problems


def _edges_of(context: Context, changes: list[AspectChange], things: list[End | None], wrong: set[str]) -> _Edges:
    """All edges to add and to remove, without those of which something is wrong already."""
    edges = _Edges({}, {})
    for index, (change, end) in enumerate(zip(changes, things, strict=True)):
        if end is None or f"$.proposals[{index}].entityUrn" in wrong:
            continue
        if change.replaces:
            for ask_ in _replaced(context, end, change):
                edges.put(ask_, "", removes=True)
        for edge in change.remove:
            edges.put(edge.ask, edge.place, removes=True)
        for edge in change.add:
            if edge.place not in wrong:
                by = edge.ask.by or change.actor
                edges.put(msgspec.structs.replace(edge.ask, by=by), edge.place, removes=False)
    count = len(edges.add) + len(edges.remove)
    if count > _MOST_EDGES:
        raise BadQuestion(f"A request may change {_MOST_EDGES} edges; this one has {count}.", path="$.proposals")
    return edges


def _replaced(context: Context, end: End, change: AspectChange) -> list[EdgeAsk]:
    reader, tenant = context.reader, context.tenant.id
    texts = {text for edge in change.add for text in (edge.ask.source, edge.ask.target)}
    found = find_ends(reader, tenant, texts, context.services.datahub_env)
    kept = set()
    for edge in change.add:
        source, target = found[edge.ask.source], found[edge.ask.target]
        if isinstance(source, End) and isinstance(target, End):
            kept.add((*source.place, *target.place))
    return replaced_edges(reader, tenant, end, change.aspect, change.replaces, kept)


def _author(changes: list[AspectChange]) -> str:
    """The author of all of them; empty if there are several."""
    authors = {change.actor for change in changes}
    return authors.pop() if len(authors) == 1 else ""


def _parts(edges: _Edges) -> list[_Part]:
    listed = [(*edge, True) for edge in edges.add.values()] + [(*edge, False) for edge in edges.remove.values()]
    parts = [listed[start : start + MOST_EDGES] for start in range(0, len(listed), MOST_EDGES)]
    return [
        _Part(
            [(edge, place) for edge, place, adds in part if adds],
            [(edge, place) for edge, place, adds in part if not adds],
        )
        for part in parts
    ]
