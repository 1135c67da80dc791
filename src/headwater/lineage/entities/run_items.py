"""Runs and operations as every list, page and entity shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import msgspec

from headwater.graph.facts import Activity, Role, Run, RunStatus
from headwater.lineage.answer.records import RunItem
from headwater.lineage.answer.values import latest_value, moment, uuid_of
from headwater.store.read.reader import Name, Reader
from headwater.store.read.runs.parts import FailureReason, reasons_of_parts

__all__ = ["run_id", "run_items", "run_members"]

_ENDED_BADLY = (RunStatus.FAILED, RunStatus.KILLED)


def run_id(run: bytes) -> str:
    """The one id of a run, be it a run, an operation, or both."""
    return f"run:{UUID(bytes=run)}"


def run_items(
    reader: Reader, tenant: int, runs: Sequence[Run], roles: Mapping[bytes, set[int]] | None = None
) -> list[RunItem]:
    """In the same order. `roles`: how each used the dataset that was asked about."""
    return [RunItem(**members) for members in run_members(reader, tenant, runs, roles)]


def run_members(
    reader: Reader, tenant: int, runs: Sequence[Run], roles: Mapping[bytes, set[int]] | None = None
) -> list[dict[str, Any]]:
    """The members of each item."""
    names = reader.names(tenant, {run.job for run in runs if run.job})
    silent = {run.run for run in runs if run.status in _ENDED_BADLY and not latest_value(run.end_reason)}
    reasons = reasons_of_parts(reader.engine, tenant, silent)
    return [_members(run, names, reasons.get(run.run), None if roles is None else roles.get(run.run)) for run in runs]


def _members(
    run: Run, names: dict[bytes, Name], reason: FailureReason | None, roles: set[int] | None
) -> dict[str, Any]:
    activity = Activity(run.activity or 0)
    lasted = run.ended_at - run.started_at if run.ended_at is not None and run.started_at is not None else None
    return {
        "kind": "operation" if activity is Activity.OPERATION else "run",
        "id": run_id(run.run),
        "key": run_id(run.run),
        "run": str(UUID(bytes=run.run)),
        "job": names[run.job].node_id if run.job in names else None,
        "activity": [part.name for part in Activity if part in activity and part.name],
        "roles": [] if roles is None else [Role(role).name for role in sorted(roles)],
        "status": RunStatus(run.status or 0).name,
        "created_at": moment(run.created_at),
        "first_seen": moment(run.first_seen),
        "started_at": moment(run.started_at),
        "ended_at": moment(run.ended_at),
        "duration_ms": None if lasted is None else lasted // 1000,
        "expected_start_at": moment(run.expected_start_at),
        "expected_end_at": moment(run.expected_end_at),
        "parent": uuid_of(run.parent_run),
        "root": uuid_of(run.root_run),
        "user": run.user,
        "start_reason": run.start_reason,
        "end_reason": reason.text if reason is not None else latest_value(run.end_reason),
        "end_reason_of": run_id(reason.part) if reason is not None else None,
        "sent_id": run.sent_id,
        "external_id": run.external_id,
        "attempt": run.attempt,
        "running_log_url": latest_value(run.running_log_url),
        "persistent_log_url": latest_value(run.persistent_log_url),
        "engine": run.engine,
        "name": run.name,
        "position": run.position,
        "group": run.group,
        "description": run.description,
        "tags": _tags(run.tags),
    }


def _tags(text: str | None) -> list[str]:
    """Of a run's tags, which are JSON: [key, value, source] ..."""
    listed = msgspec.json.decode(text) if text else []
    return [f"{tag[0]}={tag[1]}" if len(tag) > 1 and tag[1] else str(tag[0]) for tag in listed if tag]
