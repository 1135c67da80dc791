"""Events for the tests of Marquez' API: a small shop with three jobs, columns, a failed run and odd names."""

from __future__ import annotations

import json
from typing import Any

PRODUCER = "https://example.com/producer"
DB = "postgres://db.example.com:5432"
LAKE = "s3://lake"
JOBS = "shop jobs/daily"


def facet(**members: Any) -> dict[str, Any]:
    return {"_producer": PRODUCER, "_schemaURL": f"{PRODUCER}#facet", **members}


def schema(*names: str) -> dict[str, Any]:
    return facet(fields=[{"name": name, "type": "INT", "description": f"the {name}"} for name in names])


def columns(**sources: list[tuple[str, str, str, str]]) -> dict[str, Any]:
    """By column, (namespace, dataset, column, subtype)."""
    return facet(
        fields={
            column: {
                "inputFields": [
                    {
                        "namespace": namespace,
                        "name": name,
                        "field": field,
                        "transformations": [{"type": "DIRECT", "subtype": subtype, "masking": subtype == "MASKED"}],
                    }
                    for namespace, name, field, subtype in found
                ]
            }
            for column, found in sources.items()
        }
    )


def run_id(number: int) -> str:
    return f"0197a5b0-0000-7000-8000-{number:012d}"


def run_event(
    kind: str | None,
    time: str,
    run: int,
    job: str,
    inputs: list[dict[str, Any]] | None = None,
    outputs: list[dict[str, Any]] | None = None,
    *,
    namespace: str = JOBS,
    run_facets: dict[str, Any] | None = None,
    job_facets: dict[str, Any] | None = None,
) -> bytes:
    event = {
        "eventTime": f"2026-03-01T{time}Z",
        "producer": PRODUCER,
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run_id(run), "facets": run_facets or {}},
        "job": {"namespace": namespace, "name": job, "facets": job_facets or {}},
        "inputs": inputs or [],
        "outputs": outputs or [],
    }
    return json.dumps(event | ({"eventType": kind} if kind else {})).encode()


def dataset(namespace: str, name: str, **facets: Any) -> dict[str, Any]:
    return {"namespace": namespace, "name": name, "facets": facets}


ORDERS = dataset(DB, "shop.public.orders", schema=schema("id", "amount"), dataSource=facet(name="shop", uri=DB))
STAGED = dataset(
    LAKE,
    "staged/orders",
    schema=schema("id", "amount"),
    columnLineage=columns(
        id=[(DB, "shop.public.orders", "id", "IDENTITY")], amount=[(DB, "shop.public.orders", "amount", "IDENTITY")]
    ),
)
TOTALS = dataset(
    LAKE,
    "marts/totals",
    schema=schema("total"),
    columnLineage=columns(total=[(LAKE, "staged/orders", "amount", "AGGREGATION")]),
)
DOCUMENTED = {
    "documentation": facet(description="Loads orders."),
    "sourceCodeLocation": facet(type="git", url="https://example.com/load.py"),
    "jobType": facet(processingType="BATCH", integration="SPARK", jobType="APPLICATION"),
}
PARENT = {"parent": facet(run={"runId": run_id(90)}, job={"namespace": JOBS, "name": "nightly"})}

SHOP = [
    run_event("START", "01:00:00", 90, "nightly"),
    run_event("START", "01:00:01", 1, "load", [ORDERS], [STAGED], run_facets=PARENT, job_facets=DOCUMENTED),
    run_event("COMPLETE", "01:10:01", 1, "load", [ORDERS], [STAGED], run_facets=PARENT, job_facets=DOCUMENTED),
    run_event("START", "01:20:00", 2, "sum", [STAGED], [TOTALS]),
    run_event("FAIL", "01:21:00", 2, "sum", run_facets={"errorMessage": facet(message="boom")}),
    run_event("START", "01:30:00", 3, "sum", [STAGED], [TOTALS]),
    run_event("COMPLETE", "01:31:30", 3, "sum", [STAGED], [TOTALS]),
    run_event("COMPLETE", "02:00:00", 90, "nightly"),
]
