"""Examples of answers, for the reference of the API."""

from __future__ import annotations

from typing import Any

__all__ = [
    "DATASET_ITEM",
    "EDIT_ANSWER",
    "EDIT_ITEM",
    "JOB_ITEM",
    "LOCATION_ITEM",
    "RUN_ITEM",
    "SEARCH_ANSWER",
    "page_of_one",
]

_SEEN = "2026-01-15T08:00:00.000Z"
RUN_ITEM: dict[str, Any] = {
    "kind": "run",
    "id": "run:0197a5b0-7c4e-7d3a-9f21-5c6d7e8f9a0b",
    "key": "run:0197a5b0-7c4e-7d3a-9f21-5c6d7e8f9a0b",
    "run": "0197a5b0-7c4e-7d3a-9f21-5c6d7e8f9a0b",
    "job": "job:shop:build_daily_sales",
    "activity": ["RUN"],
    "roles": [],
    "status": "SUCCEEDED",
    "created_at": _SEEN,
    "first_seen": _SEEN,
    "started_at": _SEEN,
    "ended_at": "2026-01-15T08:01:00.000Z",
    "duration_ms": 60_000,
    "expected_start_at": None,
    "expected_end_at": None,
    "parent": None,
    "root": None,
    "user": "etl",
    "start_reason": "AUTOMATIC",
    "end_reason": None,
    "end_reason_of": None,
    "sent_id": None,
    "external_id": "application_1",
    "attempt": "1",
    "running_log_url": None,
    "persistent_log_url": None,
    "engine": "spark 3.5.1",
    "name": None,
    "position": None,
    "group": None,
    "description": None,
    "tags": [],
}
DATASET_ITEM: dict[str, Any] = {
    "id": "dataset:s3://lake:sales/daily",
    "key": "dataset@2d9c3b5e7f104c1d8e6f0a1b2c3d4e5f",
    "namespace": "s3://lake",
    "name": "sales/daily",
    "alias_of": None,
    "seen": ["OUTPUT"],
    "first_seen": _SEEN,
    "last_seen": _SEEN,
    "description": "Revenue by day.",
    "tags": ["pii=no"],
    "owners": ["team:sales"],
}
JOB_ITEM: dict[str, Any] = {
    "id": "job:shop:build_daily_sales",
    "key": "job@7f104c1d8e6f0a1b2c3d4e5f2d9c3b5e",
    "namespace": "shop",
    "name": "build_daily_sales",
    "type": "SPARK_APPLICATION",
    "processing": "BATCH",
    "parent": None,
    "first_seen": _SEEN,
    "last_seen": _SEEN,
    "description": None,
    "tags": [],
    "owners": [],
    "latest_run": RUN_ITEM,
}
LOCATION_ITEM: dict[str, Any] = {
    "id": "location:kafka://b1:9092,b2:9092",
    "key": "location@8e6f0a1b2c3d4e5f2d9c3b5e7f104c1d",
    "type": "kafka",
    "name": "b1",
    "namespaces": ["kafka://b1:9092,b2:9092", "kafka://b2"],
    "addresses": ["kafka://b1:9092", "kafka://b2:9092"],
    "merged": [],
    "split": [],
    "external_id": None,
    "description": None,
    "owners": [],
    "first_seen": _SEEN,
    "datasets": 12,
    "jobs": 0,
}
EDIT_ANSWER: dict[str, Any] = {
    "of": "dataset:postgres://db:5432:shop.public.customers#email",
    "changed": True,
    "description": None,
    "tags": ["pii"],
    "owners": [],
    "hidden": None,
    "edits": ["edit:5f0c7d3c8d1f2b9e4a6c1d2e3f405162"],
}
EDIT_ITEM: dict[str, Any] = {
    "id": "edit:5f0c7d3c8d1f2b9e4a6c1d2e3f405162",
    "time": _SEEN,
    "of": "dataset:postgres://db:5432:shop.public.customers#email",
    "kind": "tag",
    "name": "pii",
    "value": "true",
    "change": "tag pii added",
    "by": "alice",
    "actor": "key:4c1d2e3f4051",
    "reason": "asked by legal",
    "via": "CLI",
}
SEARCH_ANSWER: dict[str, Any] = {
    "items": [
        {
            "kind": "dataset",
            "id": "dataset:s3://lake:sales/daily",
            "key": "dataset@2d9c3b5e7f104c1d8e6f0a1b2c3d4e5f",
            "namespace": "s3://lake",
            "name": "sales/daily",
            "score": 990,
            "description": "Revenue by day.",
            "highlights": [{"field": "name", "text": "sales/daily", "marks": [[6, 11]]}],
            "reasons": [{"by": "text", "field": "name", "name": None, "score": 990}],
        }
    ],
    "total": 1,
    "totals": {"dataset": 1, "job": 0, "sql": 0, "location": 0},
    "next": None,
    "terms": ["daily"],
    "mode": "text",
    "notice": None,
}


def page_of_one(item: dict[str, Any]) -> dict[str, Any]:
    return {"items": [item], "total": 1, "next": None}
