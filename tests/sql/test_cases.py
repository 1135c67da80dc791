"""Every case file under `cases/` gives exactly the edges that it lists."""

import pytest
from case_files import Case, cases

from headwater.sql import Analysis, analyze

COUNTED = ("WINDOW", "CONDITIONAL")


def analysed(case: Case) -> Analysis:
    return analyze(
        case.sql,
        dialect=case.dialect,
        schema=case.schema,
        ddl=case.ddl,
        functions=case.functions,
        default_catalog=case.catalog,
        default_db=case.database,
    )


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_case(case: Case) -> None:
    analysis = analysed(case)
    whole = analysis.lineage()
    edges = whole.columns if case.whole else [edge for statement in analysis.statements for edge in statement.columns]
    problems = [diagnostic for diagnostic in analysis.diagnostics if diagnostic.severity == "error"]
    if case.codes is None:
        assert not problems
    else:
        assert {diagnostic.code for diagnostic in analysis.diagnostics} == case.codes
    if case.edges is not None:
        with_subtype = any(edge[4] for edge in case.edges)
        found = {
            (
                edge.source_table,
                edge.source_column,
                edge.target_table,
                edge.target_column,
                edge.subtype if with_subtype else None,
            )
            for edge in edges
            if edge.target_column is not None and (edge.type == "DIRECT" or edge.subtype in COUNTED)
        }
        assert sorted(map(str, found)) == sorted(map(str, case.edges))
    if case.sources is not None:
        assert {name for statement in analysis.statements for name in statement.sources} == case.sources
    if case.targets is not None:
        assert {name for statement in analysis.statements for name in statement.targets} == case.targets
