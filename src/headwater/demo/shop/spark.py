"""Events of a Spark application and its operations."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from headwater.demo.shop.facets import Job, Parent, dataset, run_event, step_datasets
from headwater.demo.shop.runs import Done, iso, rows, run_id, seconds
from headwater.demo.shop.step import Step

__all__ = ["SPARK", "application_events", "application_facets", "operation_facets"]

SPARK = "spark://shop"


def application_events(
    name: str,
    steps: tuple[Step, ...],
    moment: datetime,
    night: int,
    seed: str,
    failures: dict[str, str],
    parent: Parent | None,
    parameter: str | None = None,
) -> Done:
    """Events of an application; it ends with the first operation that fails."""
    application = Job(SPARK, name, "SPARK", "APPLICATION", "NONE", owner=steps[0].output.owner)
    run = run_id(seed, name, night, parameter or "")
    facets = application_facets(name, run, parameter)
    events = [run_event("START", iso(moment), run, application, parent=parent, facets=facets)]
    failure = None
    for number, step in enumerate(steps):
        failure = failures.get(step.name)
        events += _operation(application, run, step, number, moment, night, seed, failure)
        moment += seconds(step.name, night)
        if failure:
            break
    ended = "FAIL" if failure else "COMPLETE"
    events.append(run_event(ended, iso(moment), run, application, parent=parent, facets=facets, failure=failure))
    return Done(events, moment, failure)


def _operation(
    application: Job, parent: str, step: Step, number: int, moment: datetime, night: int, seed: str, failure: str | None
) -> Iterator[dict[str, Any]]:
    sql = f"INSERT OVERWRITE {step.output.name.replace('/', '.')}\n{step.sql}"
    job = Job(SPARK, f"{application.name}.{step.name}", "SPARK", "SQL_JOB", sql=sql)
    run = run_id(seed, application.name, step.name, night, step.output.name)
    facets, above = operation_facets(number), Parent(parent, application)
    yield run_event("START", iso(moment), run, job, parent=above, facets=facets)
    ended = iso(moment + seconds(step.name, night))
    if failure:
        inputs = [dataset(table) for table in step.inputs]
        yield run_event("FAIL", ended, run, job, parent=above, facets=facets, inputs=inputs, failure=failure)
        return
    inputs, outputs = step_datasets(step, rows(step.name, night))
    yield run_event("COMPLETE", ended, run, job, parent=above, facets=facets, inputs=inputs, outputs=outputs)


def application_facets(name: str, run: str, parameter: str | None = None) -> dict[str, Any]:
    facets: dict[str, Any] = {
        "processing_engine": {"_producer": "", "name": "spark", "version": "3.5.4"},
        "spark_applicationDetails": {
            "_producer": "",
            "appName": name,
            "applicationId": f"application_{run[:8]}",
            "userName": "etl",
            "historyUrl": f"https://history.shop.example.com/history/{run}",
        },
    }
    if parameter:
        tag = {"key": "partner", "value": parameter, "source": "CONFIG"}
        facets["tags"] = {"_producer": "", "tags": [tag]}
    return facets


def operation_facets(number: int) -> dict[str, Any]:
    return {
        "processing_engine": {"_producer": "", "name": "spark", "version": "3.5.4"},
        "spark_jobDetails": {"_producer": "", "jobId": number},
    }
