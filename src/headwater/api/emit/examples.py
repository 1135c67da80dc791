"""Answers of the adapter's routes, for the reference of the API."""

from __future__ import annotations

from typing import Any

__all__ = ["CHECKED", "LETTER", "LETTERS", "OVERLAY", "REQUESTED", "SINK", "VERSIONS", "WORK"]

_VERSION = "CyhAIpDVkiER/naXP8LNCA=="
_TIME = "2026-01-31T12:00:00.000Z"

REQUESTED: dict[str, Any] = {"versionId": _VERSION, "overlay": "prod", "namespace": "overlay:prod"}
OVERLAY: dict[str, Any] = {
    "name": "prod",
    "url": "https://overlay.example.com",
    "producer_host": "lineage.example.com",
    "job_by": "versionId",
    "start": False,
    "ready": True,
    "min_confs": 0,
    "stable_confs": 6,
    "poll_seconds": 10,
    "give_up_seconds": 86_400,
    "check_seconds": 3_600,
    "volatile": ["confs", "proof", "recall", "state"],
    "token": "overlay.token",
    "ca": "",
    "certificate": "",
    "key": "",
    "namespace": "overlay:prod",
    "checked_at": _TIME,
    "check_result": {
        "versions": 24,
        "missing": 0,
        "failed": 0,
        "requested": 0,
        "waiting": 1,
        "unsent": 0,
        "dead": 0,
    },
}
SINK: dict[str, Any] = {
    "name": "marquez",
    "kind": "marquez",
    "url": "https://marquez.example.com",
    "token": "marquez.token",
    "ca": "",
    "certificate": "",
    "key": "",
    "seconds": 10,
    "rate": 0,
    "state": "ACTIVE",
    "reason": None,
    "pending": 0,
    "sent": 24,
    "dead": 1,
}
VERSIONS: dict[str, Any] = {
    "versions": [
        {
            "overlay": "prod",
            "version_id": _VERSION,
            "state": "WATCHED",
            "confs": 2,
            "min_confs": 0,
            "attempts": 0,
            "requested_at": _TIME,
            "error": None,
            "events": {"marquez": {"publish": "SENT"}},
        }
    ],
    "total": 1,
}
CHECKED: dict[str, Any] = {
    "versions": 24,
    "missing": 1,
    "failed": 0,
    "requested": 0,
    "waiting": 0,
    "unsent": 0,
    "dead": 0,
    "examples": [_VERSION],
    "next": None,
}
WORK: dict[str, Any] = {"read": 1, "sent": 2, "requested": 0, "pending": 0}
LETTER: dict[str, Any] = {
    "id": "marquez:aec130c89950289cb34a3eb976bce9ac:publish",
    "sink": "marquez",
    "overlay": "prod",
    "version_id": _VERSION,
    "step": "publish",
    "event_time": _TIME,
    "attempts": 1,
    "reason": "422",
    "error": "It answered 422.",
    "dead_since": _TIME,
}
LETTERS: dict[str, Any] = {"dead_letters": [LETTER], "total": 1}
