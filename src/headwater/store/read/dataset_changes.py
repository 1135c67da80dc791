"""Changes of datasets themselves by runs: create, drop, truncate, rename. Failed runs did none of them."""

from __future__ import annotations

from collections.abc import Collection

from headwater.graph.current.existence import UNDONE
from headwater.store.read.lookup import Lookup

__all__ = ["DONE", "changes_of", "renames_of"]

DONE = (
    "NOT EXISTS (SELECT 1 FROM run u WHERE u.tenant = c.tenant AND u.run = c.run "
    f"AND u.status IN ({', '.join(str(int(status)) for status in UNDONE)}))"
)
"""That the run of a change `c` did not fail."""
_CHANGES = (
    f"SELECT c.dataset, c.at, c.types FROM dataset_change c WHERE c.tenant = ? AND c.dataset {{ids}} AND c.at <= ? "
    f"AND {DONE}"
)
_RENAMES = "SELECT c.source, c.target, c.at FROM [rename] c WHERE c.tenant = ? AND c.{end} {{ids}} AND c.at <= ? AND "
_RENAMED_FROM, _RENAMED_TO = (_RENAMES.format(end=end) + DONE for end in ("source", "target"))


def changes_of(tenant: int, lookup: Lookup, datasets: Collection[bytes], until: int) -> list[tuple[bytes, int, int]]:
    """(dataset, time, flags of `OutputType`) of each change by then."""
    return [(dataset, at, types or 0) for dataset, at, types in lookup.rows(_CHANGES, tenant, datasets, until)]


def renames_of(tenant: int, lookup: Lookup, datasets: Collection[bytes], until: int) -> dict[tuple[bytes, bytes], int]:
    """By old and new name, when one of these was last renamed by then, be it to or from another."""
    found: dict[tuple[bytes, bytes], int] = {}
    for sql in (_RENAMED_FROM, _RENAMED_TO):
        for source, target, at in lookup.rows(sql, tenant, datasets, until):
            found[source, target] = max(at, found.get((source, target), at))
    return found
