"""On every route: what a gateway signed is the body that is sent, whoever reads it and whenever."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.access.assertions import ISSUER, Signer, publish
from tests.api.test_isolation import CASES, KEYS, A, count_all, event
from tests.application import InProcess

ROUTES = sorted(route for route in CASES if not route.startswith("GET "))
SIGNED = {"nothing": b"", "another": b'{"code": "other"}', "the beginning": event("load", "x")[:9]}


@pytest.fixture(scope="module")
def vouched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[InProcess, Signer]]:
    folder: Path = tmp_path_factory.mktemp("data")
    signer = Signer()
    with InProcess(folder, gateway_keys=str(publish(folder / "keys.toml", signer)), gateway_issuer=ISSUER) as app:
        body = f'{{"code": "{A.code}", "id": {A.id}}}'.encode()
        token = signer.sign("POST", "/api/v2/tenants", body, roles=["admin"])
        made = app.post("/api/v2/tenants", headers={"x-gateway-assertion": token}, content=body)
        assert made.status_code == 201, made.text
        yield app, signer


@pytest.mark.parametrize("signed", SIGNED)
@pytest.mark.parametrize("route", ROUTES)
def test_another_body_than_the_signed_one(vouched: tuple[InProcess, Signer], route: str, signed: str) -> None:
    app, signer = vouched
    method = route.partition(" ")[0]
    path = CASES[route][0][0].partition("?")[0].replace("{key}", "none").replace("{letter}", "1")
    before = count_all(app)
    token = signer.sign(method, path, SIGNED[signed], tenantId=A.id, roles=sorted(KEYS))
    answer = app.ask(method, path, headers={"x-gateway-assertion": token}, content=event("load", "x"))
    assert (answer.status_code, answer.json().get("error")) == (401, "invalid_assertion"), answer.text
    after = count_all(app)
    assert {**after, "gateway_assertion": 0} == {**before, "gateway_assertion": 0}


def test_the_signed_one_is_taken(vouched: tuple[InProcess, Signer]) -> None:
    app, signer = vouched
    body = event("load", "x")
    token = signer.sign("POST", "/api/v1/lineage", body, tenantId=A.id, source="SPARK")
    assert app.send(body, headers={"x-gateway-assertion": token}).status_code == 201
