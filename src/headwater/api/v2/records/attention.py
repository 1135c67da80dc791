"""Examples of answers about failures and overdue datasets."""

from __future__ import annotations

from typing import Any

from headwater.api.v2.records.examples import RUN_ITEM

__all__ = ["FAILURES", "OVERDUE"]

_DAILY = {
    "key": "dataset@2d9c3b5e7f104c1d8e6f0a1b2c3d4e5f",
    "id": "dataset:s3://lake:sales/daily",
    "kind": "dataset",
    "namespace": "s3://lake",
    "name": "sales/daily",
    "title": "daily",
}
_BUILD = {
    "key": "job@7f104c1d8e6f0a1b2c3d4e5f2d9c3b5e",
    "id": "job:shop:build_daily_sales",
    "kind": "job",
    "namespace": "shop",
    "name": "build_daily_sales",
    "title": "build_daily_sales",
}
_FEEDS = {"datasets": 14, "reports": 2, "nearest": [_DAILY], "truncated": False}
_FAILED: dict[str, Any] = {**RUN_ITEM, "status": "FAILED", "end_reason": "No space left on device"}
FAILURES: dict[str, Any] = {
    "items": [{"run": _FAILED, "within": None, "recovered": None, "feeds": _FEEDS}],
    "total": 1,
    "recovered": 0,
    "feeds": _FEEDS,
    "since": "2026-01-14T12:00:00.000Z",
    "until": "2026-01-15T12:00:00.000Z",
    "truncated": False,
}
OVERDUE: dict[str, Any] = {
    "items": [
        {
            "dataset": _DAILY,
            "job": _BUILD,
            "reason": "failed",
            "run": "run:0197a5b0-7c4e-7d3a-9f21-5c6d7e8f9a0b",
            "last_written": "2026-01-14T08:01:00.000Z",
            "every_ms": 86_400_000,
            "expected_at": "2026-01-15T08:01:00.000Z",
            "late_ms": 14_340_000,
            "owners": ["team:sales"],
        }
    ],
    "total": 1,
    "at": "2026-01-15T12:00:00.000Z",
    "truncated": False,
}
