"""`headwater sql` on the command line."""

import json

import pytest
import typer
from typer.testing import CliRunner

from headwater.cli.sql import register

SQL = "INSERT INTO t (x) SELECT UPPER(a) FROM s WHERE b > 1"


@pytest.fixture
def run():
    app = typer.Typer()
    register(app)
    app.command("other")(lambda: None)
    runner = CliRunner()
    return lambda *arguments, **options: runner.invoke(app, ["sql", *arguments], **options)


def test_table(run):
    result = run(SQL, "--dialect", "spark")
    assert result.exit_code == 0
    assert [part in result.output for part in ("source table", "UPPER(a)", "transformation")] == [True] * 3


def test_rows_are_shown_when_asked_for(run):
    assert "filter" not in run(SQL, "-d", "spark").output
    assert "filter" in run(SQL, "-d", "spark", "--indirect").output


def test_json(run):
    shown = json.loads(run(SQL, "-d", "spark", "--format", "json").output)
    assert shown["statements"][0]["columns"][0] == {
        "source_table": "s",
        "source_column": "a",
        "target_table": "t",
        "target_column": "x",
        "type": "DIRECT",
        "subtype": "TRANSFORMATION",
        "masking": False,
        "expression": "UPPER(a)",
    }


def test_openlineage(run):
    shown = json.loads(run(SQL, "-d", "spark", "-f", "openlineage").output)
    facet = shown["outputs"][0]["facets"]["columnLineage"]
    assert facet["fields"]["x"]["inputFields"][0]["field"] == "a"
    assert facet["dataset"][0]["transformations"][0]["subtype"] == "FILTER"


@pytest.mark.parametrize(("output", "start"), [("mermaid", "flowchart LR"), ("dot", "digraph lineage {")])
def test_graphs(run, output, start):
    result = run(SQL, "-d", "spark", "-f", output)
    assert result.output.startswith(start)
    assert "transformation" in result.output


def test_file_schema_and_ddl(run, tmp_path):
    (tmp_path / "q.sql").write_text("INSERT INTO t SELECT * FROM v")
    (tmp_path / "s.json").write_text(json.dumps({"t": ["p"], "s": {"a": "INT"}}))
    (tmp_path / "d.sql").write_text("CREATE VIEW v AS SELECT a FROM s")
    result = run(
        str(tmp_path / "q.sql"), "--schema", str(tmp_path / "s.json"), "--ddl", str(tmp_path / "d.sql"), "-f", "json"
    )
    edge = json.loads(result.output)["statements"][0]["columns"][0]
    assert (edge["source_table"], edge["source_column"], edge["target_column"]) == ("s", "a", "p")


def test_standard_input(run):
    assert "UPPER(a)" in run("-", "-d", "spark", input=SQL).output


def test_an_error_has_its_place_and_exit_code_one(run):
    result = run("SELECT a FROM t;\nSELECT b FROM (", "-d", "postgres")
    assert result.exit_code == 1
    assert "line 2" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [("SELECT 1 FROM t", "-d", "klingon"), ("SELECT 1 FROM t", "-f", "xml"), ("missing.sql",)],
)
def test_what_cannot_be_done_is_said(run, arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("headwater sql: ")
