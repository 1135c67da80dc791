"""Stores with an asset graph, and what works with models on them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.interpret.interpret import interpret
from headwater.models.configuration import ModelConfiguration
from headwater.models.wiring import make_work
from headwater.models.work import ModelWork
from headwater.openlineage.decode import decode_event
from headwater.settings import Settings
from headwater.store.access.tenants import Tenants
from headwater.store.sql_store import SqlStore
from headwater.store.write.log import Entry, Tenant
from tests.models.server import ModelServer

A, B = Tenant(7, "a", "A"), Tenant(8, "b", "B")


def event(job: str, output: str, *, sql: str = "", description: str = "", second: int = 0) -> bytes:
    fields = [{"name": "customerId", "type": "long"}, {"name": "paid_amount", "type": "double"}]
    facets: dict[str, Any] = {"schema": {"fields": fields}}
    if description:
        facets["documentation"] = {"description": description}
    return json.dumps(
        {
            "eventTime": f"2026-01-02T03:04:{second:02}Z",
            "eventType": "COMPLETE",
            "producer": "https://example.org",
            "run": {"runId": f"0197833d-511d-7034-be27-0000000000{second:02}"},
            "job": {"namespace": "etl", "name": job, "facets": {"sql": {"query": sql}} if sql else {}},
            "inputs": [{"namespace": "pg://db", "name": "shop.public.orders"}],
            "outputs": [{"namespace": "pg://db", "name": output, "facets": facets}],
        }
    ).encode()


SQL = "INSERT INTO shop.public.payments SELECT o.id, sum(o.amount) AS total FROM shop.public.orders o WHERE o.state = 'secret-state' GROUP BY o.id"


def fill(store: SqlStore, tenant: Tenant, *bodies: bytes) -> None:
    if tenant.code not in {known.code for known in Tenants(store.engine).list(tenant.id)}:
        Tenants(store.engine).create(tenant.code, tenant.name, tenant.id)
    sent = bodies or (event("pay", "shop.public.payments", sql=SQL, description="What customers paid."),)
    store.write([Entry(tenant, one, interpret(one, tenant.id), 0) for one in map(decode_event, sent)])
    store.projection.drain(tenant.id)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    made = SqlStore(f"sqlite:///{tmp_path / 'headwater.db'}")
    made.open()
    yield made
    made.close()


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as started:
        yield started


@pytest.fixture
def work(store: SqlStore, tmp_path: Path) -> ModelWork:
    return make_work(settings(tmp_path), store)


def settings(folder: Path) -> Settings:
    (folder / "key").write_text("sk-secret\n")
    return Settings(
        data=str(folder), outgoing_private="127.0.0.0/8", model_credentials=f"a=file:{folder}/key@127.0.0.1"
    )


def openai(server: ModelServer, folder: Path, **more: Any) -> ModelConfiguration:
    given = {"provider": "openai", "model": "m", "dimension": 8, "endpoint": server.endpoint, "seconds": 5}
    return ModelConfiguration(**{**given, "credential": f"file:{folder}/key", **more})
