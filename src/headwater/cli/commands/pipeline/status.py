"""`headwater pipeline status`: the jobs that run on a store now, wherever they run, and those that ended last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater.cli.options import open_reader
from headwater.cli.output.table import print_json, print_table
from headwater.openlineage.times import format_time
from headwater.store.access.tenants import Tenants
from headwater.store.pipeline.jobs import RunningJob, read_jobs
from headwater.store.scope import EVERY_TENANT

__all__ = ["print_status"]

_SECONDS = len("2026-03-01T00:00:00")
_COLUMNS = ("job", "tenant", "state", "step", "figures", "since", "holder")


def print_status(store_options: str | None, config: str | None, *, ended: int, format_: str) -> None:
    """Needs neither Spark nor a server; the jobs themselves write how far they are."""
    reader, _ = open_reader(store_options, config)
    codes = {tenant.id: tenant.code for tenant in Tenants(reader.engine).list(EVERY_TENANT)}
    jobs = read_jobs(reader.engine, ended=ended)
    if format_ == "json":
        print_json([_record(job, codes) for job in jobs])
    else:
        print_table([_row(job, codes) for job in jobs], _COLUMNS)


def _record(job: RunningJob, codes: Mapping[int, str]) -> dict[str, Any]:
    return {
        "job": job.job,
        "tenant": None if job.tenant is None else codes.get(job.tenant, str(job.tenant)),
        "state": _state(job),
        "step": job.step,
        "done": job.done,
        "total": job.total,
        "figures": job.figures,
        "holder": job.holder,
        "since": format_time(job.since),
        "lastSeen": format_time(job.renewed_at),
        "ended": None if job.ended_at is None else format_time(job.ended_at),
        "error": job.error,
    }


def _row(job: RunningJob, codes: Mapping[int, str]) -> dict[str, Any]:
    record = _record(job, codes)
    if job.error:
        record["state"] = f"{record['state']}: {job.error}"
    elif record["state"] == "gone":
        record["state"] = f"gone, last seen {record['lastSeen']}"
    if job.step is not None and job.total:
        record["step"] = f"{job.step}, {job.done:,} of {job.total:,}"
    numbers = {name: value for name, value in job.figures.items() if value and isinstance(value, int | float)}
    record["figures"] = ", ".join(f"{name} {value:,}" for name, value in numbers.items())
    record["since"] = f"{record['since'][:_SECONDS]}Z"
    return {**record, "tenant": record["tenant"] or "all or several"}


def _state(job: RunningJob) -> str:
    if job.ended_at is not None:
        return "failed" if job.error else "ended"
    return "running" if job.is_alive else "gone"
