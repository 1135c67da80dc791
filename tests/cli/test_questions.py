"""`headwater lineage`, `impact`, `paths` and `diff` in every format, on a folder and on a server."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from headwater.store.sql import SqlStore
from tests.cli.test_cli import headwater
from tests.conftest import entry_of
from tests.lineage.test_questions import column, event, of_columns, tagged
from tests.server import Server

TIMES = ("2026-02-01T00:00:01Z", "2026-02-01T00:00:03Z")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    store = SqlStore(f"sqlite:///{folder}/headwater.db")
    store.open()
    load = of_columns(email=[column("customers", "email", "TRANSFORMATION", masking=True)])
    bodies = [event("load", {"customers": {}}, {"stage": load}, 1), event("publish", {"stage": {}}, {"mart": {}}, 2)]
    store.write([entry_of(body) for body in bodies])
    store.close()
    return folder


QUESTIONS = (("lineage", "stage"), ("paths", "customers", "mart"), ("diff", *TIMES))


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question[0])
def test_every_format(data: Path, question: tuple[str, ...]) -> None:
    found = {}
    for form in ("tree", "table", "json", "csv", "mermaid", "dot"):
        done = headwater(*question, "--data", data, "-f", form)
        assert done.returncode == 0, done.stderr
        assert "mart" in done.stdout, form
        found[form] = done.stdout
    assert json.loads(found["json"])
    assert len(list(csv.DictReader(io.StringIO(found["csv"])))) > 1
    assert found["mermaid"].startswith("flowchart LR")
    assert found["dot"].startswith("digraph")


def test_impact(data: Path) -> None:
    assert "load" in headwater("impact", "customers", "--data", data).stdout
    done = headwater("impact", "customers#email", "--data", data, "-f", "csv")
    (row,) = csv.DictReader(io.StringIO(done.stdout))
    assert (row["column"], row["masked"], row["distance"]) == ("email", "True", "1")
    assert headwater("impact", "customers#email", "--unmasked", "--data", data, "-f", "json").returncode == 0
    assert "Either `name` or `tag`" in headwater("impact", "--data", data).stderr


@pytest.mark.parametrize(
    ("option", "expected"), [("--unmasked", {"bare"}), ("--masked", {"hidden"}), (None, {"bare", "hidden", "filtered"})]
)
def test_impact_of_a_tag(tmp_path: Path, option: str | None, expected: set[str]) -> None:
    """A column that is only used in a filter holds no value of it, masked or not."""
    said = of_columns(
        bare=[column("people", "secret")],
        hidden=[column("people", "secret", "TRANSFORMATION", masking=True)],
        filtered=[column("people", "id"), column("people", "secret", "FILTER", kind="INDIRECT")],
    )
    store = SqlStore(f"sqlite:///{tmp_path}/headwater.db")
    store.open()
    store.write([entry_of(event("load", {"people": tagged("pii", "secret")}, {"mart": said}, 1))])
    store.close()
    done = headwater("impact", "--tag", "pii", *([option] if option else []), "--data", tmp_path, "-f", "csv")
    assert {row["column"] for row in csv.DictReader(io.StringIO(done.stdout))} == expected


def test_the_same_from_a_server(data: Path) -> None:
    with Server(data) as server:
        for question in (*QUESTIONS, ("impact", "customers", "--columns"), ("lineage", "stage#email", "--masked")):
            there = headwater(*question, "--url", server.url, "-f", "json")
            assert there.returncode == 0, there.stderr
            assert json.loads(there.stdout) == json.loads(headwater(*question, "--data", data, "-f", "json").stdout)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("lineage", "stage", "-f", "xml"), "neither"),
        (("lineage", "stage", "--as-of", "yesterday"), "is no time"),
        (("lineage", "stage", "--symlinks", "eat"), "neither hide nor keep"),
        (("lineage", "stage", "--granularity", "atom"), "no granularity"),
        (("diff", TIMES[1], TIMES[0]), "before the earlier"),
        (("paths", "stage", "nowhere"), "Nothing is called"),
    ],
)
def test_wrong_arguments(data: Path, arguments: tuple[str, ...], said: str) -> None:
    done = headwater(*arguments, "--data", data)
    assert done.returncode in (1, 2)
    assert said in done.stderr
    assert "Traceback" not in done.stderr
