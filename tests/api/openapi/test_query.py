"""Parameters that a route does not have: refused below `/api/v2`, ignored where Marquez ignores them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from headwater.api.routes import ROUTES
from tests.api.marquez.isolation import MARQUEZ
from tests.application import InProcess

UUID, OTHER = "0190c0de-0000-7000-8000-000000000001", "0190c0de-0000-7000-8000-000000000002"
OURS = sorted(
    {
        (method, re.sub(r"{\w+(:\w+)?}", "1", route.path))
        for route in ROUTES
        if route.path.startswith("/api/v2/")
        for method in route.methods - {"HEAD"}
    }
)
THEIRS = sorted(
    {
        path.replace("{key}", "1").replace("{letter}", "1")
        for name, cases in MARQUEZ.items()
        if name.startswith("GET ")
        for path, _ in cases
    }
)


def event(run: str, second: int, kind: str) -> bytes:
    body = {"eventTime": f"2026-02-01T00:00:0{second}Z", "eventType": kind, "run": {"runId": run}}
    return json.dumps({**body, "job": {"namespace": "etl", "name": "load"}}).encode()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    with InProcess(tmp_path_factory.mktemp("parameters")) as started:
        for second, (run, kind) in enumerate(
            ((UUID, "START"), (OTHER, "START"), (UUID, "COMPLETE"), ("nightly/7", "COMPLETE"), ("nightly/7", "FAIL"))
        ):
            assert started.send(event(run, second, kind)).status_code == 201
        yield started


@pytest.mark.parametrize(("method", "path"), OURS)
def test_ours_refuse_what_they_do_not_know(server: InProcess, method: str, path: str) -> None:
    answer = server.ask(method, path, params={"granularty": "x"}, headers={"content-type": "application/json"})
    said = answer.json()
    assert (answer.status_code, said["path"]) == (400, "?granularty")
    assert "'granularty'" in said["message"]
    assert said["hint"].endswith(".")
    assert "tenant" in said["hint"].partition("Known are: ")[2]


def test_the_known_ones_are_named(server: InProcess) -> None:
    said = server.get("/api/v2/runs", params={"runid": UUID}).json()
    assert said["message"] == "There is no parameter 'runid' here."
    for name in ("parent", "kind", "dataset", "role", "since", "cursor"):
        assert re.search(rf"\b{name}\b", said["hint"].partition("Known are: ")[2])
    assert (
        server.get("/api/v2/lineage", params={"granularty": "JOB"})
        .json()["hint"]
        .startswith("Did you mean granularity? Known are: api_key, as_of,")
    )


@pytest.mark.parametrize("path", THEIRS)
def test_those_of_marquez_ignore_it(server: InProcess, path: str) -> None:
    plain = server.get(path)
    more = server.get(path + ("&" if "?" in path else "?") + "granularty=x&kind=run")
    assert (more.status_code, more.text) == (plain.status_code, plain.text)


def times(server: InProcess, **wanted: str) -> list[int]:
    answer = server.get("/api/v1/events/lineage", params=wanted).json()
    assert answer["totalCount"] == len(answer["events"]) or "limit" in wanted
    return [int(item["eventTime"][18]) for item in answer["events"]]


def test_events_of_one_run(server: InProcess) -> None:
    assert times(server) == [4, 3, 2, 1, 0]
    assert times(server, runId=UUID) == times(server, runId=UUID.upper()) == [2, 0]
    assert times(server, runId=OTHER, sortDirection="asc") == [1]
    assert times(server, runId="nightly/7") == [4, 3], "an id that is no UUID"
    assert times(server, runId=UUID, after="2026-02-01T00:00:01Z") == [2]
    assert times(server, runId=UUID, before="2026-02-01T00:00:01Z") == [0]
    assert times(server, runId=UUID, limit="1", offset="1") == [0]
    assert server.get("/api/v1/events", params={"runId": UUID}).json()["totalCount"] == 2
    assert times(server, runId="nobody") == []
    assert times(server, runId=" ") == times(server), "as if it was not there"
