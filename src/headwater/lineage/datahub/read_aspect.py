"""Reads aspects of DataHub's clients, whole or as a JSON patch: edges and information."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import Struct, field

from headwater.lineage.by_hand.make import Information
from headwater.lineage.by_hand.request import EdgeAsk, EdgeTransformation
from headwater.lineage.by_hand.urns import user_of
from headwater.lineage.datahub.information import WORDS, patch_information, read_information
from headwater.lineage.datahub.members import COLUMNS, OUTPUTS, Member, members_of
from headwater.lineage.errors import BadQuestion

__all__ = ["ASPECTS", "AspectChange", "AspectEdge", "decode", "read_aspect", "read_patch"]

ASPECTS = {
    "upstreamLineage": "dataset",
    "datasetProperties": "dataset",
    "chartInfo": "chart",
    "dashboardInfo": "dashboard",
    "dataJobInputOutput": "dataJob",
    "dataJobInfo": "dataJob",
    "dataFlowInfo": "dataFlow",
}
"""Aspects that are taken, each with the kind of thing it belongs to."""
_OF_COLUMNS = ("upstreamLineage", "dataJobInputOutput")
_MOST_PROPERTIES = 50
_LONGEST = 1000
_MOST_COLUMNS = 10_000
"""Edges between columns of one aspect: each entry has as many as its two lists have pairs."""


class AspectEdge(Struct, frozen=True):
    """One edge that an aspect names."""

    ask: EdgeAsk
    member: Member
    place: str
    """Where in the request."""


class AspectChange(Struct):
    """The content of one aspect of one thing."""

    urn: str
    aspect: str
    is_whole: bool
    """Whether it is sent whole, and not as a patch."""
    replaces: set[Member] = field(default_factory=set)
    """Members of which all that came this way before is replaced."""
    add: list[AspectEdge] = field(default_factory=list)
    remove: list[AspectEdge] = field(default_factory=list)
    about: Information | None = None
    forgotten: set[str] = field(default_factory=set)
    """Properties that a patch takes away."""
    actor: str = ""
    """Name of the author."""


def read_aspect(urn: str, aspect: str, value: dict[str, Any], place: str) -> AspectChange:
    """A whole aspect."""
    about = read_information(aspect, value) if aspect in WORDS else None
    change = AspectChange(urn, aspect, is_whole=True, about=about, actor=_actor(value))
    known = members_of(aspect)
    change.replaces = {*known.values(), *([COLUMNS] if aspect in _OF_COLUMNS else [])}
    said: set[tuple[str, str]] = set()
    for sent, member in known.items():
        for edge in _edges(urn, member, value.get(sent), f"{place}.{sent}"):
            ends = edge.ask.source, edge.ask.target
            if ends not in said:  # the deprecated twin says less of the same edge
                said.add(ends)
                change.add.append(edge)
    if aspect in _OF_COLUMNS:
        change.add += _columns(value.get(COLUMNS), f"{place}.{COLUMNS}")
    return change


def read_patch(urn: str, aspect: str, operations: Any, place: str) -> AspectChange:
    """A JSON patch: a list of additions and removals."""
    if isinstance(operations, dict):
        operations = operations.get("patch")
    change = AspectChange(urn, aspect, is_whole=False)
    about: dict[str, Any] = {}
    for index, operation in enumerate(_listed(operations, place)):
        where = f"{place}[{index}]"
        doing, path = operation.get("op"), operation.get("path")
        if doing not in ("add", "remove", "replace") or not isinstance(path, str) or not path.startswith("/"):
            raise BadQuestion(f"This is no operation of a JSON patch: {str(operation)[:200]}.", path=where)
        parts = [part.replace("~1", "/").replace("~0", "~") for part in path[1:].split("/")]
        value = None if doing == "remove" else operation.get("value")
        if not _patch_edges(change, parts, value, where, removes=doing == "remove"):
            patch_information(aspect, parts, value, about, change.forgotten, where)
    if about:
        change.about = read_information(aspect, about)
    return change


def _patch_edges(change: AspectChange, parts: list[str], value: Any, place: str, *, removes: bool) -> bool:
    """Take one operation on edges; False if it is about something else."""
    sent, rest = parts[0], parts[1:]
    member = COLUMNS if sent == COLUMNS and change.aspect in _OF_COLUMNS else members_of(change.aspect).get(sent)
    if member is None:
        return False
    if not rest:
        edges = _columns(value, place) if member == COLUMNS else list(_edges(change.urn, member, value, place))
        change.replaces.add(member)
        change.add = [edge for edge in change.add if edge.member != member] + edges
        change.remove = [edge for edge in change.remove if edge.member != member]
        return True
    if member == COLUMNS and len(rest) == 4:
        told = "" if rest[0] in ("NONE", "TRANSFORM") else rest[0][:_LONGEST]
        how = EdgeTransformation(description=told) if told and not removes else None
        edge = AspectEdge(EdgeAsk(source=rest[3], target=rest[1], transformation=how), member, place)
    elif len(rest) == 1 and member != COLUMNS:
        edge = _edge(change.urn, member, rest[0], value if isinstance(value, dict) else {}, place)
    else:
        raise BadQuestion(f"The path /{'/'.join(parts)[:200]} cannot be patched.", path=place, hint="Name one end.")
    (change.remove if removes else change.add).append(edge)
    return True


def _edges(urn: str, member: Member, listed: Any, place: str) -> Iterator[AspectEdge]:
    """The edges to the other ends that a member names: as edges, as upstreams, or as bare URNs."""
    for index, item in enumerate(listed if isinstance(listed, list) else ()):
        where = f"{place}[{index}]"
        found = item if isinstance(item, dict) else {"string": item}
        end = found.get("destinationUrn") or found.get("dataset") or found.get("string")
        if not isinstance(end, str) or not end:
            raise BadQuestion(f"An edge names no other end: {str(item)[:200]}.", path=where)
        yield _edge(urn, member, end, found, where)


def _edge(urn: str, member: Member, end: str, said: dict[str, Any], place: str) -> AspectEdge:
    source, target = (urn, end) if member == OUTPUTS else (end, urn)
    properties = _properties(said)
    note, reason = properties.pop("note", ""), properties.pop("reason", "")
    if properties.get("source") == "API":  # as it is answered where nothing else is said
        del properties["source"]
    ask = EdgeAsk(source=source, target=target, properties=properties, note=note, reason=reason, by=_actor(said))
    return AspectEdge(ask, member, place)


def _columns(listed: Any, place: str) -> list[AspectEdge]:
    """Every upstream column with every downstream column of each entry."""
    found: list[AspectEdge] = []
    for index, item in enumerate(_listed(listed, place)):
        where = f"{place}[{index}]"
        sources, targets = item.get("upstreams") or (), item.get("downstreams") or ()
        if not isinstance(sources, (list, tuple)) or not isinstance(targets, (list, tuple)):
            raise BadQuestion("Columns are lists of URNs.", path=where)
        if len(found) + len(sources) * len(targets) > _MOST_COLUMNS:
            raise BadQuestion(f"An aspect may have {_MOST_COLUMNS} edges between columns.", path=where)
        told = item.get("transformOperation")
        how = EdgeTransformation(description=told[:_LONGEST]) if isinstance(told, str) and told else None
        found += [
            AspectEdge(EdgeAsk(source=str(source), target=str(target), transformation=how), COLUMNS, where)
            for source in sources
            for target in targets
            if str(source).startswith("urn:li:schemaField:")
        ]
    return found


def _listed(value: Any, place: str) -> Iterable[dict[str, Any]]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise BadQuestion("A list of objects is needed here.", path=place)
    return value


def _properties(edge: dict[str, Any]) -> dict[str, str]:
    """Properties of an edge, and the type of lineage if it is not the usual one."""
    properties = edge.get("properties")
    found = (
        {str(name)[:200]: text[:_LONGEST] for name, text in properties.items() if isinstance(text, str)}
        if isinstance(properties, dict)
        else {}
    )
    kind = edge.get("type")
    if isinstance(kind, str) and kind != "TRANSFORMED":
        found["type"] = kind[:100]
    return dict(sorted(found.items())[:_MOST_PROPERTIES])


def _actor(value: dict[str, Any]) -> str:
    """Author of a thing or an edge; empty for a placeholder."""
    both = value.get("lastModified")  # of a chart or dashboard, an object with both stamps
    inner = [both.get("created"), both.get("lastModified")] if isinstance(both, dict) else []
    for stamp in [*(value.get(name) for name in ("auditStamp", "created", "lastModified")), *inner]:
        actor = stamp.get("actor") if isinstance(stamp, dict) else None
        if isinstance(actor, str) and user_of(actor) not in ("unknown", "", "__ingestion"):
            return user_of(actor)[:200]
    return ""


def decode(text: Any, place: str) -> Any:
    """The JSON text inside of a proposal."""
    try:
        return msgspec.json.decode(text if isinstance(text, str) else "")
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise BadQuestion(f"The aspect's value cannot be read: {error}.", path=place) from None
