"""Ids, times and numbers of runs: invented, but the same whenever they are asked for."""

from __future__ import annotations

import zlib
from datetime import datetime, timedelta
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from msgspec import Struct

__all__ = ["Done", "iso", "rows", "run_id", "seconds"]


class Done(Struct, frozen=True):
    """The events of something that was done, when it ended, and why it failed, if it did."""

    events: list[dict[str, Any]]
    at: datetime
    failure: str | None = None


def run_id(seed: str, *parts: object) -> str:
    return str(uuid5(NAMESPACE_URL, f"https://shop.example.com/{seed}/" + "/".join(map(str, parts))))


def iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def rows(name: str, night: int) -> int:
    """More at the end of a week, and a little more from night to night."""
    base = 2_000 + zlib.crc32(name.encode()) % 40_000
    return base + base * (night % 7) // 20 + zlib.crc32(f"{name} {night}".encode()) % 400


def seconds(name: str, night: int) -> timedelta:
    usual = 20 + zlib.crc32(name.encode()[::-1]) % 180
    return timedelta(seconds=usual + zlib.crc32(f"{night} {name}".encode()) % (usual // 3))
