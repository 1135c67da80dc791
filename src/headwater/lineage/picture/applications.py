"""The application, DAG or dbt invocation that jobs are parts of: the job at the top."""

from __future__ import annotations

from collections.abc import Collection

from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.picture.jobs import parents_of

__all__ = ["applications_of", "tops"]

_DEEPEST = 20


def applications_of(flow: Flow, jobs: Collection[bytes]) -> dict[bytes, bytes]:
    """By job that has a parent, the one at the top."""
    parents: dict[bytes, bytes] = {}
    level = set(jobs)
    for _ in range(_DEEPEST):
        found = parents_of(flow, level) if level else {}
        parents.update(found)
        level = set(found.values()) - parents.keys()
    return tops(parents, jobs)


def tops(parents: dict[bytes, bytes], jobs: Collection[bytes]) -> dict[bytes, bytes]:
    """By job that has a parent, the last one of the chain; a chain that goes round ends where it began.

    >>> tops({b"a": b"b", b"b": b"c"}, [b"a", b"c"])
    {b'a': b'c'}
    """
    found: dict[bytes, bytes] = {}
    for job in jobs:
        top, seen = job, {job}
        while (above := parents.get(top)) is not None and above not in seen:
            seen.add(above)
            top = above
        if top != job:
            found[job] = top
    return found
