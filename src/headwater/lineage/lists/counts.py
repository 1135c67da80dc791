"""Counts of list items by value, for the filters of a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from headwater.graph.annotations.tags import same_tag
from headwater.graph.facts import NodeKind, RunStatus
from headwater.lineage.answer.records import UNKNOWN_TYPE, Page, ValueCount
from headwater.lineage.entities.annotations import tagged
from headwater.store.read.aliases import Aliases
from headwater.store.read.lists.catalog import NodeFilter
from headwater.store.read.lists.counts import ListCounts
from headwater.store.read.lists.runs import RunFilter
from headwater.store.read.lookup import Lookup
from headwater.store.read.reader import Reader

__all__ = ["node_counts", "run_counts", "with_counts"]

_T = TypeVar("_T")
_MOST = 50
"""Values of each, the most frequent."""
Counts = dict[str, list[ValueCount]]


def with_counts(page: Page[_T], counts: Counts) -> Page[_T]:
    return msgspec.structs.replace(page, counts=counts) if counts else page


def node_counts(reader: Reader, tenant: int, kind: NodeKind, wanted: NodeFilter, by: Iterable[str]) -> Counts:
    """Of datasets or jobs."""
    store, found = ListCounts(reader.engine), {}
    for name in by:
        if name == "tag":
            found[name] = _by_tag(reader, tenant, kind, wanted)
        else:
            found[name] = _shown(name, store.nodes(tenant, kind, wanted, name, _MOST))
    return found


def run_counts(reader: Reader, tenant: int, wanted: RunFilter, by: Iterable[str]) -> Counts:
    store = ListCounts(reader.engine)
    return {name: _shown(name, store.runs(tenant, wanted, name, _MOST)) for name in by}


def _shown(name: str, rows: list[tuple[Any, int]]) -> list[ValueCount]:
    if name == "status":
        summed: Counter[int] = Counter()
        for status, count in rows:
            summed[status or 0] += count
        return [ValueCount(RunStatus(status).name, count) for status, count in summed.most_common()]
    if name == "type":
        return [ValueCount(value or UNKNOWN_TYPE, count) for value, count in rows]
    return [ValueCount(value, count) for value, count in rows]


def _by_tag(reader: Reader, tenant: int, kind: NodeKind, wanted: NodeFilter) -> list[ValueCount]:
    """A tag counts for a thing if it or a column of it carries it, however it is spelt."""
    aliases = Aliases(reader, tenant)
    carrying = tagged(tenant, Lookup(reader.engine), aliases, None)
    groups = {member: node for node in carrying for member in aliases.group(node)}
    listed = ListCounts(reader.engine).among(tenant, kind, wanted, list(groups)) if groups else set()
    counts: Counter[str] = Counter()
    spelt: dict[str, str] = {}
    for member in listed:
        tags = {same_tag(tag): tag for tag in carrying[groups[member]].all_tags}
        counts.update(tags.keys())
        for same, tag in tags.items():
            spelt[same] = min(spelt.get(same, tag), tag)
    return [ValueCount(spelt[tag], count) for tag, count in counts.most_common(_MOST)]
