"""`ingestProposal` and `ingestProposalBatch`: aspects that DataHub's clients send, whole or as JSON patches."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from headwater.api.by_hand.make_thing import tell_of
from headwater.api.by_hand.service import LineageService
from headwater.api.context import Context, ask, maker_of
from headwater.api.datahub.words import in_their_words, no_information
from headwater.lineage.by_hand.ends import End
from headwater.lineage.by_hand.errors import WrongEdges
from headwater.lineage.by_hand.find_ends import find_ends
from headwater.lineage.by_hand.request import MOST_EDGES, EdgeAsk, EdgesAsk
from headwater.lineage.by_hand.rules import EndType
from headwater.lineage.datahub.find_thing import find_thing
from headwater.lineage.datahub.read_aspect import ASPECTS, AspectChange, decode, read_aspect, read_patch
from headwater.lineage.datahub.replaced import VIA, replaced_edges
from headwater.lineage.errors import BadQuestion

__all__ = ["take_proposals"]

_MOST = 1_000
"""Proposals in one request."""
_MOST_EDGES = 10 * MOST_EDGES
_PATCH = "PATCH"
_WHOLE = ("UPSERT", "CREATE", "CREATE_ENTITY", "UPDATE")


class _Edges(Struct):
    """The edges of all proposals of a request: of two on the same edge the last counts."""

    add: dict[tuple[str, str], EdgeAsk]
    remove: dict[tuple[str, str], EdgeAsk]

    def put(self, edge: EdgeAsk, *, removes: bool) -> None:
        ends = edge.source, edge.target
        (self.add if removes else self.remove).pop(ends, None)
        (self.remove if removes else self.add)[ends] = edge


async def take_proposals(context: Context, proposals: list[Any]) -> list[str]:
    """Apply proposals;

    gives the URNs of changed things. All are read before any is applied; the edges are one change.
    """
    if not proposals or len(proposals) > _MOST:
        raise BadQuestion(f"A request has 1 to {_MOST} proposals; this one has {len(proposals)}.", path="$.proposals")
    changes = [_read(proposal, f"$.proposals[{index}]") for index, proposal in enumerate(proposals)]
    env, tenant = context.services.datahub_env, context.tenant.id
    by = next((change.actor for change in changes if change.actor), "")
    service = LineageService(context, maker_of(context, by=by, via=VIA), env)
    things: list[End] = []
    for index, change in enumerate(changes):
        _, end = await ask(find_thing, context.reader, tenant, change.urn, env)
        if not change.is_whole and (change.add or change.remove) and _lacks_information(end, changes, change.urn):
            raise WrongEdges([no_information(change.urn, f"$.proposals[{index}]")])
        things.append(end)
    edges = _Edges({}, {})
    for change, end in zip(changes, things, strict=True):
        if change.is_whole:
            for edge in await ask(_replaced, context, end, change, env):
                edges.put(edge, removes=True)
        for edge in change.remove:
            edges.put(edge, removes=True)
        for edge in change.add:
            edges.put(edge, removes=False)
    count = len(edges.add) + len(edges.remove)
    if count > _MOST_EDGES:
        raise BadQuestion(f"A request may change {_MOST_EDGES} edges; this one has {count}.", path="$.proposals")
    parts = _parts(edges)
    for part in parts:  # before anything is written
        await _change(service, part, dry_run=True)
    for change, end in zip(changes, things, strict=True):
        if change.about is not None:
            await tell_of(context, end, change.about)
    for part in parts:
        await _change(service, part, dry_run=False)
    return [change.urn for change in changes]


def _lacks_information(end: End, changes: list[AspectChange], urn: str) -> bool:
    """Whether neither the store nor this request has it as a chart or dashboard."""
    if end.type not in (EndType.CHART, EndType.DASHBOARD) or (end.exists and end.has_information):
        return False
    return not any(change.urn == urn and change.about is not None for change in changes)


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


def _replaced(context: Context, end: End, change: AspectChange, env: str) -> list[EdgeAsk]:
    if change.aspect.endswith("Properties") or change.aspect in ("dataJobInfo", "dataFlowInfo"):
        return []
    texts = {text for edge in change.add for text in (edge.source, edge.target)}
    found = find_ends(context.reader, context.tenant.id, texts, env)
    kept = set()
    for edge in change.add:
        source, target = found[edge.source], found[edge.target]
        if isinstance(source, End) and isinstance(target, End):
            kept.add((*source.place, *target.place))
    return replaced_edges(context.reader, context.tenant.id, end, change.aspect, kept)


def _parts(edges: _Edges) -> list[EdgesAsk]:
    """As many edges as one change may have."""
    listed = [(edge, True) for edge in edges.add.values()] + [(edge, False) for edge in edges.remove.values()]
    parts = [listed[start : start + MOST_EDGES] for start in range(0, len(listed), MOST_EDGES)]
    return [
        EdgesAsk(
            add=[edge for edge, adds in part if adds],
            remove=[edge for edge, adds in part if not adds],
            create=True,
        )
        for part in parts
    ]


async def _change(service: LineageService, part: EdgesAsk, *, dry_run: bool) -> None:
    try:
        await service.change(part, hides=True, dry_run=dry_run)
    except WrongEdges as error:
        targets = {path: edge.target for _, path, edge in part.listed()}
        raise in_their_words(error, targets) from None
