"""Questions that would take long, or end the process that answers them."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from headwater.api.app import Application
from headwater.api.http.streamed_answers import STREAMED
from headwater.api.posted_questions import POSTED, as_question
from headwater.api.query_process.dispatch import is_question
from headwater.api.routes import ROUTES
from headwater.deadline import Deadline, within
from headwater.settings import Settings
from headwater.store.sql_store import SqlStore
from tests.api.test_ingest import event
from tests.application import InProcess
from tests.hostile.test_streams import STREAMING
from tests.processes import running_module
from tests.server import Server
from tests.waiting import until

FACET = {"_producer": "https://tests", "_schemaURL": "https://tests"}
RUN = json.loads(event("orders"))["run"]["runId"]
JOB, DATASET = "/api/v1/namespaces/tests/jobs/orders", "/api/v1/namespaces/tests/datasets/orders.out"
ASKED = {
    "/api/v1/namespaces/{namespace}": "/api/v1/namespaces/tests",
    "/api/v1/sources/{source}": "/api/v1/sources/default",
    "/api/v1/namespaces/{namespace}/datasets": "/api/v1/namespaces/tests/datasets",
    "/api/v1/namespaces/{namespace}/datasets/{dataset}": DATASET,
    "/api/v1/namespaces/{namespace}/datasets/{dataset}/versions": f"{DATASET}/versions",
    "/api/v1/namespaces/{namespace}/datasets/{dataset}/versions/{version}": f"{DATASET}/versions/{RUN}",
    "/api/v1/namespaces/{namespace}/jobs/{job}/runs": f"{JOB}/runs",
    "/api/v1/jobs/runs/{run}": f"/api/v1/jobs/runs/{RUN}",
    "/api/v1/jobs/runs/{run}/facets": f"/api/v1/jobs/runs/{RUN}/facets?type=run",
    "/api/v1/namespaces/{namespace}/jobs": "/api/v1/namespaces/tests/jobs",
    "/api/v1/namespaces/{namespace}/jobs/{job}": JOB,
    "/api/v1/namespaces/{namespace}/jobs/{job}/versions": f"{JOB}/versions",
    "/api/v1/namespaces/{namespace}/jobs/{job}/versions/{version}": f"{JOB}/versions/{RUN}",
    "/api/v1/lineage": "/api/v1/lineage?nodeId=job:tests:orders",
    "/openlineage/lineage": "/openlineage/lineage?node=job:tests:orders",
    "/api/v1/column-lineage": "/api/v1/column-lineage?nodeId=dataset:tests:orders.out",
    "/api/v1/runlineage/upstream": f"/api/v1/runlineage/upstream?runId={RUN}",
    "/api/v1/events/{namespace}": "/api/v1/events/tests",
    "/api/v1/search": "/api/v1/search?q=or",
    "/api/v2beta/search/jobs": "/api/v2beta/search/jobs?q=or",
    "/api/v2beta/search/datasets": "/api/v2beta/search/datasets?q=or",
    "/api/v1/stats/lineage-events": "/api/v1/stats/lineage-events?period=DAY",
    "/api/v1/stats/jobs": "/api/v1/stats/jobs?period=DAY",
    "/api/v1/stats/datasets": "/api/v1/stats/datasets?period=DAY",
    "/api/v1/stats/sources": "/api/v1/stats/sources?period=DAY",
    "/api/v2/show": "/api/v2/show?name=orders",
    "/api/v2/search": "/api/v2/search?q=or",
    "/api/v2/datasets/{id:path}": "/api/v2/datasets/dataset:tests:orders.out",
    "/api/v2/jobs/{id:path}": "/api/v2/jobs/job:tests:orders",
    "/api/v2/runs/{id:path}": f"/api/v2/runs/{RUN}",
    "/api/v2/operations/{id:path}": f"/api/v2/operations/{RUN}",
    "/api/v2/locations/{id:path}": "/api/v2/locations/tests",
    "/api/v2/users/{id:path}": "/api/v2/users/user:nobody",
    "/api/v2/sql/{id:path}": f"/api/v2/sql/{'0' * 32}",
    "/api/v2/lineage": "/api/v2/lineage?name=job:tests:orders",
    "/api/v2/impact": "/api/v2/impact?name=dataset:tests:orders.out",
    "/api/v2/paths": "/api/v2/paths?from=job:tests:orders&to=dataset:tests:orders.out",
    "/api/v2/series": "/api/v2/series?name=dataset:tests:orders.out",
    "/api/v2/picture": "/api/v2/picture?name=dataset:tests:orders.out",
    "/api/v2/edge": "/api/v2/edge?from=dataset:tests:orders.in&to=dataset:tests:orders.out",
    "/api/v2/runs/{id:path}/events": f"/api/v2/runs/{RUN}/events",
    "/api/v2/assets/show": "/api/v2/assets/show?name=dataset:tests:orders.out",
    "/api/v2/assets/walk": "/api/v2/assets/walk?name=dataset:tests:orders.out",
    "/aspects/{urn:path}": "/aspects/urn:li:dataset:(urn:li:dataPlatform:tests,orders.out,PROD)?aspect=upstreamLineage",
    "/api/v2/diff": "/api/v2/diff?from=2020-01-01&to=2026-01-01",
}
"""What to ask a route for; one without parameters is asked as it is."""
FROM_MEMORY = {"/api/v2/edits/rules", "/api/v2/policy"}
"""Answers from the program, or from the tenant's record that authentication has read: no query is made for them."""
QUESTIONS = sorted(
    {
        route.path
        for route in ROUTES
        if "GET" in (route.methods or ()) and is_question({"method": "GET", "path": route.path})
    }
    - FROM_MEMORY
)


# --- bounded in time -------------------------------------------------------------------------------------------------


def test_streams_are_no_questions() -> None:
    assert sorted(STREAMED) == sorted(STREAMING)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqlStore]:
    folder = tmp_path_factory.mktemp("small")
    with InProcess(folder) as app:
        assert app.send(event("orders")).status_code == 201
    store = SqlStore(f"sqlite:///{folder / 'headwater.db'}")
    store.open()
    yield store
    store.close()


@pytest.mark.parametrize("path", QUESTIONS)
def test_every_question_notices_its_deadline(small: SqlStore, path: str) -> None:
    asked = ASKED.get(path, path)
    assert "{" not in asked, "say in ASKED what to ask this route for"

    async def ask(seconds: float) -> tuple[int, bytes]:
        from headwater.access.identity import SINGLE_USER, Role
        from headwater.api.authentication.authorize import admit_caller
        from headwater.api.context import CALLER

        application = Application(Settings(), small)
        application.start()
        route, _, query = asked.partition("?")
        scope: dict[str, Any] = {"type": "http", "http_version": "1.1", "scheme": "http", "root_path": ""}
        scope |= {"headers": [], "method": "GET", "path": route, "raw_path": route.encode()}
        scope |= {"query_string": query.encode()}
        await application._directory.refresh()
        scope[CALLER] = admit_caller(SINGLE_USER, Role.READER, scope, {}, application._directory.tenant_index)
        try:
            with within(Deadline(seconds)):
                status, _, body = await application.answer_at_once(scope)
        finally:
            application._publishing.cancel()  # type: ignore[union-attr]
            await application._writer.stop()  # type: ignore[union-attr]
        return status, body

    assert asyncio.run(ask(30))[0] in (200, 404)
    status, body = asyncio.run(ask(0))
    assert (status, msgspec.json.decode(body)["error"]) == (504, "too_slow")


# --- linear ----------------------------------------------------------------------------------------------------------


def wide(name: str, count: int) -> bytes:
    inputs = [{"namespace": "tests", "name": f"{name}{place}"} for place in range(count)]
    return json.dumps(json.loads(event(name)) | {"inputs": inputs}).encode()


def columns(name: str, count: int) -> bytes:
    """What goes for all of `count` columns, out of as many others."""
    one = {"namespace": "tests", "name": "source"}
    into = {f"c{place}": {"inputFields": [{**one, "field": f"s{place}"}]} for place in range(count)}
    rows = [{**one, "field": f"d{place}", "transformations": [{"type": "INDIRECT"}]} for place in range(count)]
    facets = {
        "schema": {**FACET, "fields": [{"name": f"c{place}", "type": "int"} for place in range(count)]},
        "columnLineage": {**FACET, "fields": into, "dataset": rows},
    }
    outputs = [{"namespace": "tests", "name": name, "facets": facets}]
    return json.dumps(json.loads(event(f"job-{name}")) | {"inputs": [one], "outputs": outputs}).encode()


def seconds_of(app: InProcess, path: str) -> float:
    found = []
    for _ in range(3):
        began = time.process_time()
        assert app.get(path).status_code == 200
        found.append(time.process_time() - began)
    return min(found)


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/lineage?nodeId=job:tests:{}",
        "/api/v1/lineage?nodeId=dataset:tests:{}1",
        "/api/v1/namespaces/tests/datasets?limit=100",
        "/api/v1/namespaces/tests/jobs/{}",
        "/api/v2/lineage?name=job:tests:{}",
        "/api/v2/lineage?name=job:tests:{}&granularity=RUN",
        "/api/v2/lineage?name=dataset:tests:{}.out&granularity=OPERATION&as_of=2030-01-01",
        "/api/v2/picture?name=dataset:tests:{}.out&granularity=RUN&limit=1000",
    ],
)
def test_a_job_with_many_inputs(tmp_path: Path, path: str) -> None:
    """Eight times as many take about eight times as long, not sixty-four."""
    found = []
    for count in (600, 4800):
        with InProcess(tmp_path / str(count)) as app:
            assert app.send(wide("wide", count)).status_code == 201
            found.append(seconds_of(app, path.format("wide")))
    assert found[1] < 25 * max(found[0], 0.004), found


def test_what_goes_for_all_columns_is_not_copied_into_each(tmp_path: Path) -> None:
    with InProcess(tmp_path) as app:
        assert app.send(columns("out", 1500)).status_code == 201
        for path in (
            "/api/v1/namespaces/tests/datasets/out",
            "/api/v1/namespaces/tests/datasets",
            "/api/v1/column-lineage?nodeId=dataset:tests:out",
            "/api/v1/column-lineage?nodeId=job:tests:job-out",
            "/api/v2/show?name=dataset:tests:out",
        ):
            answer = app.get(path)
            assert (answer.status_code, len(answer.content) < 10_000_000) == (200, True), path
        (rows,) = [
            field
            for field in app.get("/api/v1/namespaces/tests/datasets/out").json()["columnLineage"]
            if field["name"] == "*"
        ]
        assert len(rows["inputFields"]) == 1500
        graph = {
            node["id"]: node for node in app.get("/api/v1/column-lineage?nodeId=dataset:tests:out").json()["graph"]
        }
        named = {edge["destination"] for edge in graph["datasetField:tests:out:c7"]["inEdges"]}
        assert named == {"datasetField:tests:source:s7", "datasetField:tests:out:*"}
        assert len(graph["datasetField:tests:out:*"]["inEdges"]) == 1500
        whole = app.get("/api/v2/lineage?name=dataset:tests:out&granularity=COLUMN&direction=upstream").json()
        assert whole["upstream"]["truncated"]
        again = app.get("/api/v2/lineage?name=dataset:tests:out%23c9&granularity=COLUMN&direction=upstream").json()
        assert len(again["upstream"]["edges"]) == 1501, "what was cut was not remembered as if it were all"


def test_a_few_columns_are_named_each(tmp_path: Path) -> None:
    with InProcess(tmp_path) as app:
        assert app.send(columns("out", 20)).status_code == 201
        fields = app.get("/api/v1/namespaces/tests/datasets/out").json()["columnLineage"]
        assert {field["name"]: len(field["inputFields"]) for field in fields} == {f"c{n}": 21 for n in range(20)}


def test_answers_are_bounded_in_bytes_and_say_so(tmp_path: Path) -> None:
    """Each event alone is in order; all together are more than one answer may hold."""
    text = {**FACET, "text": "x" * 2_000_000}
    with InProcess(tmp_path) as app:
        for number in range(40):
            body = json.loads(event(f"j{number}"))
            body["run"]["facets"] = {"large": text}
            body["inputs"] = [{"namespace": "tests", "name": "shared"}]
            assert app.send(json.dumps(body).encode()).status_code == 201
        for path in ("/api/v1/events/lineage?limit=100", "/api/v1/lineage?nodeId=job:tests:j1", "/api/v1/jobs"):
            answer = app.get(path)
            assert (answer.status_code, answer.headers.get("x-headwater-cut")) == (200, "true"), path
            assert 2_000_000 < len(answer.content) < 140_000_000
        assert len(app.get("/api/v1/lineage?nodeId=job:tests:j1").json()["graph"]) > 40
        assert "x-headwater-cut" not in app.get("/api/v1/events/lineage?limit=5").headers


# --- the process that answers ----------------------------------------------------------------------------------------


@pytest.fixture(params=[60])
def server(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Server]:
    """Its questions may take so many seconds."""
    with Server(tmp_path, environment={"HEADWATER_QUESTION_SECONDS": str(request.param)}) as started:
        assert started.post(event("orders")).status_code == 201
        assert started.post(wide("wide", 9000)).status_code == 201
        until(lambda: status(started)["ready"] == 1)
        yield started


def status(server: Server) -> dict[str, int]:
    return server.get("/health/status").json()["query_processes"]


def get(server: Server, path: str) -> httpx.Response:
    return httpx.get(f"{server.url}{path}", timeout=120)


def ask_aside(server: Server, path: str, answers: list[httpx.Response]) -> threading.Thread:
    thread = threading.Thread(target=lambda: answers.append(get(server, path)))
    thread.start()
    return thread


def query_processes(server: Server) -> list[int]:
    return running_module(server.process.pid, "headwater.api.query_process.worker")


@pytest.mark.alone
@pytest.mark.parametrize("server", [1], indirect=True)
def test_a_process_that_does_not_listen_is_ended(server: Server) -> None:
    """The question is answered 504; events and what needs no such process go on, and another one takes over."""
    (process,) = query_processes(server)
    os.kill(process, signal.SIGSTOP)
    answers: list[httpx.Response] = []
    asking = ask_aside(server, "/api/v2/lineage?name=job:tests:orders", answers)
    assert server.post(event("meanwhile")).status_code == 201
    assert server.get("/health/ready").status_code == 200
    asking.join(60)
    assert (answers[0].status_code, answers[0].json()["error"]) == (504, "too_slow")
    until(lambda: status(server)["ready"] == 1)
    assert query_processes(server) != [process]
    assert server.get("/api/v2/lineage", name="job:tests:meanwhile").status_code == 200


SCROLL = "query q($input: ScrollAcrossLineageInput!) { scrollAcrossLineage(input: $input) { count } }"
UPDATE = "mutation m($input: UpdateLineageInput!) { updateLineage(input: $input) }"
URN = "urn:li:dataset:(urn:li:dataPlatform:tests,orders.out,PROD)"
POSTED_BODIES = {
    "/api/v2/picture": {"name": "dataset:tests:orders.out"},
    "/api/graphql": {"query": SCROLL, "variables": {"input": {"urn": URN, "direction": "UPSTREAM"}}},
}


@pytest.mark.parametrize("path", sorted(POSTED))
@pytest.mark.alone
@pytest.mark.parametrize("server", [1], indirect=True)
def test_questions_by_post_are_answered_there_too(server: Server, path: str) -> None:
    """So what one costs, and how long it takes, is nobody else's matter."""
    assert server.post(json.dumps(POSTED_BODIES[path]).encode(), path).status_code == 200
    (process,) = query_processes(server)
    os.kill(process, signal.SIGSTOP)
    answer = server.post(json.dumps(POSTED_BODIES[path]).encode(), path)
    assert (answer.status_code, answer.json()["error"]) == (504, "too_slow")


@pytest.mark.parametrize(
    "spelled", ["updateLineage", "update\\u004cineage", "scrollAcrossLineage(input: $input) updateLineage"]
)
def test_what_changes_something_is_no_question(spelled: str) -> None:
    body = (
        json.dumps({"query": UPDATE, "variables": {"input": {}}}).encode().replace(b"updateLineage", spelled.encode())
    )
    assert not is_question(as_question({"method": "POST", "path": "/api/graphql"}, body))
    asked = json.dumps({"query": SCROLL, "variables": {"input": {}}}).encode()
    assert is_question(as_question({"method": "POST", "path": "/api/graphql"}, asked))


def killed_while_asked(server: Server, path: str) -> httpx.Response:
    """The answer to a question during which its process was killed, or that came just before."""
    (process,) = query_processes(server)
    answers: list[httpx.Response] = []
    asking = ask_aside(server, path, answers)
    until(lambda: status(server)["questions"] == 1 or answers)
    os.kill(process, signal.SIGKILL)
    asking.join(60)
    until(lambda: query_processes(server) not in ([process], []) and status(server)["ready"] == 1)
    return answers[0]


@pytest.mark.alone
def test_a_question_that_ends_its_process_is_not_asked_again(server: Server) -> None:
    path = "/api/v1/lineage?nodeId=job:tests:wide"
    lost = next(answer for _ in range(5) if (answer := killed_while_asked(server, path)).status_code != 200)
    assert (lost.status_code, lost.json()["error"]) == (503, "question_lost")
    again = get(server, path)
    assert (again.status_code, again.json()["error"]) == (503, "question_lost")
    assert get(server, "/api/v1/lineage?nodeId=job:tests:orders").status_code == 200
    assert get(server, "/api/v1/lineage?nodeId=job:tests:wide&depth=1").status_code == 200


@pytest.mark.alone
def test_questions_do_not_go_to_the_process_that_takes_events(server: Server) -> None:
    """While no process is there, they wait for the next one, as long as a question may take."""
    (process,) = query_processes(server)
    began = time.monotonic()
    os.kill(process, signal.SIGKILL)
    until(lambda: status(server)["ready"] == 0)
    assert server.get("/api/v2/search", q="orders").status_code == 200
    assert time.monotonic() - began > 0.5, "a process is started again after a second"
    assert status(server)["ready"] == 1
