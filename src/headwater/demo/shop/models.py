"""Events of a dbt invocation: its models, then its tests."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct

from headwater.demo.shop.facets import Job, Parent, dataset, run_event, step_datasets
from headwater.demo.shop.runs import Done, iso, rows, run_id, seconds
from headwater.demo.shop.step import Step
from headwater.demo.shop.world import World

__all__ = ["invocation_events"]

_DBT = "dbt://shop"


class Test(Struct, frozen=True):
    """An assertion about a column of a model."""

    assertion: str
    model: str
    column: str

    @property
    def name(self) -> str:
        return f"{self.assertion}_{self.model}_{self.column}"


_TESTS = (
    Test("unique", "dim_customers", "customer_id"),
    Test("not_null", "fct_orders", "order_id"),
    Test("not_null", "fct_payments", "customer_id"),
    Test("accepted_values", "stg_orders", "channel"),
    Test("not_null", "customer_360", "lifetime_value"),
)


def invocation_events(
    world: World, moment: datetime, night: int, seed: str, failures: dict[str, str], parent: Parent
) -> Done:
    """The events of `dbt build`, and when it ended; a failed test fails the invocation."""
    invocation = Job(_DBT, "dbt-run-shop", "DBT", "JOB")
    run = run_id(seed, "dbt", night)
    facets = {
        "dbt_run": {"_producer": "", "invocation_id": run_id(seed, "invocation", night), "project_name": "shop"},
        "processing_engine": {"_producer": "", "name": "dbt", "version": "1.10.4"},
    }
    events = [run_event("START", iso(moment), run, invocation, parent=parent, facets=facets)]
    above, failed = Parent(run, invocation), None
    for model in world.models:
        ended = moment + seconds(model.name, night) / 6
        events += _model(model, moment, ended, night, seed, above)
        moment = ended
    for test in _TESTS:
        ended = moment + timedelta(seconds=2)
        failure = failures.get(test.name)
        events += _test(world, test, moment, ended, night, seed, above, failure)
        failed, moment = failed or failure, ended
    kind = "FAIL" if failed else "COMPLETE"
    events.append(run_event(kind, iso(moment), run, invocation, parent=parent, facets=facets, failure=failed))
    return Done(events, moment, failed)


def _model(
    model: Step, began: datetime, ended: datetime, night: int, seed: str, above: Parent
) -> tuple[dict[str, Any], dict[str, Any]]:
    job = _job(model.output.name, "MODEL", model.sql, model.output.about)
    run = run_id(seed, "model", model.name, night)
    inputs, outputs = step_datasets(model, rows(model.name, night), ways=False)
    return (
        run_event("START", iso(began), run, job, parent=above),
        run_event("COMPLETE", iso(ended), run, job, parent=above, inputs=inputs, outputs=outputs),
    )


def _test(
    world: World,
    test: Test,
    began: datetime,
    ended: datetime,
    night: int,
    seed: str,
    above: Parent,
    failure: str | None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    model = next(model for model in world.models if model.name == test.model)
    sql = (
        f"SELECT count(*) FROM {model.output.name} WHERE {test.column} IS NULL"
        if test.assertion == "not_null"
        else None
    )
    job = _job(f"shop.{test.name}", "TEST", sql, None)
    run = run_id(seed, "test", test.name, night)
    tested = dataset(model.output)
    result = {"assertion": test.assertion, "success": failure is None, "column": test.column}
    tested["inputFacets"] = {"dataQualityAssertions": {"_producer": "", "assertions": [result]}}
    kind = "FAIL" if failure else "COMPLETE"
    return (
        run_event("START", iso(began), run, job, parent=above),
        run_event(kind, iso(ended), run, job, parent=above, inputs=[tested], failure=failure),
    )


def _job(name: str, kind: str, sql: str | None, about: str | None) -> Job:
    return Job(_DBT, name, "DBT", kind, sql=sql, dialect="postgres", about=about)
