"""One night: an Airflow DAG whose tasks start Spark applications, dbt and the dashboards' refresh."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from headwater.demo.shop.exports import PARTNERS
from headwater.demo.shop.facets import Job, Parent, run_event, step_datasets
from headwater.demo.shop.models import invocation_events
from headwater.demo.shop.runs import Done, iso, rows, run_id, seconds
from headwater.demo.shop.spark import application_events
from headwater.demo.shop.tables import BI
from headwater.demo.shop.world import World

__all__ = ["night_events"]

_AIRFLOW = "http://airflow.shop.example.com:8080"
_DAG, _OWNER = "nightly", "team-data"
_UPSTREAM = {
    "load_shop": [],
    "build_reports": ["load_shop"],
    "score_customers": ["build_reports"],
    "export_partner": ["build_reports"],
    "dbt_build": ["load_shop"],
    "export_invoices": ["dbt_build"],
    "refresh_dashboards": ["build_reports", "dbt_build"],
}
_FULL_DISK = "org.apache.spark.SparkException: Job aborted: No space left on device"
_NO_COLUMN = (
    "org.apache.spark.sql.AnalysisException: [UNRESOLVED_COLUMN.WITH_SUGGESTION] A column with name `i`.`price` "
    "cannot be resolved. Did you mean one of the following? [`i`.`unit_price`, `i`.`currency`, `i`.`quantity`]"
)
_CHANNEL = "Got 17 results, configured to fail if != 0"

Work = Callable[[datetime, Parent], Done]


def night_events(world: World, moment: datetime, night: int, seed: str, nights: int) -> list[dict[str, Any]]:
    failures = _failures(night, nights)
    dag = Job(_AIRFLOW, _DAG, "AIRFLOW", "DAG", about="Everything that must be there in the morning.", owner=_OWNER)
    run = run_id(seed, _DAG, night)
    above, facets = Parent(run, dag), _dag_facets(moment)
    events = [run_event("START", iso(moment), run, dag, facets=facets)]
    works = _works(world, night, seed, failures)
    ended: dict[str, str | None] = {}
    for task, work in works.items():
        if any(ended.get(before, "skipped") for before in _UPSTREAM[task]):
            continue  # what it needs has failed or was never started
        done = _task(world, task, work, moment + timedelta(seconds=20), night, seed, above)
        events += done.events
        moment, ended[task] = done.at, done.failure
    failed = next((failure for failure in ended.values() if failure), None)
    kind = "FAIL" if failed else "COMPLETE"
    events.append(
        run_event(kind, iso(moment), run, dag, facets=facets, failure="Some tasks have failed" if failed else None)
    )
    return events


def _failures(night: int, nights: int) -> dict[str, str]:
    """Failures of a night, with their reasons."""
    if night == nights - 9:
        return {"customer_value": _FULL_DISK}
    if night == nights - 2:
        return {"build_sales": _NO_COLUMN}
    if night == nights - 1:
        return {"build_sales": _NO_COLUMN, "accepted_values_stg_orders_channel": _CHANNEL}
    return {}


def _works(world: World, night: int, seed: str, failures: dict[str, str]) -> dict[str, Work]:
    def application(name: str) -> Work:
        return lambda moment, parent: application_events(name, world.lake[name], moment, night, seed, failures, parent)

    return {
        "load_shop": application("load_shop"),
        "build_reports": application("build_reports"),
        "score_customers": application("score_customers"),
        "export_partner": lambda moment, parent: _partners(world, moment, night, seed, parent),
        "dbt_build": lambda moment, parent: invocation_events(world, moment, night, seed, failures, parent),
        "export_invoices": lambda moment, _: Done([], moment + seconds("export_invoices", night)),
        "refresh_dashboards": lambda moment, parent: _dashboards(world, moment, night, seed, parent),
    }


def _task(world: World, task: str, work: Work, moment: datetime, night: int, seed: str, dag: Parent) -> Done:
    own = world.invoices if task == world.invoices.name else None  # a task that does its work itself
    job = Job(
        _AIRFLOW, f"{_DAG}.{task}", "AIRFLOW", "TASK", sql=own.sql if own else None, dialect="postgres", owner=_OWNER
    )
    run = run_id(seed, _DAG, task, night)
    facets = _task_facets(task, moment)
    done = work(moment + timedelta(seconds=5), Parent(run, job))
    inputs, outputs = step_datasets(own, rows(task, night)) if own else ([], [])
    start = run_event("START", iso(moment), run, job, parent=dag, facets=facets)
    end = run_event(
        "FAIL" if done.failure else "COMPLETE",
        iso(done.at),
        run,
        job,
        parent=dag,
        facets=facets,
        failure=done.failure,
        inputs=inputs,
        outputs=outputs,
    )
    return Done([start, *done.events, end], done.at, done.failure)


def _partners(world: World, moment: datetime, night: int, seed: str, parent: Parent) -> Done:
    """The same job once for each partner."""
    events: list[dict[str, Any]] = []
    for partner in PARTNERS:
        steps = (world.partners[partner],)
        done = application_events("export_partner", steps, moment, night, seed, {}, parent, partner)
        events += done.events
        moment = done.at
    return Done(events, moment)


def _dashboards(world: World, moment: datetime, night: int, seed: str, parent: Parent) -> Done:
    events: list[dict[str, Any]] = []
    for step in world.dashboards:
        job = Job(BI, step.name, "SUPERSET", "REFRESH", sql=step.sql, dialect="postgres", owner=step.output.owner)
        run = run_id(seed, step.name, night)
        inputs, outputs = step_datasets(step, rows(step.name, night) // 100)
        events.append(run_event("START", iso(moment), run, job, parent=parent))
        moment += seconds(step.name, night) / 4
        events.append(run_event("COMPLETE", iso(moment), run, job, parent=parent, inputs=inputs, outputs=outputs))
    return Done(events, moment)


def _dag_facets(moment: datetime) -> dict[str, Any]:
    run = {"run_id": f"scheduled__{iso(moment)}", "run_type": "scheduled"}
    engine = {"_producer": "", "name": "Airflow", "version": "3.0.2"}
    return {
        "airflowDagRun": {"_producer": "", "dag": {"dag_id": _DAG, "owner": _OWNER}, "dagRun": run},
        "processing_engine": engine,
    }


def _task_facets(task: str, moment: datetime) -> dict[str, Any]:
    downstream = [name for name, before in _UPSTREAM.items() if task in before]
    described = {
        "task_id": task,
        "operator_class": "BashOperator" if task == "dbt_build" else "SparkSubmitOperator",
        "upstream_task_ids": _UPSTREAM[task],
        "downstream_task_ids": downstream,
    }
    run = {"run_id": f"scheduled__{iso(moment)[:10]}", "run_type": "scheduled"}
    facet = {
        "_producer": "",
        "dag": {"dag_id": _DAG, "owner": _OWNER},
        "dagRun": run,
        "task": described,
        "taskInstance": {"try_number": 1},
    }
    return {"airflow": facet, "processing_engine": {"_producer": "", "name": "Airflow", "version": "3.0.2"}}
