"""A tenant's whole graph read at once, as far as it is simple: which jobs read and write which datasets.

Simple are jobs of which every input feeds every output, as nearly all do. What is more, such as flows that a `lineage`
facet states, or what dataset events say, is left out, and looked up when somebody asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from headwater.graph.facts import Role
from headwater.openlineage.event import EventKind
from headwater.store.lookup import Lookup

__all__ = ["Survey", "survey_of"]

_PAGE = 20_000
_PARTS = (
    "SELECT d.shape, s.job, s.kind, d.dataset, d.[role], d.types, d.explicit FROM shape_dataset d "
    "JOIN shape s ON s.tenant = d.tenant AND s.shape = d.shape "
    f"WHERE d.tenant = ? AND d.shape > ? ORDER BY d.shape LIMIT {_PAGE}"
)
_OTHER_FLOWS = (
    "SELECT DISTINCT s.job FROM shape_edge e JOIN shape s ON s.tenant = e.tenant AND s.shape = e.shape "
    "WHERE e.tenant = ? AND s.job IS NOT NULL AND (NOT EXISTS (SELECT 1 FROM shape_dataset d WHERE "
    f"d.tenant = e.tenant AND d.shape = e.shape AND d.dataset = e.source AND d.[role] = {int(Role.INPUT)}) "
    "OR NOT EXISTS (SELECT 1 FROM shape_dataset d WHERE "
    f"d.tenant = e.tenant AND d.shape = e.shape AND d.dataset = e.target AND d.[role] = {int(Role.OUTPUT)}))"
)
_PARTS_OF = _PARTS.replace("d.shape > ?", "d.shape = ?").partition(" LIMIT")[0]
_OUTPUT, _REFERENCE, _RUN = int(Role.OUTPUT), int(Role.REFERENCE), EventKind.RUN.value
_DONE = (int(Role.INPUT), _OUTPUT, _REFERENCE)
_Ends = dict[bytes, tuple[bytes, ...]]


class Survey(Struct, frozen=True):
    """By the ids under which jobs and datasets are shown."""

    sources: _Ends
    """By job, what it reads."""
    targets: _Ends
    types: dict[bytes, tuple[int, ...]]
    """By job that says so, what it does to each of its targets."""
    readers: _Ends
    """By dataset, who reads it."""
    writers: _Ends


def survey_of(
    tenant: int, lookup: Lookup, shown: Callable[[list[bytes]], dict[bytes, bytes]], most: int
) -> Survey | None:
    """Read the graph; `shown` gives the ids under which nodes are shown that have another. None if it is too large."""
    reads: dict[bytes, dict[bytes, int]] = {}
    writes: dict[bytes, dict[bytes, int]] = {}
    odd: set[bytes] = {bytes(row[0]) for row in lookup.all(_OTHER_FLOWS, tenant)}
    same: dict[bytes, bytes] = {}
    count = 0
    for page in _pages(tenant, lookup):
        count += len(page)
        if count > most:
            return None
        names = shown(list({row[3] for row in page} | {row[1] for row in page if row[1] is not None}))
        for _, job, kind, dataset, role, types, explicit in page:
            node, doer = names.get(dataset, dataset), names.get(job, job)
            node = same.setdefault(node, node)  # one object for each id
            if job is None or role not in _DONE:
                odd |= {node} if job is None else {node, doer}
                continue
            if kind != _RUN or explicit or role == _REFERENCE:
                odd.add(doer)
            ends = (writes if role == _OUTPUT else reads).setdefault(same.setdefault(doer, doer), {})
            ends[node] = ends.get(node, 0) | (types or 0)
    return _survey(reads, writes, odd)


def _pages(tenant: int, lookup: Lookup) -> Iterator[list[tuple[Any, ...]]]:
    """All parts of all shapes, each shape within one page."""
    last, more = b"", True
    while more:
        page = lookup.all(_PARTS, tenant, last)
        more = len(page) == _PAGE
        if more and page[0][0] != page[-1][0]:
            page = [row for row in page if row[0] != page[-1][0]]
        elif more:
            page = lookup.all(_PARTS_OF, tenant, page[0][0])
        if page:
            last = page[-1][0]
            yield page


def _survey(reads: dict[bytes, dict[bytes, int]], writes: dict[bytes, dict[bytes, int]], odd: set[bytes]) -> Survey:
    nodes = {node for ends in (reads, writes) for listed in ends.values() for node in listed} - odd
    simple = [job for job in reads.keys() | writes.keys() if job not in odd]
    return Survey(
        {job: tuple(reads.get(job, ())) for job in simple},
        {job: tuple(writes.get(job, ())) for job in simple},
        {job: tuple(writes[job].values()) for job in simple if any(writes.get(job, {}).values())},
        _turned(reads, nodes),
        _turned(writes, nodes),
    )


def _turned(ends: dict[bytes, dict[bytes, int]], nodes: set[bytes]) -> _Ends:
    found: dict[bytes, list[bytes]] = {node: [] for node in nodes}
    for job, listed in ends.items():
        for node in listed:
            if node in found:
                found[node].append(job)
    return {node: tuple(jobs) for node, jobs in found.items()}
