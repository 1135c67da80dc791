"""Real answers of every route that reads, held strictly to the document: no member that it does not name.

`test_openapi` makes up requests; here they are such that there is something to answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import jsonschema_rs
import pytest

from headwater.api.openapi.reference import whole_document
from headwater.demo.shop import shop_events
from tests.application import InProcess
from tests.conftest import read_events
from tests.usage import sum_up

REPORT, ORDERS = "reports/daily_revenue", "clean/orders"
BY_COLUMN = f"/api/v2/lineage?name={REPORT}&granularity=COLUMN"
QUESTIONS = [
    "/api/v2/policy",
    "/",
    "/health/live",
    "/health/ready",
    "/health/status",
    "/health/load",
    "/api/v2/dead-letters/groups",
    "/api/v2/tasks",
    "/api/v2/tasks/batches",
    "/api/v2/session",
    *(f"/api/v2/lineage?name={REPORT}&granularity={word}&columns=true" for word in ("JOB", "DATASET", "RUN")),
    f"/api/v2/lineage?name={REPORT}&granularity=OPERATION&depth=3&direction=upstream",
    "/api/v2/lineage?name=load_shop&direction=downstream",
    "/api/v2/lineage?name=load_shop&unfold=true",
    f"/api/v2/lineage?name={ORDERS}&symlinks=keep",
    BY_COLUMN,
    f"{BY_COLUMN}&masked=false",
    f"/api/v2/lineage?name={ORDERS}&job_type=SPARK_APPLICATION&limit=2",
    f"/api/v2/picture?name={REPORT}&columns=all&steps=3",
    f"/api/v2/picture?name={ORDERS}&granularity=JOB&columns=lit&column=order_id",
    f"/api/v2/picture?name={ORDERS}&ends=true&steps=5",
    f"/api/v2/picture?name={REPORT}&granularity=RUN&steps=2",
    f"/api/v2/picture?name={REPORT}&granularity=OPERATION&hide=clean*",
    f"/api/v2/picture?name={REPORT}&compared_to=2025-01-01&columns=all",
    f"/api/v2/edge?from={ORDERS}&to=core/sales",
    f"/api/v2/edge?from={ORDERS}&to=core/sales&from_column=order_id&to_column=order_id",
    f"/api/v2/impact?name={ORDERS}",
    f"/api/v2/impact?name={ORDERS}&columns=true&limit=3",
    f"/api/v2/paths?from={ORDERS}&to={REPORT}",
    f"/api/v2/paths?from={ORDERS}%23order_id&to={REPORT}%23orders",
    "/api/v2/diff?from=2025-01-01&to=2027-01-01",
    f"/api/v2/diff?from=2026-01-28&to=2027-01-01&name={REPORT}",
    *(f"/api/v2/show?name={name}" for name in (REPORT, "load_shop", "user:etl", "location:s3://shop-lake")),
    f"/api/v2/series?name={REPORT}",
    "/api/v2/series?name=job:spark://shop:load_shop",
    f"/openlineage/lineage?node=dataset:s3://shop-lake:{REPORT}",
    "/api/v2/changes?since=2020-01-01",
    "/api/v2/assets?limit=5",
    f"/api/v2/assets/show?name=s3://shop-lake:{REPORT}",
    "/api/v2/assets/tree?depth=3",
    f"/api/v2/assets/walk?name=s3://shop-lake:{REPORT}&direction=upstream",
    "/api/v2/failures?since=2020-01-01",
    "/api/v2/overdue?as_of=2026-02-01T00:00:00Z",
    "/api/v2/search?q=orders",
    "/api/v2/search?q=etl",
    "/api/v2/search?q=etl&mode=hybrid",
    "/api/v2/models",
    "/api/v2/models/estimate",
    *(f"/api/v2/emit/{kind}" for kind in ("overlays", "sinks", "versions", "dlq")),
    *(f"/api/v2/{kind}" for kind in ("datasets", "jobs", "runs", "operations", "locations", "users", "tags", "sql")),
    *(
        f"/api/v2/{kind}"
        for kind in ("edits", "edits/edges", "edits/rules", "tenants", "keys", "dead-letters", "pipeline")
    ),
]
ENTITIES = {"datasets", "jobs", "runs", "operations", "locations", "users", "sql"}
READ_ELSEWHERE = {"/metrics", "/docs", "/openapi.json", "/api/v2/dump", "/api/v2/tenants/{code}"}
READ_ELSEWHERE |= {"/api/v2/tenants/{code}/status"}
READ_ELSEWHERE |= {"/config", "/aspects/{urn}", "/api/v2/dead-letters/{id}", "/api/v2/runs/{id}/events"}
READ_ELSEWHERE |= {"/api/v2/tasks/{id}", "/api/v2/emit/dlq/{id}"}
WORDS_OF_OTHERS = {"versionId"}
"""Members with the spelling of an overlay's webhook."""


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    with InProcess(tmp_path_factory.mktemp("answers")) as started:
        for name in ("spec", "spark", "airflow", "hive", "trino"):
            for body in read_events(f"written/{name}.ndjson"):
                started.send(body)
        for body in shop_events(datetime(2026, 1, 31, 12, tzinfo=UTC)):
            started.send(body)
        sum_up(started.store, (1,))
        started.send(b"no event")
        started.post("/api/v2/models/summary", json={"provider": "outline"})
        assert started.post("/api/v2/models/summary/test").json()["ok"]
        started.post("/api/v2/tag", json={"name": ORDERS, "add": ["pii"]})
        started.post("/api/v2/own", json={"name": ORDERS, "add": ["someone"]})
        yield started


def strict(value: Any) -> Any:
    """A schema in which a record has the members that it names, and no others."""
    if isinstance(value, list):
        return [strict(item) for item in value]
    if not isinstance(value, dict):
        return value
    closed = {name: item if name in ("example", "examples", "enum") else strict(item) for name, item in value.items()}
    if "properties" in value and "additionalProperties" not in value:
        closed["additionalProperties"] = False
    return closed


DOCUMENT = strict(whole_document())


def declared(path: str) -> str:
    """The path as the document has it."""
    plain = path.partition("?")[0]
    if plain in DOCUMENT["paths"]:
        return plain
    place = "/".join(plain.split("/")[:4]) + "/{id}"
    return f"{place}/events" if plain.endswith("/events") else place


def check(path: str, answer: Any) -> None:
    content = DOCUMENT["paths"][declared(path)]["get"]["responses"]["200"]["content"]["application/json"]
    schema = {**content["schema"], "components": DOCUMENT["components"]}
    found = [f"{'/'.join(map(str, error.instance_path))}: {error.message}"[:300] for error in validator(schema, answer)]
    assert not found, (path, found[:3])


def validator(schema: dict[str, Any], answer: Any) -> Iterator[jsonschema_rs.ValidationError]:
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=True).iter_errors(answer)


@pytest.mark.parametrize("path", QUESTIONS)
def test_an_answer_has_what_is_declared_and_nothing_else(app: InProcess, path: str) -> None:
    answer = app.get(path)
    assert answer.status_code == 200, answer.text
    check(path, answer.json())


@pytest.mark.parametrize("kind", sorted(ENTITIES))
def test_an_entity_likewise(app: InProcess, kind: str) -> None:
    items = app.get(f"/api/v2/{kind}").json()["items"]
    assert items
    for item in items[:30]:
        path = f"/api/v2/{kind}/{item['key']}"
        answer = app.get(path)
        assert answer.status_code == 200, (path, answer.text)
        check(path, answer.json())


def test_events_of_runs_likewise(app: InProcess) -> None:
    """A run that only others mention has none."""
    answered = 0
    for item in app.get("/api/v2/runs").json()["items"][:30]:
        path = f"/api/v2/runs/{item['key']}/events"
        answer = app.get(path)
        assert answer.status_code in (200, 404), (path, answer.text)
        if answer.status_code == 200:
            check(path, answer.json())
            answered += 1
    assert answered


def test_every_route_that_reads_is_asked() -> None:
    asked = {declared(path) for path in QUESTIONS} | {f"/api/v2/{kind}/{{id}}" for kind in ENTITIES} | READ_ELSEWHERE
    known = {path for path, methods in DOCUMENT["paths"].items() if "get" in methods}
    ours = {path for path in known if path.startswith("/api/v2/") or path.count("/") < 3}
    assert ours - asked == set()


def _parts(value: Any, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, dict):
        if "type" in value or not value:
            yield place, value
        for name, item in value.items():
            if name not in ("example", "examples", "enum", "default"):
                yield from _parts(item, f"{place}/{name}")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _parts(item, f"{place}/{number}")


def test_no_bare_object_in_the_document() -> None:
    """From `{"type": "object"}` alone a generated client makes a record that cannot have members."""
    schemas = {"components": whole_document()["components"]["schemas"]}
    schemas["paths"] = [
        response.get("content", {}).get("application/json", {}).get("schema", {"type": "null"})
        for methods in whole_document()["paths"].values()
        for entry in methods.values()
        for response in entry["responses"].values()
    ]
    known = ("properties", "additionalProperties")
    bare = [
        place for place, part in _parts(schemas) if part.get("type") == "object" and not any(k in part for k in known)
    ]
    assert bare == []


def test_operations_have_readable_names_of_their_own() -> None:
    ids = [entry["operationId"] for methods in whole_document()["paths"].values() for entry in methods.values()]
    assert len(ids) == len(set(ids))
    assert {"get_datasets", "get_lineage", "create_key", "open_session"} <= set(ids)


def test_a_union_says_by_which_member_its_kinds_differ() -> None:
    show = whole_document()["paths"]["/api/v2/show"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    assert show["discriminator"]["propertyName"] == "kind"
    assert set(show["discriminator"]["mapping"]) == {"dataset", "job", "run", "operation", "location", "user", "sql"}
    assert len(show["oneOf"]) == 6


def test_members_below_our_api_are_in_snake_case() -> None:
    schemas, seen = whole_document()["components"]["schemas"], set()
    for path, methods in whole_document()["paths"].items():
        if path.startswith("/api/v2/"):
            seen |= set(_members(methods, schemas, set()))
    assert {name for name in seen if name != name.lower()} <= WORDS_OF_OTHERS


def _members(value: Any, schemas: dict[str, Any], done: set[str]) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _members(item, schemas, done)
    elif isinstance(value, dict):
        name = str(value.get("$ref", "")).rpartition("/")[2]
        if name and name not in done:
            done.add(name)
            yield from _members(schemas[name], schemas, done)
        properties = value.get("properties")
        if isinstance(properties, dict):  # by name, one of which may be `properties`
            yield from properties
            yield from _members(list(properties.values()), schemas, done)
        for key, item in value.items():
            if key not in ("example", "examples", "properties"):
                yield from _members(item, schemas, done)
