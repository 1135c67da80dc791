"""Answers `scrollAcrossLineage`: things upstream or downstream, each with its distance and path."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import deque
from collections.abc import Mapping
from typing import Any

from headwater.lineage.by_hand.ends import End, named_end
from headwater.lineage.by_hand.find_urns import UrnFinder, types_of
from headwater.lineage.by_hand.rules import EndType, type_of_dataset
from headwater.lineage.by_hand.urns import parse_urn, platform_of
from headwater.lineage.datahub.find_thing import find_thing
from headwater.lineage.errors import BadQuestion
from headwater.lineage.walk.lineage import lineage
from headwater.store.read.reader import Reader

__all__ = ["scroll"]

_TYPES = {
    EndType.DATASET: "DATASET",
    EndType.CHART: "CHART",
    EndType.DASHBOARD: "DASHBOARD",
    EndType.JOB: "DATA_JOB",
    EndType.COLUMN: "SCHEMA_FIELD",
}
_FARTHEST = 20
_MOST = 10_000
"""Results of one page."""
_SIDES = {"UPSTREAM": "upstream", "DOWNSTREAM": "downstream"}


def scroll(reader: Reader, tenant: int, wanted: Mapping[str, Any], env: str) -> dict[str, Any]:
    """One page; `wanted` is the query's input."""
    urn, direction = wanted.get("urn"), wanted.get("direction")
    if not isinstance(urn, str) or direction not in _SIDES:
        raise BadQuestion("scrollAcrossLineage needs `urn`, and UPSTREAM or DOWNSTREAM as `direction`.")
    count = wanted.get("count")
    count = count if isinstance(count, int) and 0 < count <= _MOST else min(_MOST, 500)
    degrees, types = _filters(wanted)
    read, end = find_thing(reader, tenant, urn, env)
    if not end.exists:
        return {"nextScrollId": None, "count": 0, "total": 0, "searchResults": []}
    side = _SIDES[direction]
    of_columns = read.type is EndType.COLUMN
    depth = _FARTHEST if "3+" in degrees else 2 if "2" in degrees else 1
    answer = lineage(
        reader,
        tenant,
        end.shown,
        direction=side,
        depth=depth,
        granularity="COLUMN" if of_columns else "JOB",
    )[side]
    ends = _ends(reader, tenant, answer["nodes"])
    finder = UrnFinder(reader, tenant, env)
    urns = {node: finder.urn_of(found) for node, found in ends.items()}
    paths = _paths(answer, down=side == "downstream")
    results = [
        _result(node, ends, urns, paths)
        for node in answer["nodes"]
        if node["depth"] > 0 and node["id"] in ends and _degree(node["depth"]) in degrees
    ]
    results = [item for item in results if not types or item["entity"]["type"] in types]
    start = _offset(wanted.get("scrollId"))
    page = results[start : start + count]
    following = start + len(page)
    return {
        "nextScrollId": _scroll_id(following) if following < len(results) else None,
        "count": len(page),
        "total": len(results),
        "searchResults": page,
    }


def _result(
    node: dict[str, Any], ends: Mapping[str, End], urns: Mapping[str, str], paths: Mapping[str, list[str]]
) -> dict[str, Any]:
    end, urn = ends[node["id"]], urns[node["id"]]
    entity: dict[str, Any] = {
        "urn": urn,
        "type": _TYPES[end.type],
        "properties": {"name": end.name, "description": None},
    }
    platform = {"name": platform_of(end.namespace)}
    if end.type is EndType.JOB:
        entity |= {"jobId": parse_urn(urn).job, "dataPlatformInstance": {"platform": platform}}
    else:
        entity |= {"name": end.name, "platform": platform}
    steps = [{"urn": urns[step], "type": _TYPES[ends[step].type]} for step in paths.get(node["id"], ()) if step in urns]
    return {"degree": node["depth"], "degrees": [node["depth"]], "entity": entity, "paths": [{"path": steps}]}


def _ends(reader: Reader, tenant: int, nodes: list[dict[str, Any]]) -> dict[str, End]:
    """Things by node id; columns have ids of their own."""
    keys = {node["id"]: bytes.fromhex(node["key"].partition("@")[2][:32]) for node in nodes}
    names = reader.names(tenant, set(keys.values()))
    types = types_of(reader, tenant, set(keys.values()))
    found = {}
    for node in nodes:
        name = names.get(keys[node["id"]])
        if name is not None and node["kind"] != "rows":
            found[node["id"]] = named_end(name, type_of_dataset(types.get(name.id)), node.get("column") or "")
    return found


def _paths(answer: dict[str, Any], *, down: bool) -> dict[str, list[str]]:
    """By node, one of the shortest ways to it, from the start on."""
    following: dict[str, list[str]] = {}
    for edge in answer["edges"]:
        one, other = (edge["from"], edge["to"]) if down else (edge["to"], edge["from"])
        following.setdefault(one, []).append(other)
    found = {node["id"]: [node["id"]] for node in answer["nodes"] if node["depth"] == 0}
    queue = deque(found)
    while queue:
        near = queue.popleft()
        for far in following.get(near, ()):
            if far not in found:
                found[far] = [*found[near], far]
                queue.append(far)
    return found


def _filters(wanted: Mapping[str, Any]) -> tuple[set[str], set[str]]:
    """The degrees and types that are asked for; other filters are refused."""
    types = wanted.get("types")
    listed = {str(item).upper() for item in types} if isinstance(types, list) else set()
    degrees: set[str] = set()
    for group in wanted.get("orFilters") or ():
        for clause in group.get("and") or () if isinstance(group, dict) else ():
            field, values = clause.get("field"), clause.get("values") or []
            if field == "degree":
                degrees.update(map(str, values))
            elif field in ("_entityType", "entityType"):
                listed.update(str(value).upper() for value in values)
            elif field != "removed":  # what was hidden is in no answer
                raise BadQuestion(
                    f"Lineage cannot be filtered by {str(field)[:100]!r} here.", hint="By degree and type it can."
                )
    if not degrees <= {"1", "2", "3+"}:
        raise BadQuestion("A degree is 1, 2 or 3+.")
    return degrees or {"1", "2", "3+"}, {item.replace("DATAJOB", "DATA_JOB") for item in listed}


def _degree(depth: int) -> str:
    return str(depth) if depth < 3 else "3+"


def _scroll_id(offset: int) -> str:
    return urlsafe_b64encode(str(offset).encode()).decode()


def _offset(text: Any) -> int:
    if not isinstance(text, str) or not text:
        return 0
    try:
        return min(max(int(urlsafe_b64decode(text)), 0), 1 << 30)
    except ValueError:
        raise BadQuestion(
            "This is no scrollId.", hint="Use `nextScrollId` of the page before, or leave it out."
        ) from None
