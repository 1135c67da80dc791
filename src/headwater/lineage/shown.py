"""How single values are shown: times, runs, flags."""

from __future__ import annotations

from typing import Any, TypeVar
from uuid import UUID

import msgspec

from headwater.graph.facts import Activity, OutputType, Run, RunStatus, Seen
from headwater.lineage.answers import RunItem
from headwater.openlineage.identity import stamp_time
from headwater.openlineage.times import format_time
from headwater.store.read import Name

__all__ = ["moment", "newer", "output_types", "run_item", "run_members", "said", "seen_as", "stamped", "uuid_of"]

_T = TypeVar("_T")


def moment(micros: int | None) -> str | None:
    return None if micros is None else format_time(micros)


def stamped(stamp: bytes | None) -> str | None:
    """The time of a stamp."""
    return format_time(stamp_time(stamp)) if stamp else None


def newer(*stamps: bytes | None) -> bytes:
    return max((stamp for stamp in stamps if stamp), default=b"")


def said(pair: tuple[bytes, _T] | None) -> _T | None:
    return pair[1] if pair else None


def uuid_of(run: bytes | None) -> str | None:
    return str(UUID(bytes=run)) if run else None


def output_types(types: int | None) -> list[str]:
    return [member.name for member in OutputType if member in OutputType(types or 0) and member.name]


def seen_as(seen: int) -> list[str]:
    return [member.name for member in Seen if member in Seen(seen) and member.name]


def run_item(run: Run, names: dict[bytes, Name], *, as_operation: bool = False) -> RunItem:
    """A run as every list shows it."""
    return RunItem(**run_members(run, names, as_operation=as_operation))


def run_members(run: Run, names: dict[bytes, Name], *, as_operation: bool = False) -> dict[str, Any]:
    activity = Activity(run.activity or 0)
    kind = "operation" if as_operation else "run"
    lasted = run.ended_at - run.started_at if run.ended_at is not None and run.started_at is not None else None
    return {
        "id": f"{kind}:{UUID(bytes=run.run)}",
        "run": str(UUID(bytes=run.run)),
        "job": names[run.job].node_id if run.job in names else None,
        "activity": [part.name for part in Activity if part in activity and part.name],
        "status": RunStatus(run.status or 0).name,
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
        "end_reason": said(run.end_reason),
        "sent_id": run.sent_id,
        "external_id": run.external_id,
        "attempt": run.attempt,
        "running_log_url": said(run.running_log_url),
        "persistent_log_url": said(run.persistent_log_url),
        "engine": run.engine,
        "name": run.name,
        "position": run.position,
        "group": run.group,
        "description": run.description,
        "tags": _run_tags(run.tags),
    }


def _run_tags(text: str | None) -> list[str]:
    """Of a run's tags, which are JSON: [key, value, source] ..."""
    listed = msgspec.json.decode(text) if text else []
    return [f"{tag[0]}={tag[1]}" if len(tag) > 1 and tag[1] else str(tag[0]) for tag in listed if tag]
