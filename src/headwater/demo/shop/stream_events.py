"""Events of jobs that never end, one of which is restarted; and of the three-hourly loads."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from headwater.demo.shop.facets import Job, Parent, run_event, step_datasets
from headwater.demo.shop.runs import iso, rows, run_id, seconds
from headwater.demo.shop.spark import SPARK, application_facets, operation_facets
from headwater.demo.shop.step import Step
from headwater.demo.shop.world import World

__all__ = ["stream_events"]

_FLINK = "http://flink.shop.example.com:8081"
_RESTARTED, _RESTART_DAY = "enrich_payments", 8
_EVERY = 3


def stream_events(world: World, midnight: datetime, days: int, seed: str) -> Iterator[dict[str, Any]]:
    connector = Job("kafka-connect://shop", world.capture.name, "KAFKA_CONNECT", "CONNECTOR", "STREAMING")
    yield from _endless(connector, world.capture, midnight, days, seed, restart=None)
    for step in world.flink:
        job = Job(_FLINK, step.name, "FLINK", "JOB", "STREAMING", owner=step.output.owner)
        yield from _endless(job, step, midnight, days, seed, restart=_RESTART_DAY if step.name == _RESTARTED else None)
    for hour in range(_EVERY, days * 24 + 24, _EVERY):
        yield from _load(world.sessions, midnight + timedelta(hours=hour), hour, seed)


def _endless(
    job: Job, step: Step, midnight: datetime, days: int, seed: str, restart: int | None
) -> Iterator[dict[str, Any]]:
    run, kind = run_id(seed, job.name), "START"
    facets = _flink_facets(run) if job.integration == "FLINK" else {}
    for day in range(days + 1):
        moment = midnight + timedelta(days=day, minutes=10)
        if day == restart:
            yield run_event("ABORT", iso(moment), run, job, facets=facets, failure="Restarted with a new version")
            run, kind, moment = run_id(seed, job.name, day), "START", moment + timedelta(minutes=4)
            facets = _flink_facets(run)
        inputs, outputs = step_datasets(step, rows(step.name, day) * 40)
        yield run_event(kind, iso(moment), run, job, inputs=inputs, outputs=outputs, facets=facets)
        kind = "RUNNING"


def _flink_facets(run: str) -> dict[str, Any]:
    return {
        "processing_engine": {"_producer": "", "name": "flink", "version": "2.0.0"},
        "flink_job": {"_producer": "", "jobId": run.replace("-", "")},
    }


def _load(step: Step, moment: datetime, hour: int, seed: str) -> Iterator[dict[str, Any]]:
    application = Job(SPARK, step.name, "SPARK", "APPLICATION", "NONE", owner=step.output.owner)
    parent = run_id(seed, step.name, hour)
    facets = application_facets(step.name, parent)
    yield run_event("START", iso(moment), parent, application, facets=facets)
    ended = moment + seconds(step.name, hour)
    operation = Job(SPARK, f"{step.name}.append_sessions", "SPARK", "SQL_JOB", sql=step.sql)
    inputs, outputs = step_datasets(step, rows(step.name, hour % 24))
    yield run_event(
        "COMPLETE",
        iso(ended),
        run_id(seed, "append_sessions", hour),
        operation,
        parent=Parent(parent, application),
        inputs=inputs,
        outputs=outputs,
        facets=operation_facets(0),
    )
    yield run_event("COMPLETE", iso(ended), parent, application, facets=facets)
