"""Failed runs and overdue datasets as rows of a table, for CSV and the command line."""

from __future__ import annotations

from typing import Any

__all__ = ["FIELDS_OF_FAILURES", "FIELDS_OF_OVERDUE", "failure_row", "overdue_row"]

FIELDS_OF_FAILURES = ("at", "status", "job", "run", "feeds_datasets", "feeds_reports", "recovered", "within", "reason")
FIELDS_OF_OVERDUE = ("expected_at", "dataset", "reason", "job", "last_written", "every_ms", "late_ms", "run", "owners")


def failure_row(item: dict[str, Any]) -> dict[str, Any]:
    """Of one failed run, as plain values."""
    run, feeds, within = item["run"], item["feeds"], item["within"]
    return {
        "at": run["ended_at"] or run["first_seen"],
        "status": run["status"],
        "job": run["job"],
        "run": run["id"],
        "feeds_datasets": feeds["datasets"] if feeds else None,
        "feeds_reports": feeds["reports"] if feeds else None,
        "recovered": item["recovered"],
        "within": within["job"] if within else None,
        "reason": run["end_reason"],
    }


def overdue_row(item: dict[str, Any]) -> dict[str, Any]:
    """Of one overdue dataset, as plain values."""
    return {**item, "dataset": item["dataset"]["id"], "job": item["job"]["id"]}
