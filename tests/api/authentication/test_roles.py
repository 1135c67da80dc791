"""For every route and method: each role that is not enough is refused, however the path is written, and changes nothing.

The routes are taken from the application. One that changes something must be named here with the role that it needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.api.authentication.authorize import needed_role
from headwater.store.tables import api_keys
from tests.api.test_isolation import CASES, OPEN, A, count_all, event, fill, known_routes
from tests.application import InProcess
from tests.store.test_isolation import rows_of

ROLES = ("writer", "reader", "editor", "admin")
ENOUGH = {"writer": {"writer", "admin"}, "reader": {"reader", "editor", "admin"}, "editor": {"editor", "admin"}}
ENOUGH |= {"admin": {"admin"}}
"""By the role that is needed: the keys that have it."""
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_V1, _DATASET = "/api/v1", "/api/v1/namespaces/{namespace}/datasets/{dataset}"
_JOB, _RUN = "/api/v1/namespaces/{namespace}/jobs/{job}", "/api/v1/jobs/runs/{run}"
WRITER = {"POST /", "POST /api/v1/lineage", "POST /api/openlineage"}
WRITER |= {"POST /api/v1/lineage/batch", "POST /api/openlineage/batch"}
WRITER |= {f"PUT {_V1}/namespaces/{{namespace}}", f"PUT {_V1}/sources/{{source}}", f"PUT {_DATASET}", f"PUT {_JOB}"}
WRITER |= {f"POST {_JOB}/runs", *(f"POST {_RUN}/{word}" for word in ("start", "complete", "fail", "abort"))}
EDITOR = {f"DELETE {_V1}/namespaces/{{namespace}}", f"DELETE {_DATASET}", f"DELETE {_JOB}", f"PUT {_V1}/tags/{{tag}}"}
EDITOR |= {
    f"{method} {place}/tags/{{tag}}"
    for method in ("POST", "DELETE")
    for place in (_DATASET, f"{_DATASET}/fields/{{field}}", _JOB)
}
EDITOR |= {f"POST /api/v2/locations/{word}" for word in ("merge", "split", "addresses", "external-id")}
EDITOR |= {
    f"POST /api/v2/{word}" for word in ("tag", "describe", "own", "hide", "edits/undo", "edits/lineage", "edits/create")
}
EDITOR |= {route for route in CASES if route.partition(" ")[2].startswith(("/api/v2/dead-letters", "/api/v2/tasks"))}
EDITOR |= {"POST /aspects", "POST /api/v2/emit/check"}
EDITOR |= {route for route in CASES if route.partition(" ")[2].startswith("/api/v2/emit/dlq")}
WRITER |= {
    f"POST {place}/{word}" for place in ("/adapter/openlineage", "/api/v2/emit") for word in ("publish", "recall")
}
_ADMINISTERED = ("/api/v2/keys", "/api/v2/tenants", "/api/v2/models")
ADMIN = {route for route in CASES if route.partition(" ")[2].startswith(_ADMINISTERED)}
ADMIN |= {
    route for route in CASES if route.partition(" ")[2].startswith(("/api/v2/emit/overlays", "/api/v2/emit/sinks"))
}
ADMIN.add("POST /api/v2/emit/work")
ADMIN |= {"POST /api/v2/demo", "POST /api/v2/policy/set", "POST /api/v2/policy/clear"}


ASKED = {
    "POST /api/v2/picture",
    "POST /api/v2/page-reports",
    "POST /api/graphql",
    "POST /api/v2/policy/test",
    "POST /api/v2/emit/verify",
}
"""Questions that are posted because they may be long, and what a page tells of itself."""


def role_of(route: str) -> str:
    for role, routes in (("writer", WRITER), ("editor", EDITOR), ("admin", ADMIN)):
        if route in routes:
            return role
    assert route.startswith("GET ") or route in ASKED, f"say here which role {route} needs"
    return "reader"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[InProcess, dict[str, str], dict[str, str]]]:
    """A tenant with something in every list, a key of each single role, and what stands for {key} and {letter}."""
    with InProcess(tmp_path_factory.mktemp("data")) as started:
        started.key = started.make_key(roles=["admin"], name="operator")
        key = fill(started, A, "secret-of-a")
        keys = {role: started.make_key(tenant=A.code, roles=[role]) for role in ROLES}
        letter = started.get(f"/api/v2/dead-letters?tenant={A.code}").json()["dead_letters"][0]["id"]
        task = started.get(f"/api/v2/tasks?tenant={A.code}").json()["tasks"][0]["id"]
        yield started, keys, {"key": key.split("_")[1], "letter": str(letter), "task": task}


def written_otherwise(path: str) -> list[str]:
    """The same place in other words, as far as a client can write it."""
    place, _, query = path.partition("?")
    end = f"?{query}" if query else ""
    escaped = "".join(f"%{ord(letter):02x}" if letter.isalpha() else letter for letter in place)
    return [path, place.rstrip("/") + "/" + end, escaped + end]


def body_of(path: str, body: Any) -> dict[str, Any]:
    if body == {"event": 1}:
        sent = event("load", "secret-of-a")
        return {"content": b"[" + sent + b"]" if path.endswith("batch") else sent}
    return {"json": body} if body is not None else {}


def test_every_route_is_named() -> None:
    assert known_routes() >= WRITER | EDITOR | ADMIN
    assert {role_of(route) for route in known_routes() - OPEN} == set(ROLES)


@pytest.mark.parametrize("route", sorted(CASES))
def test_a_role_that_is_not_enough(app: tuple[InProcess, dict, dict], route: str) -> None:
    server, keys, names = app
    method, enough = route.partition(" ")[0], ENOUGH[role_of(route)]
    before, everything = rows_of(server.store, A), count_all(server)
    for path, body in CASES[route]:
        plain = (
            path.replace("{key}", names["key"]).replace("{letter}", names["letter"]).replace("{task}", names["task"])
        )
        for place in written_otherwise(plain):
            for role in set(ROLES) - enough:
                answer = server.ask(method, place, key=keys[role], **body_of(path, body))
                if "/%" in place and answer.status_code == 404:  # Marquez' routes are matched as they were escaped
                    continue
                assert (answer.status_code, answer.json().get("error")) == (403, "forbidden"), (role, place)
            nobody = server.ask(method, place, key="", **body_of(path, body))
            assert (nobody.status_code, nobody.json().get("error")) == (401, "unauthenticated"), place
    assert without_use(rows_of(server.store, A)) == without_use(before)
    assert count_all(server) == everything


@pytest.mark.parametrize("route", sorted(route for route in CASES if "{" not in route or "/v2/" in route))
def test_methods_that_a_route_does_not_have(app: tuple[InProcess, dict, dict], route: str) -> None:
    """No method gets further with a role than the methods that are there."""
    server, keys, names = app
    path = (
        CASES[route][0][0]
        .replace("{key}", names["key"])
        .replace("{letter}", names["letter"])
        .replace("{task}", names["task"])
        .partition("?")[0]
    )
    there = {other.partition(" ")[0] for other in CASES if other.partition(" ")[2] == route.partition(" ")[2]}
    before = rows_of(server.store, A)
    for method in set(METHODS) - there - ({"HEAD"} if "GET" in there else set()):
        for role in ROLES:
            answer = server.ask(method, path, key=keys[role], json={})
            assert answer.status_code in (403, 404, 405), (method, role)
    assert without_use(rows_of(server.store, A)) == without_use(before)


@pytest.mark.parametrize("route", sorted(route for route in CASES if route not in ADMIN))
def test_a_role_that_is_enough(tmp_path: Path, app: tuple[InProcess, dict, dict], route: str) -> None:
    """So that the tests above cannot pass because everything is refused. What changes something is asked for nothing."""
    server, _, _ = app
    method, role = route.partition(" ")[0], role_of(route)
    key = server.make_key(tenant=A.code, roles=[role])
    path = CASES[route][0][0].replace("{key}", "none").replace("{letter}", "999999").replace("{task}", "none")
    answer = server.ask(method, path, key=key, **({} if method == "GET" else {"content": b"no json"}))
    assert answer.status_code not in (401, 403), answer.text


@pytest.mark.parametrize(
    "below",
    ["/api/v2/keys/x/y/z", "/api/v2/keys/", "/api/v2/tenants/a/anything", "/api/v2/dead-letters/1/2/3"],
)
def test_what_lies_below_a_guarded_place_is_guarded(app: tuple[InProcess, dict, dict], below: str) -> None:
    """Also where there is nothing yet: a route that is added there needs the role from the beginning."""
    server, keys, _ = app
    for method in METHODS:
        for role in ("writer", "reader"):
            assert server.ask(method, below, key=keys[role]).status_code == 403


@pytest.mark.parametrize("path", ["/api/v2/keysmith", "/api/v2/tenants-of-mine", "/api/v2/dead-lettersx"])
def test_a_name_that_only_begins_alike_is_another_place(path: str) -> None:
    assert needed_role(path) == "reader"


def without_use(rows: dict[str, list[tuple[Any, ...]]]) -> dict[str, list[tuple[Any, ...]]]:
    """Rows without when a key was used last, which is noted in the background."""
    place = list(api_keys.columns.keys()).index("last_used_at")
    return {**rows, "api_key": [row[:place] + row[place + 1 :] for row in rows["api_key"]]}
