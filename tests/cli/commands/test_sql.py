"""`headwater sql` on the command line."""

import json

import pytest
import typer
from typer.testing import CliRunner

from headwater.cli.commands.sql import register

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


def test_a_lone_view_and_a_lone_temporary_table_are_shown(run):
    for made in ("VIEW", "MATERIALIZED VIEW", "TEMP TABLE"):
        shown = run(f"CREATE {made} v AS SELECT a, md5(b) AS h FROM s", "-d", "postgres").output
        assert [word in shown for word in ("MD5(b)", "masked", "none")] == [True, True, False]


def test_without_a_dialect_it_is_guessed_and_named(run):
    sql = "SELECT a FROM t LATERAL VIEW explode(b) x AS c"
    assert json.loads(run(sql, "-f", "json").output)["dialect"] == "spark"
    shown = run(sql)
    assert "read as spark" in shown.stderr
    assert "LATERAL VIEW" in shown.stderr
    assert "guess" not in run("SELECT a FROM t", "-d", "ansi").stderr


def test_a_poor_guess_is_said_and_nothing_shown(run):
    shown = run('SELECT "a" FROM `t`')
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert all(name in shown.stderr for name in ("spark", "clickhouse", "--dialect"))


@pytest.mark.parametrize("options", [("-d", "postgres"), (), ("-d", "postgres", "-f", "openlineage")])
@pytest.mark.parametrize(
    ("text", "place"),
    [("SELECT a FROM {{ ref('t') }}", "column 15"), ("SELECT a\nFROM ${db}.t; SELECT b FROM u", "line 2, column 6")],
)
def test_a_template_is_said_and_nothing_shown(run, text, place, options):
    shown = run(text, *options)
    assert (shown.exit_code, shown.stdout) == (1, "")
    assert place in shown.stderr
    assert "template" in shown.stderr


def test_a_template_in_a_string_or_comment_changes_nothing(run):
    shown = run("SELECT a FROM t WHERE d = '{{ ds }}' -- ${x}", "-d", "postgres")
    assert shown.exit_code == 0
    assert "identity" in shown.stdout
    in_double_quotes = 'SELECT a FROM "${t}"'
    assert run(in_double_quotes, "-d", "postgres").exit_code == 1
    assert run('SELECT a FROM t WHERE d = "${t}"', "-d", "spark").exit_code == 0


@pytest.mark.parametrize("length", [250, 261, 5_000])
def test_a_statement_of_any_length_is_no_file(run, length):
    text = f"SELECT {'a' * (length - 14)} FROM t"
    assert len(text) == length
    assert "identity" in run(text, "-d", "ansi").stdout.replace("\n", "")


def test_a_name_too_long_for_a_file_is_said(run):
    shown = run("a" * 300)
    assert (shown.exit_code, "cannot be read" in shown.stderr) == (2, True)


@pytest.mark.parametrize("output", ["json", "openlineage", "mermaid", "dot", "table"])
def test_without_what_is_indirect(run, output):
    sql = "INSERT INTO t (x) SELECT CASE WHEN c THEN a END FROM s WHERE b > 1"
    without = run(sql, "-d", "spark", "-f", output, "--no-indirect").stdout.lower()
    assert "transformation" in without or "identity" in without
    assert [word in without for word in ("filter", "conditional")] == [False, False]
    assert "filter" in run(sql, "-d", "spark", "-f", output, "--indirect").stdout.lower() or output in (
        "mermaid",
        "dot",
    )


def test_by_default_rows_are_in_json_and_not_in_the_table(run):
    assert "FILTER" in run(SQL, "-d", "spark", "-f", "json").stdout
    assert "filter" not in run(SQL, "-d", "spark").stdout


def test_what_the_set_up_does_not_define_is_named(run, tmp_path):
    (tmp_path / "d.sql").write_text(
        "CREATE TABLE s (a INT, p STRUCT<x: INT>); CREATE TABLE t (x INT, y INT); CREATE FUNCTION mine(i INT) AS 'x';"
    )
    sql = "INSERT INTO t (x, z) SELECT mine(nope), risk_score(a) FROM s; INSERT INTO t SELECT q, p.x FROM other, s"
    shown = run(sql, "--ddl", str(tmp_path / "d.sql"), "-d", "spark")
    for word in ("nope", "risk_score", "other", "t has no column z"):
        assert word in shown.stderr.replace("\n", " ")
    assert "mine is" not in shown.stderr
    edges = {
        (edge["source_column"], edge["target_column"]): edge.get("certain", True)
        for statement in json.loads(run(sql, "--ddl", str(tmp_path / "d.sql"), "-d", "spark", "-f", "json").stdout)[
            "statements"
        ]
        for edge in statement["columns"]
    }
    assert (edges["nope", "x"], edges["a", "z"], edges["p.x", "y"]) == (False, False, True)
    assert "not certain" in " ".join(shown.stdout.split())
    sent = run(sql, "--ddl", str(tmp_path / "d.sql"), "-d", "spark", "-f", "openlineage").stdout
    assert ("nope" in sent, '"z"' in sent) == (False, False)
    assert "not certain" not in run("SELECT nope FROM s", "-d", "spark").stdout
    assert "undefined" not in run(sql, "-d", "spark").stderr


FLINK = """
CREATE TABLE orders (id INT, total DECIMAL(10, 2)) WITH ({source});
CREATE TABLE sink (id INT, total DECIMAL(10, 2)) WITH ('connector' = 'filesystem', 'path' = 's3://lake/raw/orders');
INSERT INTO sink SELECT id, total FROM orders;
"""


@pytest.mark.parametrize(
    ("options", "namespace", "name"),
    [
        (
            {"connector": "mysql-cdc", "hostname": "db1", "database-name": "shop", "table-name": "orders"},
            "mysql://db1:3306",
            "shop.orders",
        ),
        (
            {
                "connector": "postgres-cdc",
                "hostname": "db1",
                "port": "5433",
                "database-name": "shop",
                "schema-name": "public",
                "table-name": "orders",
            },
            "postgres://db1:5433",
            "shop.public.orders",
        ),
        (
            {"connector": "kafka", "topic": "orders.v1", "properties.bootstrap.servers": "k1:9092,k2:9092"},
            "kafka://k1:9092",
            "orders.v1",
        ),
        (
            {"connector": "jdbc", "url": "jdbc:postgresql://db1:5432/shop?ssl=true", "table-name": "orders"},
            "postgres://db1:5432",
            "shop.public.orders",
        ),
        ({"connector": "filesystem", "path": "hdfs://nn:8020/raw/orders/"}, "hdfs://nn:8020", "/raw/orders"),
        ({"connector": "filesystem", "path": "file:///tmp/orders"}, "file", "/tmp/orders"),
        ({"connector": "datagen"}, "default", "orders"),
    ],
)
def test_flink_connectors_name_the_dataset(run, options, namespace, name):
    source = ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
    sent = json.loads(run(FLINK.format(source=source), "-f", "openlineage").stdout)
    assert sent["inputs"] == [{"namespace": namespace, "name": name}]
    (output,) = sent["outputs"]
    assert (output["namespace"], output["name"]) == ("s3://lake", "raw/orders")
    (field,) = output["facets"]["columnLineage"]["fields"]["total"]["inputFields"]
    assert (field["namespace"], field["name"], field["field"]) == (namespace, name, "total")


def test_a_flink_table_like_another_is_where_its_own_options_say(run):
    like = "CREATE TABLE two WITH ('topic' = 'second') LIKE orders; INSERT INTO two SELECT * FROM orders;"
    source = "'connector' = 'kafka', 'topic' = 'first', 'properties.bootstrap.servers' = 'k:9092'"
    sent = json.loads(run(FLINK.format(source=source) + like, "-d", "flink", "-f", "openlineage").stdout)
    assert {output["name"] for output in sent["outputs"]} == {"raw/orders", "second"}
