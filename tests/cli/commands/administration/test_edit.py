"""Changes by hand on the command line: on a folder, and with a server."""

from __future__ import annotations

import getpass
import json
from collections.abc import Iterator
from typing import Any

import pytest
from typer.testing import CliRunner

from headwater.cli.main import app
from headwater.store.sql_store import SqlStore
from tests.api.v2.test_edits import CLEAN, CRM, events
from tests.conftest import entry_of
from tests.server import Server

RUNNER = CliRunner()


def run(*words: str, code: int = 0) -> Any:
    answer = RUNNER.invoke(app, [*words, "-f", "json"])
    assert answer.exit_code == code, answer.output
    return json.loads(answer.stdout) if code == 0 else answer


@pytest.fixture(scope="module", params=["--data", "--url"])
def target(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    folder = tmp_path_factory.mktemp("edits")
    if request.param == "--url":
        with Server(folder) as server:
            server.send_all(events())
            yield "--url", server.url
        return
    store = SqlStore(f"sqlite:///{folder / 'headwater.db'}")
    store.open()
    store.write([entry_of(body) for body in events()])
    store.close()
    yield "--data", str(folder)


def test_tag_describe_own_hide_and_undo(target: tuple[str, str]) -> None:
    who = getpass.getuser() if target[0] == "--data" else "single user"
    assert run("tag", "crm.customers#email", "pii", "--reason", "asked", *target)["tags"] == ["pii"]
    assert run("describe", CRM, "All customers.", "--by", "ann", *target)["description"] == "All customers."
    assert run("own", CRM, "ann", *target)["owners"] == ["bob", "ann"]
    assert run("own", CRM, "bob", "--remove", *target)["owners"] == ["ann"]
    shown = run("show", CRM, *target)
    assert (shown["column_tags"], shown["owners"], shown["tags"]) == ({"email": ["pii"]}, ["ann"], ["Gold"])
    assert [it["id"] for it in run("impact", "--tag", "pii", *target)["affected"]] == [f"{CLEAN}#email"]
    assert [it["id"] for it in run("search", "pii", *target)["items"]] == [CRM]
    assert run("hide", CLEAN, "--until-heard", *target)["hidden"]["until_heard"] is True
    assert run("hide", CLEAN, "--undo", *target)["hidden"] is None
    made = run("edit", "list", CRM, *target)["items"]
    assert [(it["change"], it["by"], it["reason"], it["via"]) for it in made] == [
        ("owner bob denied", who, None, "CLI"),
        ("owner ann added", who, None, "CLI"),
        ("description set", "ann", None, "CLI"),
        ("tag pii added", who, "asked", "CLI"),
    ]
    assert run("edit", "undo", made[-1]["id"], *target)["tags"] == []
    assert run("describe", CRM, "--remove", *target)["description"] is None
    assert run("edit", "list", "--limit", "1", *target)["total"] == 8


def test_wrong(target: tuple[str, str]) -> None:
    assert RUNNER.invoke(app, ["describe", CRM, *target]).exit_code == 2
    assert RUNNER.invoke(app, ["tag", CRM, *target]).exit_code == 2
    assert RUNNER.invoke(app, ["tag", CRM, "x", *target, "-f", "xml"]).exit_code == 2
    answer = RUNNER.invoke(app, ["tag", "nowhere", "x", *target])
    assert "nowhere" in str(answer.exception)
