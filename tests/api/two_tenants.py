"""Two tenants with the same names and ids, of which each says something else: no word of one is a word of the other.

And what one may ask for: a value of every parameter of every route, in the words of both.
"""

from __future__ import annotations

import json
from typing import Any

from headwater.interpret.facets.statement import normalise_sql
from headwater.openlineage.identity import digest
from headwater.openlineage.naming import dataset_name
from tests.emit.filled import letter_of

A_WORDS = ("amber", "acorn", "aster", "apple", "anvil", "agate", "arrow", "aspen")
B_WORDS = ("birch", "badge", "beryl", "brook", "bison", "basil", "bloom", "brass")
CROSSED = ("clover", "walnut")
RUN, APPLICATION = "0197833d-511d-7034-be27-078fb128ca59", "0197833d-511d-7034-be27-0000000000aa"
DB = "postgres://db:5432"


def sql_of(words: tuple[str, ...]) -> str:
    return f"INSERT INTO stage.orders SELECT {words[4]} FROM raw.orders JOIN {words[5]} USING (id)"


def statement_of(words: tuple[str, ...]) -> str:
    return f"sql:{digest('sql', normalise_sql(sql_of(words))).hex()}"


def events_of(words: tuple[str, ...]) -> list[bytes]:
    """Shared: the jobs etl:load and etl:app, their runs, raw.orders, stage.orders. The rest has words of one's own."""
    description, column, tag, owner, _, _, name, user = words
    facets = {
        "documentation": {"description": f"of {description} and orders"},
        "schema": {"fields": [{"name": "id", "type": "int"}, {"name": column, "description": f"the {description}"}]},
        "tags": {"tags": [{"key": tag, "value": owner}, {"key": "pii", "field": column}]},
        "ownership": {"owners": [{"name": owner}]},
        "columnLineage": {
            "fields": {column: {"inputFields": [{"namespace": DB, "name": "raw.orders", "field": "id"}]}}
        },
    }
    aliases = {
        "symlinks": {"identifiers": [{"namespace": f"hive://{name}:9083", "name": f"{name}.t", "type": "TABLE"}]}
    }
    parent = {"parent": {"run": {"runId": APPLICATION}, "job": {"namespace": "etl", "name": "app"}}}
    spark = {"jobType": {"integration": "SPARK", "jobType": "SQL_JOB", "processingType": "BATCH"}}
    about = {"documentation": facets["documentation"], "tags": facets["tags"], "ownership": facets["ownership"]}
    return [
        _event(
            "load",
            RUN,
            1,
            inputs=[_dataset("raw.orders"), _dataset(f"raw.{name}")],
            outputs=[_dataset("stage.orders", **facets)],
            job_facets={**about, "sql": {"query": sql_of(words)}},
            run_facets={"dataRentgen_run": {"started_by_user": user}},
        ),
        _event(
            "app",
            APPLICATION,
            2,
            job_facets={"jobType": {**spark["jobType"], "jobType": "APPLICATION"}},
            run_facets={"dataRentgen_run": {"started_by_user": user}},
        ),
        _event(
            "app.one",
            "0197833d-511d-7034-be27-0000000000ab",
            3,
            inputs=[_dataset("stage.orders", **aliases)],
            outputs=[_dataset(f"mart.{name}", **{**facets, "columnLineage": {}})],
            job_facets=spark,
            run_facets=parent,
        ),
        _event(
            f"{name}_report",
            f"0197833d-511d-7034-be27-{name.encode().hex():0>12}",
            4,
            inputs=[_dataset(f"mart.{name}")],
            outputs=[_dataset(f"page.{name}")],
            run_facets={"errorMessage": {"message": f"no {description}", "programmingLanguage": "x"}},
            kind="FAIL",
        ),
        json.dumps(
            {
                "eventTime": "2026-01-02T03:04:09Z",
                "job": {"namespace": "etl", "name": "load", "facets": about},
                "inputs": [_dataset(f"raw.{name}")],
                "outputs": [_dataset("stage.orders")],
            }
        ).encode(),
        json.dumps({"eventTime": "2026-01-02T03:04:10Z", "dataset": _dataset("raw.orders", **facets)}).encode(),
        *(
            _crossed(second, word, name)
            for second, word, name in zip(
                (11, 12), CROSSED, ("cross.one", "cross.two")[:: 1 if words is A_WORDS else -1], strict=True
            )
        ),
    ]


def _crossed(second: int, word: str, name: str) -> bytes:
    """Both tenants say the same words, each of the other dataset: who mixes their words finds what neither said."""
    dataset = _dataset(name, schema={"fields": [{"name": word}]})
    return json.dumps({"eventTime": f"2026-01-02T03:04:{second}Z", "dataset": dataset}).encode()


def _dataset(name: str, **facets: Any) -> dict[str, Any]:
    return {"namespace": DB, "name": name, "facets": facets}


def _event(
    job: str,
    run: str,
    second: int,
    *,
    inputs: Any = (),
    outputs: Any = (),
    job_facets: Any = None,
    run_facets: Any = None,
    kind: str = "COMPLETE",
) -> bytes:
    body = {
        "eventTime": f"2026-01-02T03:04:{second:02d}Z",
        "eventType": kind,
        "run": {"runId": run, "facets": run_facets or {}},
        "job": {"namespace": "etl", "name": job, "facets": job_facets or {}},
        "inputs": list(inputs),
        "outputs": list(outputs),
    }
    return json.dumps(body).encode()


_TIMES = ["2026-01-02T03:04:03Z", "2030-01-01T00:00:00Z"]
_NAMED = ["stage.orders", "raw.orders", "job:etl:load", f"run:{RUN}", "stage.orders#acorn"]
_NAMED += [name for word in ("arrow", "bloom") for name in (f"mart.{word}", f"job:etl:{word}_report")]
_NODES = ["dataset:postgres%3A%2F%2Fdb%3A5432:stage.orders", f"dataset:{DB}:stage.orders", f"dataset:{DB}:mart.bloom"]
_KEY = f"dataset@{dataset_name(DB, 'raw.orders').id.hex()}"
_JOBS = ["job:etl:load", "job:etl:arrow_report", "job:etl:bloom_report"]

VALUES: dict[str, list[str]] = {
    "name": ["orders", "load", "arrow", "bloom"],
    "q": ["orders", "amber orders", "orders amber", "orders birch", "birch orders", "amber acorn", "amber birch",
          "amber birch orders", "orders bir", "beryl", "orders basil", "bison", "brook aster",
          *(f"{one} {other}" for word in CROSSED for name in ("one", "two", "o") for one, other in ((word, name), (name, word))),
          "clover cross one", "cross one wal"],
    "text": ["orders", "anvil", "bison"],
    "node": [*_NODES, *_JOBS],
    "namespace": ["etl", DB, "hive://arrow:9083", "hive://bloom:9083"],
    "location": ["etl", DB, "hive://arrow:9083", "hive://bloom:9083"],
    "location_type": ["postgres", "hive"],
    "tag": ["aster", "aster=apple", "pii", "beryl", "pii&tag=aster", "pii&tag=beryl", "beryl=brook"],
    "since": _TIMES, "until": _TIMES, "before": _TIMES, "after": _TIMES, "as_of": _TIMES, "from": _TIMES, "to": _TIMES,
    "job": _JOBS, "parent": [f"run:{APPLICATION}"], "dataset": [*_NAMED[:2], "mart.arrow", "mart.bloom"],
    "run": [RUN, APPLICATION], "runId": [RUN, APPLICATION],
    "sql": [statement_of(A_WORDS), statement_of(B_WORDS)],
    "user": ["aspen", "brass"], "status": ["SUCCEEDED", "FAILED", "UNKNOWN&status=STARTED"],
    "type": ["postgres", "hive", "BATCH", "SQL_JOB"], "job_type": ["SQL_JOB"], "origin": ["engine"],
    "nodeId": [*_NODES, *_JOBS], "reason": ["invalid_event"], "source": ["ANY"], "key": ["{key}", "none"],
    "timezone": ["UTC"], "dialect": ["postgres"], "lastRunStates": ["COMPLETED", "FAILED"],
    "overlay": ["amber", "birch"], "sink": ["amber", "birch"],
    "kind": ["dataset", "job&kind=sql", "location"], "cursor": [], "owner": ["apple", "brook", "nobody"],
    "fields": ["key", "id,name", "at,kind", "event_time,type"],
}  # fmt: skip
"""By parameter, for all routes that have it; of a choice or a number the specification has the values."""
OF_ROUTE: dict[str, list[str]] = {
    "/aspects/{urn} version": ["0"],
    "/aspects/{urn} aspect": ["upstreamLineage", "datasetProperties", "datasetKey"],
    **{
        f"{path} name": _NAMED
        for path in ("/api/v2/show", "/api/v2/lineage", "/api/v2/impact", "/api/v2/diff", "/api/v2/series")
    },
    **{f"/api/v2/tasks {name}": ["same", "secret-of-b"] for name in ("model", "resource")},
    "/api/v2/tasks type": ["EMBEDDING", "SQL_SUMMARY"],
    **{f"{path} cursor": ["7zzzzzzzzzzzz"] for path in ("/api/v2/tasks", "/api/v2/tasks/batches")},
    "/api/v2/emit/versions version": [f"version+of+{word}&overlay={word}" for word in ("amber", "birch")],
    "/api/v2/assets q": ["orders", "acorn", "badge", "bloom"],
    "/api/v2/assets/show name": [f"{DB}:stage.orders", f"{DB}:mart.arrow", f"{DB}:mart.bloom", "acorn"],
    "/api/v2/assets/tree name": [f"{DB}:stage.orders", f"{DB}:mart.arrow", f"{DB}:mart.bloom", DB],
    "/api/v2/assets/walk name": [f"{DB}:stage.orders#acorn", f"{DB}:raw.orders#id", f"{DB}:mart.bloom"],
    "/api/v2/picture name": _NAMED,
    "/api/v2/picture column": ["acorn", "badge", "id", "mart.bloom#badge"],
    "/api/v2/picture hide": ["temporary", "tool", "*arrow", "*bloom"],
    "/api/v2/picture columns_of": [_KEY],
    "/api/v2/picture compared_to": ["2026-01-02"],
    "/api/v2/picture expand": [f"{_KEY}:upstream", _KEY],
    "/api/v2/changes name": _NAMED[:3],
    "/api/v2/changes kind": ["schema", "lineage&kind=failed"],
    "/api/v2/changes since": ["2026-01-01"],
    "/api/v2/changes until": ["2026-01-04"],
    "/api/v2/failures since": ["2026-01-01"],
    "/api/v2/failures until": ["2026-01-04"],
    "/api/v2/overdue as_of": ["2026-01-04"],
    "/api/v2/series since": ["2026-01-01"],
    "/api/v2/series until": ["2026-01-04"],
    "/api/v2/edge from": _NAMED[:2],
    "/api/v2/edge to": ["stage.orders", *_NAMED[5:]],
    "/api/v2/edge via": _JOBS,
    "/api/v2/edge from_column": ["id", "badge"],
    "/api/v2/edge to_column": ["acorn", "badge"],
    **{f"/api/v1/search {name}": ["2026-01-02", "2030-01-01"] for name in ("before", "after")},
    "/api/v2/paths from": _NAMED,
    "/api/v2/paths to": _NAMED,
    "/api/v2/jobs parent": ["job:etl:app"],
}
OTHERS_TOO = {
    "role": "dataset=stage.orders",
    "columns": "granularity=DATASET",
    "masked": "columns=true",
    "tag": "limit=9",
    "column": "columns=lit",
}
"""Parameters that are asked for together with another one, besides alone."""
NEEDED = {
    "/aspects/{urn}": "aspect=datasetKey",
    "/api/v2/show": "name=stage.orders",
    "/api/v2/lineage": "name=stage.orders",
    "/api/v2/impact": "name=raw.orders",
    "/api/v2/paths": "from=raw.orders&to=mart.arrow",
    "/api/v2/diff": f"from=2026-01-01T00:00:00Z&to={_TIMES[0]}",
    "/api/v2/series": "name=stage.orders",
    "/api/v2/assets/show": f"name={DB}:stage.orders",
    "/api/v2/assets/walk": f"name={DB}:stage.orders",
    "/api/v2/picture": "name=stage.orders",
    "/api/v2/changes": "since=2026-01-01&until=2026-01-04",
    "/api/v2/failures": "since=2026-01-01&until=2026-01-04",
    "/api/v2/overdue": "as_of=2026-01-05",
    "/api/v2/edge": "from=raw.orders&to=stage.orders",
    "/api/v2/search": "q=orders",
    "/api/v1/search": "q=orders",
    "/api/v2beta/search/jobs": "q=load",
    "/api/v2beta/search/datasets": "q=orders",
    "/api/v1/lineage": f"nodeId={_NODES[1]}",
    "/openlineage/lineage": f"node={_NODES[1]}",
    "/api/v1/column-lineage": f"nodeId={_NODES[1]}",
    "/api/v1/runlineage/upstream": f"runId={RUN}",
    "/api/v1/jobs/runs/{run}/facets": "type=run",
    **{
        f"/api/v1/stats/{name}": "period=WEEK&timezone=UTC"
        for name in ("lineage-events", "jobs", "datasets", "sources")
    },
}
"""Parameters without which a route gives no answer."""
ALONE = {"/api/v2/impact tag"}
"""Parameters that stand for those that are needed otherwise."""
PLACES: dict[str, list[str]] = {
    "/api/v1/namespaces/{namespace}/datasets/{dataset}": ["stage.orders", "mart.arrow", "mart.bloom"],
    "/api/v2/datasets/{id}": ["stage.orders", "raw.orders", "mart.arrow", "mart.bloom"],
    "/api/v2/jobs/{id}": _JOBS,
    "/api/v2/runs/{id}": [RUN, APPLICATION],
    "/api/v2/runs/{id}/events": [RUN, APPLICATION],
    "/api/v2/operations/{id}": ["0197833d-511d-7034-be27-0000000000ab"],
    "/api/v2/locations/{id}": [DB, "etl", "hive://arrow:9083", "hive://bloom:9083"],
    "/api/v2/users/{id}": ["aspen", "brass"],
    "/api/v2/sql/{id}": [statement_of(A_WORDS), statement_of(B_WORDS)],
    "/api/v2/tenants/{code}": ["a", "b"],
    "/api/v2/tenants/{code}/status": ["a", "b"],
    "/api/v2/emit/dlq/{id}": [letter_of("amber"), letter_of("birch")],
    "/api/v2/dead-letters/{id}": ["{letter}", "{letter_of_b}"],
    "/api/v2/tasks/{id}": ["{task}", "{task_of_b}"],
    "/aspects/{urn}": [
        f"urn:li:dataset:(urn:li:dataPlatform:{DB.partition(':')[0]},{name},PROD)"
        for name in ("stage.orders", "raw.orders", "mart.arrow", "mart.bloom")
    ],
}
"""By what the last part of a path is asked for."""
PARTS = {"namespace": ["etl", DB.replace("/", "%2F")], "source": ["default"], "dataset": ["stage.orders", "raw.orders"],
         "job": ["load", "app", "bloom_report"], "run": [RUN], "version": [RUN]}  # fmt: skip
"""By what any other part of a path is asked for."""
