"""The OpenAPI document is whole, and the server keeps to it whatever is asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import load_all_checks
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from headwater.api.openapi.declare import OneOf
from headwater.api.openapi.document import EXAMPLES, Operation, operations_of
from headwater.api.openapi.reference import INGEST, whole_document
from tests.api.test_isolation import known_routes
from tests.application import InProcess
from tests.conftest import read_events

load_all_checks()
CHECKS = (
    schemathesis.checks.not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
)
CASES = 4
OURS = {"tenant", "api_key", "fields"}
"""Left out: random tenants and keys would never get past the door, and with `fields` an item is a part of a record."""


def _operations() -> dict[str, Any]:
    schema = schemathesis.openapi.from_dict(whole_document())
    schema.config.generation.update(modes=[schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE])
    found = (result.ok() for result in schema.get_all_operations())
    return {operation.label: operation for operation in found}


OPERATIONS = _operations()


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    with InProcess(tmp_path_factory.mktemp("openapi")) as started:
        for name in ("spec", "spark", "airflow", "hive"):
            for body in read_events(f"written/{name}.ndjson"):
                started.send(body)
        started.send(b"no event")
        started.key = started.make_key(roles=["admin", "editor", "reader", "writer"], tenant="default")
        yield started


def test_every_route_is_described() -> None:
    described = {
        f"{method.upper()} {path}" for path, methods in whole_document()["paths"].items() for method in methods
    }
    known = {route.replace(":path}", "}").replace(":int}", "}") for route in known_routes()}
    assert described == known


def test_served_as_json_and_as_a_page_without_foreign_hosts(app: InProcess) -> None:
    assert app.get("/openapi.json").json() == json.loads(json.dumps(whole_document()))
    page = app.get("/docs", key="").text
    assert "/api/v2/datasets" in page
    assert "<script" not in page
    assert "http://" not in page.replace("http://127.0.0.1", "").replace("&quot;http", "")


def _answers() -> Iterator[tuple[str, Operation, dict[str, Any]]]:
    from headwater.api.routes import ROUTES

    for operation in operations_of(ROUTES):
        entry = whole_document()["paths"][operation.shown_path][operation.method.lower()]
        yield f"{operation.method} {operation.shown_path}", operation, entry


SPEAK_FOR_THEMSELVES = {"GET /docs", "GET /openapi.json"}


@pytest.mark.parametrize(("label", "operation", "entry"), [pytest.param(*it, id=it[0]) for it in _answers()])
def test_every_route_is_declared_with_examples_that_fit(
    label: str, operation: Operation, entry: dict[str, Any]
) -> None:
    declared = operation.declaration
    assert "default" not in entry["responses"], "nobody declared it"
    if label not in SPEAK_FOR_THEMSELVES and declared.answer is not None:
        contents = entry["responses"][str(declared.status)]["content"]
        assert all("example" in content for content in contents.values())
        if declared.media == "application/json":
            example, kinds = contents["application/json"]["example"], declared.answer
            if isinstance(kinds, OneOf):
                named = {kind: msgspec.json.schema(get_type_hints(kind)["kind"])["enum"] for kind in kinds.kinds}
                (kinds,) = (kind for kind, values in named.items() if example["kind"] in values)
            msgspec.convert(example, kinds)
    if declared.body is not None:
        msgspec.convert(entry["requestBody"]["content"]["application/json"]["example"], declared.body)


def test_examples_are_of_routes_that_are_there() -> None:
    known = {label for label, _, _ in _answers()} | {f"POST {path}" for path in INGEST}
    assert set(json.loads(EXAMPLES.read_text())) <= known


@pytest.mark.parametrize("label", sorted(OPERATIONS))
def test_answers_are_as_declared(app: InProcess, label: str) -> None:
    """Right and wrong requests, made up from the document: no 5xx, no undeclared status, no answer of another shape."""

    @settings(
        max_examples=CASES,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=OPERATIONS[label].as_strategy())
    def send(case: Any) -> None:
        query = {name: value for name, value in (case.query or {}).items() if name not in OURS}
        more: dict[str, Any] = {}
        if isinstance(case.body, bytes | str):
            more["content"] = case.body
        elif isinstance(case.body, dict | list | int | float | bool | None.__class__):
            more["json"] = case.body
        answer = app.ask(case.method, case.formatted_path, params=query, **more)
        case.validate_response(answer, checks=list(CHECKS))

    send()


EXAMPLE_QUESTIONS = [
    (path, parameter["name"], parameter["example"])
    for path, methods in whole_document()["paths"].items()
    for parameter in methods.get("get", {}).get("parameters", ())
    if "example" in parameter and path.startswith("/api/v2")
]


JOB = "job:http://airflow.example.com:8080:orders_daily.load.extract_orders"
NEEDED = {
    "/api/v2/search": {"q": "x"},
    "/api/v2/lineage": {"name": JOB},
    "/api/v2/impact": {"name": JOB},
    "/api/v2/paths": {"from": JOB, "to": JOB},
    "/api/v2/series": {"name": JOB},
    "/api/v2/picture": {"name": JOB},
    "/api/v2/edge": {"from": JOB, "to": JOB},
    "/api/v2/diff": {"from": "2026-01-31T12:00:00Z", "to": "2026-01-31T12:00:00Z"},
}
"""Parameters without which a route refuses all others."""


@pytest.mark.parametrize(("path", "name", "value"), EXAMPLE_QUESTIONS)
def test_examples_of_parameters_are_understood(app: InProcess, path: str, name: str, value: str) -> None:
    needed = NEEDED.get(path, {}) if (path, name) != ("/api/v2/impact", "tag") else {}
    answer = app.get(path, params={**needed, name: value})
    assert answer.status_code in (200, 404), answer.text


def test_an_unknown_parameter_is_refused_with_the_one_that_was_meant(app: InProcess) -> None:
    for path, methods in whole_document()["paths"].items():
        if not path.startswith("/api/v2/") or "get" not in methods or "{" in path:
            continue
        answer = app.get(path, params={"tenannt": "x"})
        assert answer.status_code == 400, path
        assert answer.json().get("hint").startswith("Did you mean tenant? Known are: "), path


def test_the_parameters_of_a_list(app: InProcess) -> None:
    said = app.get("/api/v2/runs", params={"status": "FALED"}).json()
    assert (said["path"], said["hint"]) == ("?status", "Did you mean FAILED?")
    said = app.get("/api/v2/runs", params={"limit": "1001"}).json()
    assert said["message"] == "limit must be a whole number from 1 to 1000, not '1001'."
    said = app.get("/api/v2/runs", params={"since": "soon"}).json()
    assert said["path"] == "?since"
    assert app.get("/api/v2/runs", params={"cursor": "x"}).json()["path"] == "?cursor"
    assert app.get("/api/v2/search").json()["message"] == "The parameter `q` is missing."


def test_the_document_does_not_depend_on_the_folder(tmp_path: Path) -> None:
    assert str(tmp_path.parent) not in str(whole_document())
