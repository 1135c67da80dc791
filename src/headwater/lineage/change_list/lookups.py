"""Changes in the store: created, dropped, failed runs, renames, edits."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from msgspec import Struct

from headwater.graph.current.window import ALWAYS
from headwater.graph.facts import Activity, OutputType, RunStatus
from headwater.lineage.by_hand.listing import shown_end
from headwater.lineage.change_list.answer import Argument, ChangeCode, ChangeKind, Raw
from headwater.openlineage.identity import stamp_time
from headwater.store.read.dataset_changes import DONE
from headwater.store.read.lists.edits import EditLog
from headwater.store.read.lookup import Lookup
from headwater.store.read.reader import Reader
from headwater.store.read.shapes.edge_rows import edges_by_id
from headwater.store.read.shapes.hand_edges import HandEdges

__all__ = ["MOST", "Asked", "edited", "failed", "lifecycle", "renamed"]

MOST = 2_000
"""Changes of each sort, the newest, that are looked at."""
_CHANGES = (
    "SELECT c.dataset, c.at, c.types, c.run FROM dataset_change c "
    f"WHERE c.tenant = ? {{some}} AND c.at >= ? AND c.at <= ? AND {DONE} {{order}}"
)
_ORDER_AT, _ORDER_SEEN = f"ORDER BY at DESC LIMIT {MOST}", f"ORDER BY first_seen DESC LIMIT {MOST}"
_FAILED = (
    "SELECT run, job, activity, status, ended_at, last_seen, end_reason FROM run WHERE tenant = ? {some} "
    f"AND first_seen >= ? AND first_seen <= ? "
    f"AND status IN ({int(RunStatus.KILLED)}, {int(RunStatus.FAILED)}) {{order}}"
)
_RENAMES = (
    "SELECT c.source, c.target, c.at, c.run FROM [rename] c "
    f"WHERE c.tenant = ? AND c.at >= ? AND c.at <= ? AND {DONE} ORDER BY c.at DESC LIMIT {MOST}"
)
_LIFE: tuple[tuple[OutputType, ChangeKind, ChangeCode], ...] = (
    (OutputType.CREATE, "created", "created"),
    (OutputType.DROP, "dropped", "dropped"),
    (OutputType.TRUNCATE, "truncated", "truncated"),
)
_LONGEST = 500


class Asked(Struct, frozen=True):
    """Which changes are meant; None is everything."""

    since: int
    until: int
    datasets: frozenset[bytes] | None = None
    """Empty where a job is meant: then its lineage is, whatever it reads and writes."""
    jobs: frozenset[bytes] | None = None
    """Whose runs are meant, and whose lineage."""
    edits: frozenset[bytes] | None = None


def lifecycle(lookup: Lookup, tenant: int, asked: Asked) -> list[Raw]:
    """Datasets that were created, dropped or truncated."""
    rows = _rows(lookup, _CHANGES, _ORDER_AT, "c.dataset", tenant, asked.datasets, asked)
    return [
        Raw(at=at, kind=kind, node=dataset, code=code, run=run)
        for dataset, at, types, run in rows
        for flag, kind, code in _LIFE
        if (types or 0) & flag
    ]


def failed(lookup: Lookup, tenant: int, asked: Asked) -> list[Raw]:
    """Runs that failed or were killed, not the operations inside them."""
    found = []
    for run, job, activity, status, ended_at, last_seen, reason in _rows(
        lookup, _FAILED, _ORDER_SEEN, "job", tenant, asked.jobs, asked
    ):
        if job is None or Activity(activity or Activity.RUN) == Activity.OPERATION:
            continue
        code: ChangeCode = "run_killed" if status == RunStatus.KILLED else "run_failed"
        failure: dict[str, Argument] = {"reason": (reason or "")[:_LONGEST] or None}
        found.append(
            Raw(at=ended_at or last_seen or 0, kind="failed", node=job, code=code, arguments=failure, run=run, job=job)
        )
    return found


def renamed(lookup: Lookup, tenant: int, asked: Asked) -> list[tuple[Raw, bytes]]:
    """Datasets that got another name, each with the node of the old one."""
    found = []
    for source, target, at, run in lookup.all(_RENAMES, tenant, asked.since, asked.until):
        if asked.datasets is None or {source, target} & asked.datasets:
            found.append((Raw(at=at, kind="renamed", node=target, code="renamed", run=run), source))
    return found


def edited(reader: Reader, tenant: int, asked: Asked) -> list[Raw]:
    """Changes by hand."""
    found = []
    edits = EditLog(reader.engine).edits(tenant, _edited(reader, tenant, asked), None, after=None, limit=MOST)
    edges = edges_by_id(
        tenant, Lookup(reader.engine), {edit.about for edit in edits if edit.about_type == "EDGE" and edit.about}
    )
    sources = reader.names(tenant, {edge.source for edge in edges.values()})
    for edit in edits:
        at = stamp_time(edit.stamp) if edit.stamp else 0
        if edit.about is None or not asked.since <= at <= asked.until:
            continue
        values: dict[str, Argument] = {
            "kind": edit.kind,
            "name": (edit.name or "")[:_LONGEST] or None,
            "column": edit.column or None,
        }
        value = (edit.value or "")[:_LONGEST] or None
        arguments = {**values, "value": value, "reason": (edit.reason or "")[:_LONGEST] or None}
        actor = edit.by or edit.actor
        edge = edges.get(edit.about)
        if edge is not None:
            source = shown_end(sources.get(edge.source), edge.source, edge.source_column)
            arguments = {**arguments, "name": source[:_LONGEST], "column": edge.target_column or None}
            arguments["value"] = "true" if edit.value else None
            found.append(Raw(at=at, kind="edit", node=edge.target, code="edited", arguments=arguments, actor=actor))
            continue
        found.append(Raw(at=at, kind="edit", node=edit.about, code="edited", arguments=arguments, actor=actor))
    return found


def _edited(reader: Reader, tenant: int, asked: Asked) -> Collection[bytes] | None:
    """The things asked about, and the edges that lead from them and to them."""
    if asked.edits is None:
        return None
    by_hand = HandEdges(tenant, Lookup(reader.engine), ALWAYS)
    listed = [edge.edge for down in (True, False) for edge in by_hand.at(asked.edits, down=down)]
    return asked.edits | set(listed)


def _rows(
    lookup: Lookup, sql: str, order: str, column: str, tenant: int, ids: Collection[bytes] | None, asked: Asked
) -> list[tuple[Any, ...]]:
    if ids is None:
        return lookup.all(sql.format(some="", order=order), tenant, asked.since, asked.until)
    some = f"AND {column} {{ids}}"
    return lookup.rows(sql.format(some=some, order=order), tenant, ids, asked.since, asked.until)
