"""`headwater search`, `show` of every kind, and completion, as a person uses them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from headwater.cli.client.complete import _find
from tests.cli.test_main import data, headwater
from tests.server import Server

__all__ = ["data"]


def test_search_in_a_folder_and_on_a_server(data: Path) -> None:
    done = headwater("search", "stage", "ord", "--data", data)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["kind", "id", "found", "in"]
    assert any("stage.orders" in line and "[stage].[ord]ers" in line for line in lines)
    asked = ("search", "orders", "--kind", "dataset", "--kind", "job", "--limit", "2", "--format", "json")
    found = json.loads(headwater(*asked, "--data", data).stdout)
    assert len(found["items"]) == 2
    assert found["total"] == found["totals"]["dataset"] + found["totals"]["job"] > 2
    with Server(data) as server:
        there = json.loads(headwater(*asked, "--url", server.url).stdout)
        assert there == found
        short = headwater("search", "orders", "--limit", "1", HEADWATER_URL=server.url).stdout
        assert "1 of " in short.splitlines()[-1]
        assert f"dataset:{'postgres://shop:5432'}:mart.orders" in _find("mart.ord", {"url": server.url})
    assert _find("job:etl:cle", {"data": str(data)}) == ["job:etl:clean"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("search", "x", "--kind", "table"), "none of dataset, job"),
        (("search", "..."), "no word to search for"),
        (("search", "x", "--limit", "0"), "from 1 to 1000"),
        (("search",), "Missing argument"),
        (("show", "marrt.ordrs"), "Did you mean dataset:postgres://shop:5432:mart.orders or "),
        (("show", "user:nobody"), "Nobody called 'nobody'"),
    ],
)
def test_wrong_arguments(data: Path, arguments: tuple[str, ...], said: str) -> None:
    done = headwater(*arguments, "--data", data)
    assert done.returncode in (1, 2)
    assert said in done.stderr, done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("kind", ["location:etl", "user:etl", "run", "sql"])
def test_show_of_every_kind(data: Path, kind: str) -> None:
    name = kind
    if kind == "sql":
        name = json.loads(headwater("search", "select", "--kind", "sql", "--data", data, "-f", "json").stdout)["items"][
            0
        ]["id"]
    if kind == "run":
        name = "operation:0190c0de-0000-7000-8000-000000000002"
    for form in ("tree", "table", "json"):
        done = headwater("show", name, "--data", data, "--format", form)
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip()
    assert json.loads(done.stdout)["kind"] == kind.partition(":")[0]
