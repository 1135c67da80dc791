"""What an analysis gives can be written out, sent and read by others."""

import json
import pickle

import pytest
from case_files import Case, cases

from headwater.sql import analyze
from headwater.sql.result import render


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_every_analysis_can_be_written_and_sent(case: Case) -> None:
    analysis = analyze(case.sql, dialect=case.dialect, schema=case.schema, ddl=case.ddl, functions=case.functions)
    json.dumps(render.as_json(analysis))
    json.dumps(analysis.to_openlineage("ns"))
    render.as_dot(analysis.lineage())
    render.as_mermaid(analysis.lineage())
    again = pickle.loads(pickle.dumps(analysis))
    assert again == analysis
    for statement, sent in zip(analysis.statements, again.statements, strict=True):
        assert [edge.expression for edge in statement.columns] == [edge.expression for edge in sent.columns]


def test_the_expression_is_that_which_computes_the_column():
    analysis = analyze(
        "WITH c AS (SELECT UPPER(a) AS b FROM s) INSERT INTO t (x, y) SELECT b, CONCAT(b, '!') FROM c", dialect="spark"
    )
    assert {edge.target_column: edge.expression for edge in analysis.statements[0].columns} == {
        "x": "UPPER(a)",
        "y": "CONCAT(b, '!')",
    }


def test_window_functions_are_written_in_their_dialect():
    analysis = analyze(
        "SELECT window_start FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(ts), INTERVAL '1' HOUR))",
        dialect="flink",
        schema={"bid": ["ts"]},
    )
    assert analysis.statements[0].columns[0].expression == "TUMBLE(TABLE bid, DESCRIPTOR(ts), INTERVAL '1' HOUR)"


def test_openlineage_facet():
    analysis = analyze(
        "CREATE TEMP VIEW v AS SELECT a, md5(b) AS h FROM s WHERE c > 1; INSERT INTO t (x, y) SELECT a, h FROM v",
        dialect="postgres",
    )
    event = analysis.to_openlineage("db://host")
    assert event["inputs"] == [{"namespace": "db://host", "name": "s"}]
    (output,) = event["outputs"]
    facet = output["facets"]["columnLineage"]
    assert facet["fields"]["y"]["inputFields"] == [
        {
            "namespace": "db://host",
            "name": "s",
            "field": "b",
            "transformations": [
                {"type": "DIRECT", "subtype": "TRANSFORMATION", "description": "MD5(b)", "masking": True}
            ],
        }
    ]
    assert [(item["field"], item["transformations"][0]["subtype"]) for item in facet["dataset"]] == [("c", "FILTER")]


@pytest.mark.parametrize(
    ("change", "returned"),
    [("DELETE FROM t WHERE v < 0 RETURNING id", "t"), ("UPDATE t SET v = 0 WHERE v < 0 RETURNING id", "t")],
)
def test_a_change_in_a_with_clause_is_a_statement_of_its_own(change, returned):
    analysis = analyze(f"WITH gone AS ({change}) INSERT INTO log (id) SELECT id FROM gone", dialect="postgres")
    first, second = analysis.statements
    assert (first.kind, first.targets, second.kind) == (change.split(maxsplit=1)[0], ("t",), "INSERT")
    assert (second.sources, second.targets) == ((returned,), ("log",))
    assert [(edge.source_column, edge.target_table) for edge in second.columns] == [("id", "log")]
    assert ("v", "t", "FILTER") in {(edge.source_column, edge.target_table, edge.subtype) for edge in first.columns}


def test_a_change_whose_rows_nobody_reads_feeds_nothing_else():
    gone = "WITH gone AS (DELETE FROM t USING u WHERE t.id = u.id RETURNING t.id) INSERT INTO log SELECT a FROM s"
    delete, insert = analyze(gone, dialect="postgres").statements
    assert (delete.sources, delete.targets) == (("u", "t"), ("t",))
    assert (insert.sources, insert.targets) == (("s",), ("log",))
