"""Answers `scrollAcrossLineage`: things upstream or downstream, each with its distance and path."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import deque
from collections.abc import Mapping
from typing import Any

from headwater.graph.annotations.described import Described
from headwater.lineage.by_hand.ends import End, named_end
from headwater.lineage.by_hand.find_urns import UrnFinder
from headwater.lineage.by_hand.rules import EndType, type_of_dataset
from headwater.lineage.by_hand.urns import parse_urn, platform_of
from headwater.lineage.datahub.find_thing import find_thing
from headwater.lineage.datahub.scroll_filters import Result, read_filters
from headwater.lineage.entities.annotations import described_of
from headwater.lineage.errors import BadQuestion
from headwater.lineage.walk.lineage import lineage
from headwater.store.read.lookup import Lookup
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
    if not isinstance(urn, str) or not isinstance(direction, str) or direction not in _SIDES:
        raise BadQuestion("scrollAcrossLineage needs `urn`, and UPSTREAM or DOWNSTREAM as `direction`.")
    count = wanted.get("count")
    count = count if isinstance(count, int) and 0 < count <= _MOST else min(_MOST, 500)
    filters = read_filters(wanted)
    read, end = find_thing(reader, tenant, urn, env)
    if not end.exists:
        return {"nextScrollId": None, "count": 0, "total": 0, "searchResults": []}
    side = _SIDES[direction]
    of_columns = read.type is EndType.COLUMN
    depth = {"1": 1, "2": 2}.get(filters.farthest, _FARTHEST)
    answer = lineage(
        reader,
        tenant,
        end.shown,
        direction=side,
        depth=depth,
        granularity="COLUMN" if of_columns else "JOB",
    )[side]
    ends, titles = _ends(reader, tenant, answer["nodes"])
    finder = UrnFinder(reader, tenant, env)
    urns = {node: finder.urn_of(found) for node, found in ends.items()}
    paths = _paths(answer, down=side == "downstream")
    results = [
        _result(node, ends[node["id"]], urns, titles, ends, paths)
        for node in answer["nodes"]
        if node["depth"] > 0 and node["id"] in ends and filters.take(_filtered(node, ends[node["id"]], urns, env))
    ]
    start = _offset(wanted.get("scrollId"))
    page = results[start : start + count]
    following = start + len(page)
    return {
        "nextScrollId": _scroll_id(following) if following < len(results) else None,
        "count": len(page),
        "total": len(results),
        "searchResults": page,
    }


def _filtered(node: dict[str, Any], end: End, urns: Mapping[str, str], env: str) -> Result:
    has_env = end.type not in (EndType.CHART, EndType.DASHBOARD)
    degree, platform = _degree(node["depth"]), platform_of(end.namespace)
    return Result(degree, _TYPES[end.type], platform, env.upper() if has_env else "", urns[node["id"]])


def _result(
    node: dict[str, Any],
    end: End,
    urns: Mapping[str, str],
    titles: Mapping[str, Described],
    ends: Mapping[str, End],
    paths: Mapping[str, list[str]],
) -> dict[str, Any]:
    urn, about = urns[node["id"]], titles.get(node["id"]) or Described()
    entity: dict[str, Any] = {
        "urn": urn,
        "type": _TYPES[end.type],
        "properties": {"name": about.title or end.name, "description": about.description},
    }
    platform = {"name": platform_of(end.namespace)}
    if end.type is EndType.JOB:
        entity |= {"jobId": parse_urn(urn).job, "dataPlatformInstance": {"platform": platform}}
    else:
        entity |= {"name": about.title or end.name, "platform": platform}
    steps = [{"urn": urns[step], "type": _TYPES[ends[step].type]} for step in paths.get(node["id"], ()) if step in urns]
    return {"degree": node["depth"], "degrees": [node["depth"]], "entity": entity, "paths": [{"path": steps}]}


def _ends(reader: Reader, tenant: int, nodes: list[dict[str, Any]]) -> tuple[dict[str, End], dict[str, Described]]:
    """Type and information by node id; columns have ids of their own."""
    keys = {node["id"]: bytes.fromhex(node["key"].partition("@")[2][:32]) for node in nodes}
    names = reader.names(tenant, set(keys.values()))
    told = described_of(tenant, Lookup(reader.engine), {node: [node] for node in names})
    found = {}
    about = {}
    for node in nodes:
        name = names.get(keys[node["id"]])
        if name is not None and node["kind"] != "rows":
            said = told.get(name.id) or Described()
            column = node.get("column") or ""
            found[node["id"]] = named_end(name, type_of_dataset(said.type), column)
            about[node["id"]] = Described() if column else said
    return found, about


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
