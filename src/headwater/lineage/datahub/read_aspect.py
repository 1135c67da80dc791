"""Reads aspects of DataHub's clients, whole or as a JSON patch: edges and information."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import Struct, field

from headwater.lineage.by_hand.make import Information
from headwater.lineage.by_hand.request import EdgeAsk, EdgeTransformation
from headwater.lineage.by_hand.urns import user_of
from headwater.lineage.errors import BadQuestion

__all__ = ["ASPECTS", "AspectChange", "decode", "read_aspect", "read_patch"]

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
_INTO = {
    "upstreamLineage": ("upstreams",),
    "chartInfo": ("inputEdges", "inputs"),
    "dashboardInfo": ("chartEdges", "charts", "datasetEdges", "datasets", "dashboards"),
    "dataJobInputOutput": ("inputDatasetEdges", "inputDatasets", "inputDatajobEdges", "inputDatajobs"),
}
"""Members that name upstream ends; the second of each pair is the deprecated form."""
_OUT = {"dataJobInputOutput": ("outputDatasetEdges", "outputDatasets")}
_COLUMNS = "fineGrainedLineages"
_WORDS = {
    "chartInfo": ("title", "chartUrl"),
    "dashboardInfo": ("title", "dashboardUrl"),
    "datasetProperties": ("name", "externalUrl"),
    "dataJobInfo": ("name", "externalUrl"),
    "dataFlowInfo": ("name", "externalUrl"),
}
"""The members with a title and an address."""
_MOST_PROPERTIES = 50
_LONGEST = 1000


class AspectChange(Struct):
    """The content of one aspect of one thing."""

    urn: str
    aspect: str
    is_whole: bool
    """Whether it replaces all that came this way before."""
    add: list[EdgeAsk] = field(default_factory=list)
    remove: list[EdgeAsk] = field(default_factory=list)
    about: Information | None = None
    actor: str = ""
    """Name of the author."""


def read_aspect(urn: str, aspect: str, value: dict[str, Any], place: str) -> AspectChange:
    """A whole aspect."""
    change = AspectChange(urn, aspect, is_whole=True, about=_information(aspect, value), actor=_actor(value))
    for member in _INTO.get(aspect, ()):
        for end, said in _ends(value.get(member), f"{place}.{member}"):
            change.add.append(EdgeAsk(source=end, target=urn, properties=said))
    for member in _OUT.get(aspect, ()):
        for end, said in _ends(value.get(member), f"{place}.{member}"):
            change.add.append(EdgeAsk(source=urn, target=end, properties=said))
    for item in _listed(value.get(_COLUMNS), f"{place}.{_COLUMNS}"):
        change.add += _columns(item, f"{place}.{_COLUMNS}")
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
        value = operation.get("value")
        edges = _patched(urn, aspect, parts, value, where)
        if edges is None:
            _patch_information(aspect, parts, value if doing != "remove" else "", about, where)
        elif doing == "remove":
            change.remove += [EdgeAsk(source=edge.source, target=edge.target) for edge in edges]
        else:
            change.add += edges
            change.actor = change.actor or _actor(value if isinstance(value, dict) else {})
    if about:
        change.about = _information(aspect, about)
    return change


def _patched(urn: str, aspect: str, parts: list[str], value: Any, place: str) -> list[EdgeAsk] | None:
    """The edges that a path of a patch means; None if it is about something else."""
    member, rest = parts[0], parts[1:]
    said = _said(value) if isinstance(value, dict) else {}
    if member == _COLUMNS and len(rest) == 4 and aspect in _INTO:
        how = EdgeTransformation(description="" if rest[0] in ("NONE", "TRANSFORM") else rest[0][:_LONGEST])
        return [EdgeAsk(source=rest[3], target=rest[1], transformation=how if how.description else None)]
    if len(rest) == 1 and member in _INTO.get(aspect, ()):
        return [EdgeAsk(source=rest[0], target=urn, properties=said)]
    if len(rest) == 1 and member in _OUT.get(aspect, ()):
        return [EdgeAsk(source=urn, target=rest[0], properties=said)]
    if member in (_COLUMNS, *_INTO.get(aspect, ()), *_OUT.get(aspect, ())):
        raise BadQuestion(f"The path /{'/'.join(parts)[:200]} cannot be patched.", path=place, hint="Name one end.")
    return None


def _patch_information(aspect: str, parts: list[str], value: Any, about: dict[str, Any], place: str) -> None:
    known = (*_WORDS.get(aspect, ()), "description")
    if len(parts) == 1 and parts[0] in known and isinstance(value, str):
        about[parts[0]] = value
    elif len(parts) == 2 and parts[0] == "customProperties" and isinstance(value, str):
        about.setdefault("customProperties", {})[parts[1]] = value
    elif parts[0] not in ("lastModified", "created"):
        hint = f"Of {aspect} edges, {', '.join(known)} and customProperties can be."
        raise BadQuestion(f"The path /{'/'.join(parts)[:200]} cannot be patched.", path=place, hint=hint)


def _information(aspect: str, value: dict[str, Any]) -> Information | None:
    if aspect not in _WORDS:
        return None
    title, url = (_text(value.get(name)) for name in _WORDS[aspect])
    properties = value.get("customProperties")
    kept = {str(name)[:200]: _text(text) for name, text in properties.items()} if isinstance(properties, dict) else {}
    return Information(
        title=title,
        url=url or _text(value.get("externalUrl")),
        description=_text(value.get("description"), 100_000),
        properties=dict(sorted(kept.items())[:_MOST_PROPERTIES]),
    )


def _ends(listed: Any, place: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The other ends that a member names: as edges, as upstreams, or as bare URNs."""
    for item in listed if isinstance(listed, list) else ():
        if isinstance(item, str):
            yield item, {}
            continue
        found = item if isinstance(item, dict) else {}
        end = found.get("destinationUrn") or found.get("dataset") or found.get("string")
        if not isinstance(end, str):
            raise BadQuestion(f"An edge names no other end: {str(item)[:200]}.", path=place)
        yield end, _said(found)


def _columns(item: dict[str, Any], place: str) -> list[EdgeAsk]:
    """Every upstream column with every downstream column of one entry."""
    sources, targets = item.get("upstreams") or (), item.get("downstreams") or ()
    if not isinstance(sources, (list, tuple)) or not isinstance(targets, (list, tuple)):
        raise BadQuestion("Columns are lists of URNs.", path=place)
    told = _text(item.get("transformOperation"))
    how = EdgeTransformation(description=told) if told else None
    return [
        EdgeAsk(source=str(source), target=str(target), transformation=how)
        for source in sources
        for target in targets
        if str(source).startswith("urn:li:schemaField:")
    ]


def _listed(value: Any, place: str) -> Iterable[dict[str, Any]]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise BadQuestion("A list of objects is needed here.", path=place)
    return value


def _said(edge: dict[str, Any]) -> dict[str, str]:
    """Properties of an edge, and the type of lineage if it is not the usual one."""
    properties = edge.get("properties")
    found = {str(name)[:200]: _text(text) for name, text in properties.items()} if isinstance(properties, dict) else {}
    kind = edge.get("type")
    if isinstance(kind, str) and kind != "TRANSFORMED":
        found["type"] = kind[:100]
    return dict(sorted(found.items())[:_MOST_PROPERTIES])


def _actor(value: dict[str, Any]) -> str:
    """Author of the first edge that names one; empty if that is a placeholder."""
    stamps = [value.get(name) for name in ("auditStamp", "created", "lastModified")]
    for listed in value.values():
        if isinstance(listed, list) and listed and isinstance(listed[0], dict):
            stamps += [listed[0].get(name) for name in ("auditStamp", "created", "lastModified")]
    for stamp in stamps:
        actor = stamp.get("actor") if isinstance(stamp, dict) else None
        if isinstance(actor, str) and user_of(actor) not in ("unknown", "", "__ingestion"):
            return user_of(actor)[:200]
    return ""


def _text(value: Any, longest: int = _LONGEST) -> str:
    return value[:longest] if isinstance(value, str) else ""


def decode(text: Any, place: str) -> Any:
    """The JSON text inside of a proposal."""
    try:
        return msgspec.json.decode(text if isinstance(text, str) else "")
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise BadQuestion(f"The aspect's value cannot be read: {error}.", path=place) from None
