"""How often a tenant may ask, and how often its overlays may tell of something, in a second."""

from __future__ import annotations

from pathlib import Path

from tests.application import InProcess


def test_questions_of_one_tenant_are_limited(tmp_path: Path) -> None:
    """Events are not questions, and another tenant's are counted by themselves."""
    with InProcess(tmp_path, question_rate=1) as app:
        app.key = app.make_key(roles=["admin"])
        app.make_tenant("a")
        app.make_tenant("b")
        keys = {code: app.make_key(tenant=code, roles=["reader", "writer"]) for code in ("a", "b")}
        answers = [app.get("/api/v2/jobs", key=keys["a"]) for _ in range(20)]
        assert answers[0].status_code == 200
        refused = next(answer for answer in answers if answer.status_code == 429)
        assert refused.json()["error"] == "rate_limited"
        assert int(refused.headers["retry-after"]) >= 1
        assert app.get("/api/v2/jobs", key=keys["b"]).status_code == 200
        assert app.send(b"{}", key=keys["a"]).status_code == 400
        assert app.get("/health/live").status_code == 200


def test_webhooks_count_as_events(tmp_path: Path) -> None:
    with InProcess(tmp_path, tenant_rate=1, tenant_burst=2, outgoing_private="127.0.0.1") as app:
        overlay = {"name": "prod", "url": "http://127.0.0.1:9", "producer_host": "h.example"}
        assert app.post("/api/v2/emit/overlays", json=overlay).status_code == 200
        told = [app.post("/adapter/openlineage/publish", json={"versionId": f"v{number}"}) for number in range(20)]
        assert told[0].status_code == 202
        refused = next(answer for answer in told if answer.status_code == 429)
        assert refused.json()["error"] == "rate_limited"
        assert int(refused.headers["retry-after"]) >= 1
