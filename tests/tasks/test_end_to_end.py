"""From an event that a real server takes to the embedding of its nodes, by a model over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx

from tests.models.conftest import event
from tests.models.server import ModelServer, status
from tests.server import Server
from tests.tasks.models import wait_until

_ENVIRONMENT = {"HEADWATER_OUTGOING_PRIVATE": "127.0.0.0/8", "HEADWATER_TASK_RETRY_SECONDS": "0.1,0.1,0.1,0.1,0.1"}
_ENVIRONMENT["HEADWATER_TASK_LEASE_SECONDS"] = "2"


def configure(server: Server, model: ModelServer) -> None:
    body = {"provider": "openai", "model": "test", "dimension": 8, "endpoint": model.endpoint}
    answer = httpx.post(f"{server.url}/api/v2/models/embedding", json=body, timeout=60)
    assert answer.status_code < 300, answer.text


def counts(server: Server) -> dict[str, Any]:
    return server.get("/api/v2/tasks").json()["counts"]


def is_done(server: Server, least: int) -> bool:
    found = counts(server)
    return found["SUCCEEDED"] >= least and not found["PENDING"] + found["RUNNING"] + found["FAILED"]


def test_embeddings_of_what_an_event_says(tmp_path: Path) -> None:
    with ModelServer() as model, Server(tmp_path, environment=_ENVIRONMENT) as server:
        configure(server, model)
        assert server.post(event("pay", "shop.public.payments", description="What customers paid.")).status_code == 201
        wait_until(lambda: is_done(server, 4), "all nodes are embedded", 120)
        shown = server.get("/api/v2/assets/show", name="pg://db:shop.public.payments").json()
        assert "embedding" in str(shown)
        for figure in ('what="succeeded"', 'headwater_task_backlog{state="PENDING"} 0.0'):
            wait_until(lambda figure=figure: figure in server.get("/metrics").text, figure, 30)  # counted every second
        asked = len(model.requests)
        again = event("pay", "shop.public.payments", description="What customers paid.", second=9)
        assert server.post(again).status_code == 201
        model.behaviours.append(status(500))
        assert server.post(event("more", "shop.public.refunds", second=11)).status_code == 201
        wait_until(lambda: len(model.requests) > asked and is_done(server, 7), "the new ones are, too", 120)
        assert counts(server)["DEAD"] == 0
