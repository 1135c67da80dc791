"""Tags and owners, as the facets of datasets and jobs state them; the newest statement of each thing counts."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec
from msgspec import Struct, field

from headwater.openlineage.identity import stamp_time
from headwater.store.lookup import Lookup

__all__ = ["Said", "last_used", "matches", "said_of", "tagged_columns"]

_OF_DATASETS = (
    "SELECT p.dataset, p.facets, e.[last] FROM shape_dataset p JOIN evidence e ON e.tenant = p.tenant "
    "AND e.shape = p.shape WHERE p.tenant = ? AND p.dataset {ids} AND p.facets IS NOT NULL"
)
_OF_JOBS = (
    "SELECT s.job, s.facets, e.[last] FROM shape s JOIN evidence e ON e.tenant = s.tenant AND e.shape = s.shape "
    "WHERE s.tenant = ? AND s.job {ids} AND s.facets IS NOT NULL"
)
_TAGGED = "SELECT DISTINCT dataset FROM shape_dataset WHERE tenant = ? AND {contains}"
_USED = (
    "SELECT p.dataset, e.[last] FROM shape_dataset p JOIN evidence e ON e.tenant = p.tenant AND e.shape = p.shape "
    "WHERE p.tenant = ? AND p.dataset {ids} AND p.[role] = 1"
)
_RAN = (
    "SELECT s.job, e.[last] FROM shape s JOIN evidence e ON e.tenant = s.tenant AND e.shape = s.shape "
    "WHERE s.tenant = ? AND s.job {ids}"
)


class Said(Struct):
    """What is said of one dataset or job."""

    tags: set[str] = field(default_factory=set)
    """Keys, and `key=value` where there is a value."""
    column_tags: dict[str, set[str]] = field(default_factory=dict)
    owners: list[str] = field(default_factory=list)
    type: str | None = None
    """Its `datasetType`."""


def said_of(tenant: int, lookup: Lookup, nodes: Collection[bytes]) -> dict[bytes, Said]:
    """Tags and owners of these datasets and jobs."""
    newest: dict[bytes, dict[str, tuple[bytes, Any]]] = {}
    for query in (_OF_DATASETS, _OF_JOBS):
        for node, facets, last in lookup.rows(query, tenant, nodes):
            for name, value in msgspec.json.decode(facets).items():
                known = newest.setdefault(node, {}).get(name)
                if known is None or (last or b"") > known[0]:
                    newest[node][name] = last or b"", value
    return {node: _read({name: value for name, (_, value) in facets.items()}) for node, facets in newest.items()}


def tagged_columns(tenant: int, lookup: Lookup, tag: str) -> dict[bytes, set[str] | None]:
    """Datasets with this tag: None when all of it is tagged, else its tagged columns."""
    part = b'"key":' + msgspec.json.encode(tag.partition("=")[0])  # as facets are stored; looked at again below
    candidates = [row[0] for row in lookup.containing(_TAGGED, "facets", tenant, part)]
    found: dict[bytes, set[str] | None] = {}
    for node, said in said_of(tenant, lookup, candidates).items():
        columns = {column for column, tags in said.column_tags.items() if matches(tags, (tag,))}
        if matches(said.tags, (tag,)):
            found[node] = None
        elif columns:
            found[node] = columns
    return found


def last_used(tenant: int, lookup: Lookup, nodes: Collection[bytes]) -> dict[bytes, int]:
    """When a dataset was last read, or a job last ran."""
    found: dict[bytes, int] = {}
    for query in (_USED, _RAN):
        for node, last in lookup.rows(query, tenant, nodes):
            if last is not None:
                found[node] = max(stamp_time(last), found.get(node, stamp_time(last)))
    return found


def matches(tags: set[str], wanted: Collection[str]) -> bool:
    """Whether any wanted tag is there; a key alone stands for all its values."""
    return any(tag in tags or any(known.partition("=")[0] == tag for known in tags) for tag in wanted)


def _read(facets: dict[str, Any]) -> Said:
    said = Said()
    for tag in _records(facets.get("tags"), "tags"):
        key, value, column = tag.get("key"), tag.get("value"), tag.get("field")
        if not isinstance(key, str) or not key:
            continue
        word = f"{key}={value}" if value not in (None, "", True, "true") else key
        (said.column_tags.setdefault(column, set()) if isinstance(column, str) and column else said.tags).add(word)
    said.owners = [str(owner["name"]) for owner in _records(facets.get("ownership"), "owners") if owner.get("name")]
    kind = facets.get("datasetType")
    said.type = kind.get("datasetType") if isinstance(kind, dict) else None
    return said


def _records(facet: Any, name: str) -> list[dict[str, Any]]:
    members = facet.get(name) if isinstance(facet, dict) else None
    return [member for member in members if isinstance(member, dict)] if isinstance(members, list) else []
