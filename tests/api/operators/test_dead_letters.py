"""What is refused is kept with its reason, and taken once the reason is gone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.store.read.reader import Reader
from headwater.store.time_ordered_ids import id_number, id_text, new_ids
from tests.access.gravitino import gravitino_event
from tests.api.test_ingest import event
from tests.application import InProcess

ALWAYS = {"after": -(2**62), "before": 2**62}


@pytest.fixture
def app(tmp_path: Path) -> Iterator[InProcess]:
    with InProcess(tmp_path) as started:
        started.key = started.make_key(roles=["admin"], name="operator")
        started.make_tenant("a", 7)
        started.make_tenant("b", 8)
        yield started


def letters(app: InProcess, query: str = "", **more) -> list[dict]:
    return app.get(f"/api/v2/dead-letters{query}", **more).json()["dead_letters"]


def count(app: InProcess, tenant: int) -> int:
    return Reader(app.store.engine).count_events(tenant, **ALWAYS)


@pytest.mark.parametrize(
    ("key", "body", "status", "reason", "tenant"),
    [
        ({"source": "GRAVITINO"}, gravitino_event(7, facet={"tenantId": 8}), 409, "tenant_conflict", None),
        ({"source": "GRAVITINO", "tenant": "a"}, gravitino_event(8), 409, "tenant_conflict", "a"),
        ({"source": "GRAVITINO"}, gravitino_event(None), 403, "no_tenant", None),
        ({"source": "GRAVITINO"}, gravitino_event(70), 403, "unknown_tenant", None),
        ({"source": "SPARK"}, event("j"), 403, "no_tenant", None),
        ({"source": "SPARK", "tenant": "a"}, b"{", 400, "invalid_json", "a"),
        ({"source": "SPARK", "tenant": "a"}, b'{"job": {"namespace": "n", "name": "j"}}', 400, "invalid_time", "a"),
    ],
)
def test_refused_and_kept(app: InProcess, key: dict, body: bytes, status: int, reason: str, tenant: str | None) -> None:
    answer = app.send(body, key=app.make_key(**key))
    assert (answer.status_code, answer.json()["error"]) == (status, reason)
    (letter,) = letters(app)
    assert (letter["reason"], letter["tenant"], letter["source"]) == (reason, tenant, key["source"])
    assert letter["message"] == answer.json()["message"]
    assert app.get(f"/api/v2/dead-letters/{letter['id']}").json()["body"] == body.decode()
    assert count(app, 7) == count(app, 8) == 0
    # Retried as it is, it is refused again, and stays.
    again = app.post(f"/api/v2/dead-letters/{letter['id']}/retry").json()
    assert (again["state"], again["attempts"], again["reason"]) == ("REFUSED", 1, reason)
    assert len(letters(app, "?state=any")) == 1


def test_taken_after_the_tenant_is_enabled(app: InProcess) -> None:
    app.post("/api/v2/tenants/a/disable")
    gravitino, spark = app.make_key(source="GRAVITINO"), app.make_key(source="SPARK", tenant="a")
    assert app.send(gravitino_event(7), key=gravitino).status_code == 403
    assert app.send(event("one"), key=spark).json()["error"] == "tenant_disabled"
    for name in ("two", "three"):
        app.send(event(name), key=spark)
    assert {letter["tenant"] for letter in letters(app)} == {"a"}
    app.post("/api/v2/tenants/a/enable")
    first = letters(app)[-1]["id"]
    assert app.post(f"/api/v2/dead-letters/{first}/retry").json()["state"] == "TAKEN"
    assert count(app, 7) == 1
    assert app.post("/api/v2/dead-letters/retry?source=SPARK").json() == {"taken": 3, "refused": 0}
    assert count(app, 7) == 4
    assert letters(app) == []
    assert len(letters(app, "?state=taken")) == 4
    assert app.get("/api/v2/show?name=job:tests:two&tenant=a").status_code == 200
    assert app.ask("DELETE", "/api/v2/dead-letters?state=taken").json() == {"purged": 4}
    assert letters(app, "?state=any") == []


def test_unknown_tenant_then_created(app: InProcess) -> None:
    app.send(gravitino_event(70), key=app.make_key(source="GRAVITINO"))
    app.make_tenant("seventy", 70)
    assert app.post("/api/v2/dead-letters/retry").json() == {"taken": 1, "refused": 0}
    assert count(app, 70) == 1


def test_each_event_of_a_batch_for_itself(app: InProcess) -> None:
    bodies = [
        gravitino_event(7),
        gravitino_event(8),
        gravitino_event(70),
        b'{"no": "event"}',
        gravitino_event(7, job=8),
    ]
    answer = app.post(
        "/api/v1/lineage/batch",
        content=b"\n".join(bodies),
        key=app.make_key(source="GRAVITINO"),
        headers={"content-type": "application/x-ndjson"},
    ).json()
    assert answer["summary"] == {"received": 5, "successful": 2, "failed": 3}
    assert [(failed["index"], failed["code"], failed["error"]) for failed in answer["failed_events"]] == [
        (2, 403, "unknown_tenant"),
        (3, 400, "missing_identity"),
        (4, 409, "tenant_conflict"),
    ]
    assert (count(app, 7), count(app, 8), len(letters(app))) == (1, 1, 3)


def test_filters_pages_and_deletion(app: InProcess) -> None:
    spark, hive = app.make_key(source="SPARK", tenant="a"), app.make_key(source="HIVE", tenant="b")
    for number in range(3):
        app.send(b"{" + str(number).encode(), key=spark)
    app.send(b'{"eventTime": 1}', key=hive)
    assert len(letters(app)) == 4
    assert [letter["tenant"] for letter in letters(app, "?source=hive")] == ["b"]
    assert len(letters(app, "?reason=invalid_json")) == 3
    assert len(letters(app, f"?key={spark.split('_')[1]}")) == 3
    assert len(letters(app, "?since=2020-01-01T00:00:00Z&until=2021-01-01T00:00:00Z")) == 0
    assert len(letters(app, "?tenant=a&limit=2")) == 2
    assert app.get("/api/v2/dead-letters?limit=1").json()["total"] == 4
    assert app.get("/api/v2/dead-letters?state=odd").status_code == 400
    for none in ("99999999999999999999", "1", "zzzzzzzzzzzzz", "0000000000001", "6kq2v9x0m3t4D", "%00" * 13):
        assert app.get(f"/api/v2/dead-letters/{none}").status_code == 404
    one = letters(app)[0]["id"]
    assert app.ask("DELETE", f"/api/v2/dead-letters/{one}").json() == {"purged": 1}
    assert app.ask("DELETE", f"/api/v2/dead-letters/{one}").status_code == 404
    assert app.ask("DELETE", "/api/v2/dead-letters?tenant=a").json() == {"purged": 3}


def test_bodies_that_cannot_be_unpacked(app: InProcess) -> None:
    key = app.make_key(tenant="a")
    assert app.send(b"no gzip", key=key, headers={"content-encoding": "gzip"}).status_code == 400
    assert app.post("/api/v1/lineage/batch", content=b"[{}", key=key).status_code == 400
    assert [letter["reason"] for letter in letters(app)] == ["invalid_json"] * 2


def test_nobody_in_particular_leaves_nothing(app: InProcess) -> None:
    app.send(b"{", key="hw_a_b")
    app.send(b"{", key=app.make_key(tenant="a", roles=["reader"]))
    assert letters(app) == []


def test_single_user(tmp_path: Path) -> None:
    with InProcess(tmp_path) as app:
        assert app.send(b"[]").status_code == 400
        (letter,) = letters(app)
        assert (letter["tenant"], letter["source"], letter["key"]) == ("default", "ANY", None)
        assert app.post("/api/v2/dead-letters/retry").json() == {"taken": 0, "refused": 1}
        assert app.send(gravitino_event(7)).status_code == 201  # everything is the one user's


def test_metrics_by_tenant(app: InProcess) -> None:
    key, body = app.make_key(tenant="a", source="SPARK"), event("counted")
    for _ in range(2):
        app.send(body, key=key)
    app.send(b"{", key=key)
    found = app.get("/metrics").text
    for line in (
        'headwater_events_total{tenant="a"}',
        'headwater_duplicate_events_total{tenant="a"}',
        'headwater_refused_events_total{reason="invalid_json",tenant="a"}',
        "headwater_dead_letters_total",
    ):
        assert line in found


def test_labels_stay_few() -> None:
    from headwater import tenant_label as metrics

    kept = set(metrics._labels)
    try:
        labels = {metrics.tenant_label(f"many-{number}") for number in range(300)}
        assert "other" in labels
        assert len(metrics._labels) == 100
    finally:
        metrics._labels.clear()
        metrics._labels.update(kept)


def test_no_secret_in_answers(app: InProcess) -> None:
    key = app.make_key(tenant="a")
    app.send(b"{", key=key)
    assert key not in json.dumps(letters(app)) + app.get("/api/v2/keys").text


def test_ids_do_not_tell_of_others(app: InProcess) -> None:
    """From the ids of its letters a tenant cannot tell how many others have had meanwhile."""
    keys = {code: app.make_key(tenant=code, roles=["admin"]) for code in ("a", "b")}
    for code in "abbba":
        assert app.send(b"{", key=keys[code]).status_code == 400
    mine = [letter["id"] for letter in app.get("/api/v2/dead-letters", key=keys["a"]).json()["dead_letters"]]
    numbers = [id_number(text) for text in mine]
    assert numbers == sorted(numbers, reverse=True)
    assert abs(numbers[0] - numbers[1]) > 100
    others = app.get("/api/v2/dead-letters", key=keys["b"]).json()["dead_letters"]
    for letter in others:
        assert app.get(f"/api/v2/dead-letters/{letter['id']}", key=keys["a"]).status_code == 404
    assert [id_text(number) for number in numbers] == mine


def test_ids_ascend_and_are_never_twice_the_same() -> None:
    found = new_ids(5000) + new_ids(5000)
    assert found == sorted(set(found))
    assert all(id_number(id_text(number)) == number for number in found)


def test_groups_by_reason_and_source(tmp_path: Path) -> None:
    with InProcess(tmp_path) as app:
        for body in (b"no json", b"nor this", b"{}", b"still none"):
            app.send(body)
        answer = app.get("/api/v2/dead-letters/groups").json()
        assert answer["total"] == 4
        assert [(group["reason"], group["count"]) for group in answer["groups"]] == [
            ("invalid_json", 3),
            ("missing_identity", 1),
        ]
        first = answer["groups"][0]
        assert first["first_at"] <= first["last_at"]
        assert first["example"]["reason"] == "invalid_json"
        listed = app.get("/api/v2/dead-letters?reason=invalid_json").json()["dead_letters"]
        assert first["example"]["id"] == listed[0]["id"]
        assert len(app.get("/api/v2/dead-letters/groups?limit=1").json()["groups"]) == 1
        assert app.get("/api/v2/dead-letters/groups?reason=missing_identity").json()["total"] == 1
        assert app.get("/api/v2/dead-letters/groups?limit=0").status_code == 400
