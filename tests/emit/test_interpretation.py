"""What the adapter's events mean: exact names, times of the run, retracted datasets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from headwater.demo.overlay.history import OverlayHistory
from headwater.emit.answers import read_bundle, read_ready
from headwater.emit.configuration import Overlay
from headwater.emit.events import event_body, hash_of
from headwater.emit.steps import course_of
from tests.application import InProcess

OVERLAY = Overlay(name="prod", url="https://overlay.example.com", producer_host="h.example.com", stable_confs=3)


def bodies_of(history: OverlayHistory, version_id: str, overlay: Overlay = OVERLAY) -> list[bytes]:
    """All events of a version, as they follow from what the overlay answers now."""
    bundle, members = read_bundle(json.dumps(history.bundle(version_id)).encode(), version_id)
    ready = read_ready(json.dumps(history.ready(version_id)).encode())
    course, content = course_of(overlay, bundle, ready, (), 0, 0), hash_of(overlay, members)
    return [event_body(overlay, bundle, content, step) for step in course.steps]


def test_names_that_look_like_partitions_stay_apart(tmp_path: Path) -> None:
    history = OverlayHistory()
    for version_id in ("ab/cd==", "ab/ef==", " ab/cd== "):
        history.publish(version_id)
    child = history.publish("child", ["ab/cd==", "ab/ef=="])
    with InProcess(tmp_path) as app:
        for version_id in ("ab/cd==", "ab/ef==", " ab/cd== ", child):
            for body in bodies_of(history, version_id):
                assert app.send(body).status_code == 201
        listed = {item["name"] for item in app.get("/api/v2/datasets").json()["items"]}
        assert listed == {"ab/cd==", "ab/ef==", " ab/cd== ", "child"}
        asked = {"name": "dataset:overlay:prod:child", "granularity": "DATASET"}
        walk = app.get("/api/v2/lineage", params=asked).json()
        assert {node["name"] for node in walk["upstream"]["nodes"]} >= {"ab/cd==", "ab/ef=="}


def test_a_reorg_and_a_recall_do_not_move_the_publish(tmp_path: Path) -> None:
    history = OverlayHistory()
    parent, other = history.publish("parent"), history.publish("other")
    version_id = history.publish("child", [parent, other])
    history.mine()
    history.reorg(1)
    history.mine(4)
    history.recall(parent)
    created = history.bundle(version_id)["createdAt"]
    with InProcess(tmp_path) as app:
        for one in (other, parent, version_id):
            for body in reversed(bodies_of(history, one)):  # in any order
                assert app.send(body).status_code == 201
        runs = app.get("/api/v2/runs", params={"job": "job:overlay:prod:publish::child"}).json()["items"]
        (run,) = runs
        assert (run["status"], run["started_at"], run["ended_at"]) == ("SUCCEEDED", created, created)
        assert run["external_id"] == history.bundle(version_id)["txid"]
        recalled = app.get("/api/v2/runs", params={"job": "job:overlay:prod:publish::parent"}).json()["items"]
        at = history.bundle(parent)["recall"]["at"]
        published = history.bundle(parent)["createdAt"]
        assert {(one["started_at"], one["ended_at"]) for one in recalled} == {(published, published), (at, at)}
        check_marks(app, at)


def check_marks(app: InProcess, at: str) -> None:
    """The parent is marked in lists, lineage, impact and by itself, since its recall; nothing else is."""
    listed = {item["name"]: item["retracted_at"] for item in app.get("/api/v2/datasets").json()["items"]}
    assert listed == {"parent": at, "other": None, "child": None}
    asked: dict[str, Any] = {"name": "dataset:overlay:prod:child", "granularity": "DATASET"}
    marks = lambda answer: {node["name"]: node.get("retracted_at") for node in answer["upstream"]["nodes"]}  # noqa: E731
    now = app.get("/api/v2/lineage", params=asked).json()
    assert (marks(now)["parent"], marks(now).get("other")) == (at, None)
    before = app.get("/api/v2/lineage", params={**asked, "as_of": "2026-01-01T00:20:00Z"}).json()
    assert marks(before)["parent"] is None
    assert app.get("/api/v2/show", params={"name": "dataset:overlay:prod:parent"}).json()["retracted_at"] == at
    assert app.get("/api/v2/show", params={"name": "dataset:overlay:prod:child"}).json()["retracted_at"] is None
    pictured = app.get("/api/v2/picture", params={"name": "dataset:overlay:prod:child"}).json()["nodes"]
    assert {node["name"]: node["retracted_at"] for node in pictured if node["kind"] != "job"}["parent"] == at


def test_impact_marks_what_is_retracted(tmp_path: Path) -> None:
    history = OverlayHistory()
    version_id = history.publish("child", [history.publish("parent")])
    history.recall(version_id)
    at = history.bundle(version_id)["recall"]["at"]
    with InProcess(tmp_path) as app:
        for one in ("parent", version_id):
            for body in bodies_of(history, one):
                assert app.send(body).status_code == 201
        found = app.get("/api/v2/impact", params={"name": "dataset:overlay:prod:parent"}).json()["affected"]
        assert {node["name"]: node["retracted_at"] for node in found if node["kind"] == "dataset"} == {"child": at}


def test_a_transaction_that_never_returns_ends_the_run(tmp_path: Path) -> None:
    history = OverlayHistory()
    version_id = history.publish("gone")
    history.mine()
    history.reorg(1)
    history.drop(version_id)
    with InProcess(tmp_path) as app:
        bodies = bodies_of(history, version_id)
        assert [json.loads(body)["eventType"] for body in bodies] == ["COMPLETE", "COMPLETE", "ABORT"]
        for body in bodies:
            assert app.send(body).status_code == 201
        (run,) = app.get("/api/v2/runs").json()["items"]
        assert (run["status"], run["end_reason"]) == ("KILLED", "reorg")
