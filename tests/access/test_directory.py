"""What is known of tenants and keys is fresh within seconds, and costs an event nothing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from headwater.access import directory
from headwater.store.access.keys import Keys
from headwater.store.access.tenants import DISABLED, Tenants
from headwater.store.scope import EVERY_TENANT
from tests.api.test_ingest import event
from tests.application import InProcess


def _count_questions(engine: sa.Engine) -> list[str]:
    asked: list[str] = []

    @sa.event.listens_for(engine, "before_cursor_execute")
    def _note(_connection, _cursor, statement, *_: object) -> None:
        asked.append(statement)

    return asked


@pytest.mark.parametrize("with_keys", [False, True])
def test_no_question_per_event(tmp_path: Path, monkeypatch, with_keys: bool) -> None:
    monkeypatch.setattr(directory, "_FRESH_SECONDS", 600.0)
    with InProcess(tmp_path) as app:
        if with_keys:
            app.key = app.make_key(roles=["admin"])
            app.make_tenant("a")
            app.key = app.make_key(tenant="a")
        app.send(event("first"))
        asked = _count_questions(app.store.engine)
        for number in range(20):
            assert app.send(event(f"j{number}")).status_code == 201
        assert asked == []


def test_what_another_process_changes_is_noticed(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(directory, "_FRESH_SECONDS", 0.05)
    with InProcess(tmp_path) as app:
        app.key = app.make_key(roles=["admin"])
        app.make_tenant("a")
        writer = app.make_key(tenant="a")
        assert app.send(event("j"), key=writer).status_code == 201
        tenants, keys = Tenants(app.store.engine), Keys(app.store.engine)  # as another process has them
        tenants.set_state(EVERY_TENANT, "a", DISABLED)
        time.sleep(0.1)
        assert app.send(event("j"), key=writer).json()["error"] == "tenant_disabled"
        keys.revoke(EVERY_TENANT, writer.split("_")[1], 1)
        time.sleep(0.1)
        assert app.send(event("j"), key=writer).json()["error"] == "invalid_key"


def test_the_first_key_closes_a_server_that_runs(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(directory, "_FRESH_SECONDS", 0.05)
    with InProcess(tmp_path / "one") as app, InProcess(tmp_path / "one") as other:
        assert app.send(event("j")).status_code == 201
        other.make_key(roles=["admin"])
        time.sleep(0.1)
        assert app.send(event("j")).status_code == 401


def test_the_store_is_away(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(directory, "_FRESH_SECONDS", 0.0)
    with InProcess(tmp_path) as app:
        key = app.make_key(roles=["admin"])

        def away(*_: object) -> None:
            raise sa.exc.OperationalError("SELECT", {}, Exception("gone"))

        with monkeypatch.context() as patch:
            patch.setattr(Tenants, "list", away)
            for answer in (app.send(event("j"), key=key), app.get("/api/v2/dump", key=key)):
                assert (answer.status_code, answer.json()["error"]) == (503, "store_unavailable")
                assert answer.headers["retry-after"] == "1"
        assert app.get("/api/v2/keys", key=key).status_code == 200
