"""What names mean as ends of edges, many at once."""

from __future__ import annotations

from pathlib import Path

from tests.api.v2.test_hand_edges import change, edge, run, words
from tests.application import InProcess

MANY = 120
"""More than are searched for one by one."""


def test_many_plain_names_of_one_request(tmp_path: Path) -> None:
    with InProcess(tmp_path) as app:
        inputs, outputs = ([f"{side}.t{number}" for number in range(MANY)] for side in ("raw", "mart"))
        assert app.send(run("load", inputs, outputs, 1)).status_code == 201
        listed = [edge(f"mart.t{number}", f"raw.t{number}") for number in range(MANY)]
        listed.append(edge("mart.t0#x", "raw.t1#y"))
        assert words(change(app, add=listed)) == ["added"] * (MANY + 1)
        assert change(app, add=[edge("raw.t7", "job:n:load"), edge("load", "raw.t7")])["counts"] == {"added": 2}
        both = change(app, 400, add=[edge("nothing.like#it", "raw.t1#y"), edge("raw.t1", "nowhere")])
        assert [error["error"] for error in both["errors"]] == ["not_found", "not_found"]


def test_each_edge_of_a_request_has_its_own_reason_and_author(tmp_path: Path) -> None:
    with InProcess(tmp_path) as app:
        one = edge("dataset:p:a", "dataset:p:b", reason="of its own", by="bob")
        other = edge("dataset:p:a", "dataset:p:c")
        change(app, add=[one, other], create=True, reason="of all", by="ann")
        change(app, remove=[{**one, "reason": "wrong"}, other], by="ann")
        history = app.get("/api/v2/edits").json()["items"]
        told = {
            (item["change"], item["of"][-1], item["by"], item["reason"]) for item in history if "edge" in item["kind"]
        }
        assert told == {
            ("edge stated", "b", "bob", "of its own"),
            ("edge stated", "c", "ann", "of all"),
            ("edge removed", "b", "bob", "wrong"),
            ("edge removed", "c", "ann", None),
        }


def test_an_addition_says_that_the_edge_is_hidden(tmp_path: Path) -> None:
    with InProcess(tmp_path) as app:
        assert app.send(run("one", ["a"], ["b"], 1)).status_code == 201
        change(app, hide=[edge("a", "b")])
        for expected in ("added", "already there"):
            told = change(app, add=[edge("a", "b")])["edges"][0]
            assert (told["change"], told["is_hidden"]) == (expected, True)
        change(app, show=[edge("a", "b")])
        assert change(app, add=[edge("a", "b")])["edges"][0]["is_hidden"] is False
