"""The demo is loaded by administrators, and only where nothing is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.application import InProcess


@pytest.fixture
def app(tmp_path: Path):
    with InProcess(tmp_path) as started:
        yield started


def test_into_an_empty_tenant_and_no_other(app: InProcess) -> None:
    loaded = app.post("/api/v2/demo")
    assert loaded.status_code == 201, loaded.text
    assert loaded.json()["events"] > 1500
    assert app.get("/api/v2/datasets?limit=1").json()["total"] > 60
    again = app.post("/api/v2/demo")
    assert again.status_code == 409
    assert again.json()["error"] == "not_empty"


def test_another_tenant_has_nothing_of_it(app: InProcess) -> None:
    app.key = app.make_key(roles=["admin"], name="operator")
    app.make_tenant("a")
    app.make_tenant("b")
    keys = {code: app.make_key(tenant=code, roles=["admin"]) for code in "ab"}
    editor = app.make_key(tenant="a", roles=["editor"])
    assert app.post("/api/v2/demo", key=editor).status_code == 403
    assert app.post("/api/v2/demo").status_code == 400, "an operator has to say for which tenant"
    assert app.post("/api/v2/demo", headers={"X-Headwater-Tenant": "a"}).status_code == 201
    assert app.get("/api/v2/datasets", key=keys["b"]).json()["total"] == 0
    assert app.get("/api/v2/datasets", key=keys["a"]).json()["total"] > 60
    assert app.post("/api/v2/demo", key=keys["b"]).status_code == 201
