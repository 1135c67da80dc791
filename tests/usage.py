"""Runs over several days, and the sums that the pipeline makes of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from headwater.graph.facts import FACTS
from headwater.pipeline.jobs.rollup import rollup_changes
from headwater.pipeline.rollup.changed_keys import changed_keys_of
from headwater.store.read.reader import Reader
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore

__all__ = ["DB", "run", "sum_up"]

DB = "postgres://db:5432"


def run(
    number: int,
    day: int,
    job: str,
    reads: dict[str, int | None],
    writes: dict[str, int | None],
    *,
    ends: str | None = "COMPLETE",
    seconds: int = 10,
    sql: str | None = None,
    links: dict[str, str] | None = None,
) -> list[bytes]:
    """START and end of a run of that day of January; datasets with their rows, and other names that they have."""

    def event(kind: str, second: int) -> bytes:
        body: dict[str, Any] = {
            "eventType": kind,
            "eventTime": f"2026-01-{day:02d}T12:00:{second:02d}Z",
            "producer": "https://tests",
            "run": {"runId": f"0190c0de-0000-7000-8000-{number:012d}"},
            "job": {"namespace": "etl", "name": job, "facets": {"sql": {"query": sql}} if sql else {}},
            "inputs": [dataset(name, rows, "input") for name, rows in reads.items()],
            "outputs": [dataset(name, rows, "output") for name, rows in writes.items()],
        }
        return json.dumps(body).encode()

    def dataset(name: str, rows: int | None, side: str) -> dict[str, Any]:
        found: dict[str, Any] = {"namespace": DB, "name": name}
        if rows is not None:
            found[f"{side}Facets"] = {f"{side}Statistics": {"rowCount": rows, "size": rows * 10}}
        if links and name in links:
            other = {"namespace": DB, "name": links[name], "type": "TABLE"}
            found["facets"] = {"symlinks": {"identifiers": [other]}}
        return found

    return [event("START", 0), *([event(ends, seconds)] if ends else [])]


def sum_up(store: SqlStore, tenants: Iterable[int] = (DEFAULT_TENANT.id,)) -> None:
    """What the pipeline does with everything that came in."""
    reader = Reader(store.engine)
    facts = (fact for tenant in tenants for kind in FACTS for fact in reader.all_facts(tenant, kind))
    rollup_changes(None, store.engine.url.render_as_string(hide_password=False), changed_keys_of(facts))
