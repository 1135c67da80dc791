"""`headwater lineage`, `impact`, `paths` and `diff` in every format, on a folder and on a server."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from headwater.store.sql_store import SqlStore
from tests.cli.test_main import headwater
from tests.conftest import entry_of
from tests.lineage.flows.test_collapsed_jobs import dag, uuid
from tests.lineage.walk.test_lineage import column, event, of_columns, tagged
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


def test_what_is_not_current_is_dim(tmp_path: Path) -> None:
    store = SqlStore(f"sqlite:///{tmp_path}/headwater.db")
    store.open()
    store.write([entry_of(event("load", {name: {}}, {"mart": {}}, number)) for number, name in ((1, "a"), (2, "b"))])
    store.close()
    for form, old in (("tree", "not current"), ("mermaid", "-.->"), ("dot", "dashed")):
        said = headwater("lineage", "mart", "--data", tmp_path, "-f", form).stdout
        assert said.count(old) == 1, form
        assert old not in headwater("lineage", "mart", "--current", "--data", tmp_path, "-f", form).stdout


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
        (("lineage", "stage", "--as-of", "tomorrow"), "is no time; write now, today, yesterday, -30m"),
        (("diff", "-1y"), "No such option: -1"),
        (("diff", "-1d", "soon"), "a date (2026-01-31)"),
        (("diff", "now", "-1d"), "before the earlier"),
        (("diff", "-1d", "--nmae", "x"), "No such option: --nmae"),
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


@pytest.fixture(scope="module")
def dbt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What dbt sent of a shop, and one job of which nothing is known but its columns."""
    folder = tmp_path_factory.mktemp("dbt")
    store = SqlStore(f"sqlite:///{folder}/headwater.db")
    store.open()
    recorded = (Path(__file__).parents[3] / "events" / "recorded" / "dbt.ndjson").read_bytes().splitlines()
    place = "duckdb:///srv/headwater/shop.duckdb"
    untold = {"namespace": place, "name": "shop.analytics.raw_customers", "field": "email"}
    dark = event("dark", {}, {"shop.analytics.dark": of_columns(mail=[untold]) | {"namespace": place}}, 1)
    store.write([entry_of(body) for body in (*recorded, dark)])
    store.close()
    return folder


EMAIL = "shop.analytics.raw_customers#email"


def test_what_dbt_hashes_is_masked(dbt: Path) -> None:
    hashed = ("lineage", "shop.analytics.customer_totals#email_hash", "--direction", "upstream")
    with Server(dbt) as server:
        for where in (("--data", dbt), ("--url", server.url)):
            tree = headwater(*hashed, *where).stdout
            assert "stg_customers#email DIRECT TRANSFORMATION masked MD5(c.email)" in tree, where
            shown = headwater("show", "shop.analytics.customer_totals", *where).stdout
            assert "DIRECT TRANSFORMATION masked MD5(c.email)" in shown
            assert "DIRECT AGGREGATION SUM(amount)" in shown


def test_of_which_columns_masking_is_unknown_is_said(dbt: Path) -> None:
    with Server(dbt) as server:
        for where in (("--data", dbt), ("--url", server.url)):
            for form in ("table", "csv"):
                done = headwater("impact", EMAIL, "--unmasked", *where, "-f", form)
                assert "stg_customers" in done.stdout
                assert "dark" not in done.stdout
                assert "1 column is left out: it is unknown whether values reach them masked" in done.stderr
            listed = headwater("impact", EMAIL, *where).stdout.splitlines()
            assert [line.split()[5] for line in listed if "dark" in line] == ["unknown"]
            tree = headwater("lineage", EMAIL, "--unmasked", *where)
            assert "1 column is left out" in tree.stderr
            assert "masking unknown" in headwater("lineage", EMAIL, *where).stdout
        sides = server.get("/api/v2/lineage", name=EMAIL, masked="false").json()["downstream"]
        assert sides["masking_unknown"] == 1
        assert {node["name"] for node in sides["nodes"] if node["depth"]} == {"shop.analytics.stg_customers"}


@pytest.fixture(scope="module")
def flipping(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A job that made its target from another source on each of two days."""
    folder = tmp_path_factory.mktemp("flipping")
    store = SqlStore(f"sqlite:///{folder}/headwater.db")
    store.open()
    store.write([entry_of(event("flip", {source: {}}, {"t": {}}, second)) for second, source in ((1, "a"), (2, "b"))])
    store.close()
    return folder


def test_what_is_not_current_is_dimmed_or_left_out(flipping: Path) -> None:
    tree = headwater("lineage", "t", "--data", flipping).stdout
    assert ":a not current, last seen 2026-02-01" in tree
    assert ":b\n" in tree
    only = json.loads(headwater("lineage", "t", "--current", "--data", flipping, "-f", "json").stdout)
    assert [node["name"] for node in only["upstream"]["nodes"]] == ["t", "flip", "b"]
    done = headwater("lineage", "t", "--current", "--as-of", TIMES[0], "--data", flipping)
    assert done.returncode != 0
    assert "Give one or the other" in done.stderr
    with Server(flipping) as server:
        there = headwater("lineage", "t", "--current", "--url", server.url, "-f", "json")
        assert json.loads(there.stdout) == only


@pytest.fixture(scope="module")
def airflow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("airflow")
    store = SqlStore(f"sqlite:///{folder}/headwater.db")
    store.open()
    store.write([entry_of(body) for body in dag()])
    store.close()
    return folder


@pytest.mark.parametrize("start", ["job:airflow:daily", f"run:{uuid(1)}"])
def test_a_dag_folded_and_unfolded_on_a_folder_and_on_a_server(airflow: Path, start: str) -> None:
    folded = headwater("lineage", start, "--data", airflow)
    assert "2 parts, 1 dataset between them (--unfold shows them)" in folded.stdout
    assert "stage" not in folded.stdout
    unfolded = headwater("lineage", start, "--data", airflow, "--unfold")
    assert "stage" in unfolded.stdout
    assert "between them" not in unfolded.stdout
    with Server(airflow) as server:
        for options in ((), ("--unfold",)):
            local = headwater("lineage", start, "--data", airflow, "-f", "json", *options)
            asked = headwater("lineage", start, "--url", server.url, "-f", "json", *options)
            assert json.loads(asked.stdout) == json.loads(local.stdout)
