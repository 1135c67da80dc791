"""When datasets were last read, and jobs last ran."""

from __future__ import annotations

from collections.abc import Collection

from headwater.openlineage.identity import stamp_time
from headwater.store.read.lookup import Lookup

__all__ = ["last_used"]

_USED = (
    "SELECT p.dataset, e.[last] FROM shape_dataset p JOIN evidence e ON e.tenant = p.tenant AND e.shape = p.shape "
    "WHERE p.tenant = ? AND p.dataset {ids} AND p.[role] = 1"
)
_RAN = (
    "SELECT s.job, e.[last] FROM shape s JOIN evidence e ON e.tenant = s.tenant AND e.shape = s.shape "
    "WHERE s.tenant = ? AND s.job {ids}"
)


def last_used(tenant: int, lookup: Lookup, nodes: Collection[bytes]) -> dict[bytes, int]:
    """When a dataset was last read, or a job last ran."""
    found: dict[bytes, int] = {}
    for query in (_USED, _RAN):
        for node, last in lookup.rows(query, tenant, nodes):
            if last is not None:
                found[node] = max(stamp_time(last), found.get(node, stamp_time(last)))
    return found
