"""The runs that made an edge: the first, the newest, how many, and how much they wrote."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from msgspec import Struct

from headwater.graph.current.sums import total
from headwater.graph.facts import Role, RunStatus
from headwater.lineage.answer.values import moment
from headwater.lineage.edge.answer import EdgeRun, FirstRun
from headwater.lineage.entities.run_items import run_id
from headwater.lineage.picture.answer import state_of
from headwater.store.read.lookup import Lookup

__all__ = ["EdgeRuns", "runs_of_edge"]

_SAYING = (
    "SELECT n.shape, (SELECT r.run FROM run_shape r WHERE r.tenant = n.tenant AND r.shape = n.shape "
    "AND r.first_seen <= ? ORDER BY r.first_seen {order}, r.run {order} LIMIT 1) FROM shape n WHERE n.tenant = ? "
    "AND n.shape {{ids}}"
)
_NEWEST, _OLDEST = _SAYING.format(order="DESC"), _SAYING.format(order="ASC")
_COUNT = "SELECT shape, COUNT(*) FROM run_shape WHERE tenant = ? AND shape {ids} AND first_seen <= ? GROUP BY shape"
_DISTINCT = "SELECT DISTINCT run FROM run_shape WHERE tenant = ? AND shape {ids} AND first_seen <= ?"
_MOST_COUNTED = 100_000
"""Pairs of run and shape up to which runs are counted once; beyond it each pair counts."""
_RUNS = "SELECT run, status, first_seen, ended_at, last_seen FROM run WHERE tenant = ? AND run {ids}"
_WROTE = (
    "SELECT dataset, [rows], bytes, files FROM run_dataset WHERE tenant = ? AND run {ids} "
    f"AND [role] = {int(Role.OUTPUT)}"
)


class EdgeRuns(Struct, frozen=True):
    first: FirstRun | None = None
    last: EdgeRun | None = None
    total: int = 0


def runs_of_edge(
    lookup: Lookup, tenant: int, shapes: Collection[bytes], datasets: Collection[bytes], until: int
) -> EdgeRuns:
    """Figures of the runs that stated one of these shapes. `datasets`: all ids of the target."""
    newest = {run for _, run in lookup.rows(_NEWEST, tenant, shapes, before=(until,)) if run is not None}
    oldest = {run for _, run in lookup.rows(_OLDEST, tenant, shapes, before=(until,)) if run is not None}
    rows = {row[0]: row for row in lookup.rows(_RUNS, tenant, newest | oldest)}
    if not rows:
        return EdgeRuns()
    first = min((rows[run] for run in oldest if run in rows), key=_began)
    last = max((rows[run] for run in newest if run in rows), key=_began)
    count_all = sum(count for _, count in lookup.rows(_COUNT, tenant, shapes, until))
    if len(shapes) > 1 and count_all <= _MOST_COUNTED:
        count_all = len({row[0] for row in lookup.rows(_DISTINCT, tenant, shapes, until)})
    wrote = [row[1:] for row in lookup.rows(_WROTE, tenant, [last[0]]) if row[0] in datasets]
    status, ended_at, last_seen = last[1], last[3], last[4]
    ended = ended_at if (status or 0) >= RunStatus.SUCCEEDED and ended_at is not None else last_seen
    return EdgeRuns(
        FirstRun(run=run_id(first[0]), at=moment(first[2])),
        EdgeRun(
            run=run_id(last[0]),
            status=state_of(status),
            at=moment(ended),
            rows=total(row[0] for row in wrote),
            bytes=total(row[1] for row in wrote),
            files=total(row[2] for row in wrote),
        ),
        count_all,
    )


def _began(row: tuple[Any, ...]) -> tuple[int, bytes]:
    return row[2] or 0, row[0]
