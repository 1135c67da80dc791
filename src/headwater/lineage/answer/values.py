"""How single values are shown: times, runs, flags."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar, cast
from uuid import UUID

from headwater.graph.facts import OutputType, Role, RunStatus, Seen
from headwater.lineage.answer.text_types import RoleName, RunStatusName, SeenAs
from headwater.openlineage.identity import stamp_time
from headwater.openlineage.times import format_time

__all__ = [
    "latest_value",
    "moment",
    "newer",
    "output_types",
    "role_names",
    "seen_as",
    "stamped",
    "status_name",
    "uuid_of",
]

_T = TypeVar("_T")


def moment(micros: int | None) -> str | None:
    return None if micros is None else format_time(micros)


def stamped(stamp: bytes | None) -> str | None:
    """The time of a stamp."""
    return format_time(stamp_time(stamp)) if stamp else None


def newer(*stamps: bytes | None) -> bytes:
    return max((stamp for stamp in stamps if stamp), default=b"")


def latest_value(pair: tuple[bytes, _T] | None) -> _T | None:
    return pair[1] if pair else None


def uuid_of(run: bytes | None) -> str | None:
    return str(UUID(bytes=run)) if run else None


def output_types(types: int | None) -> list[str]:
    return [member.name for member in OutputType if member in OutputType(types or 0) and member.name]


def seen_as(seen: int) -> list[SeenAs]:
    return [cast("SeenAs", member.name) for member in Seen if member in Seen(seen) and member.name]


def role_names(roles: Iterable[int]) -> list[RoleName]:
    return [cast("RoleName", Role(role).name) for role in sorted(roles)]


def status_name(status: int | None) -> RunStatusName:
    return cast("RunStatusName", RunStatus(status or 0).name)
