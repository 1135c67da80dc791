"""What a query is wrapped in does not change where its columns come from."""

from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.sql import analyze

SCHEMA = {"t": ["a", "b", "c"], "u": ["a", "d", "e"], "v": ["c", "e", "f"]}
DIALECTS = ("postgres", "spark", "snowflake", "bigquery", "trino", "tsql", "flink", "duckdb", "mysql", "oracle")

columns = st.sampled_from(["{x}.a", "{x}.b", "{x}.c", "{y}.a", "{y}.d", "{y}.e"])
expressions = st.recursive(
    columns,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]} + {pair[1]})"),
        inner.map(lambda value: f"COALESCE({value}, 0)"),
        st.tuples(inner, inner, inner).map(
            lambda three: f"CASE WHEN {three[0]} > 1 THEN {three[1]} ELSE {three[2]} END"
        ),
        st.tuples(inner, columns).map(lambda pair: f"MAX({pair[0]}) OVER (PARTITION BY {pair[1]})"),
        inner.map(lambda value: f"(SELECT MAX(v.f) FROM v WHERE v.c = {value})"),
    ),
    max_leaves=5,
)


@st.composite
def queries(draw):
    """A query over two tables with placeholders for their aliases."""
    projections = draw(st.lists(expressions, min_size=1, max_size=4))
    listed = ", ".join(f"{expression} AS o{place}" for place, expression in enumerate(projections))
    condition = draw(st.sampled_from(["", " WHERE {x}.b > 1", " WHERE {y}.d IN (SELECT v.e FROM v)"]))
    return f"SELECT {listed} FROM t {{x}} JOIN u {{y}} ON {{x}}.a = {{y}}.a{condition}"


def edges(sql, dialect):
    analysis = analyze(sql, dialect=dialect, schema=SCHEMA)
    assert not analysis.failed, analysis.diagnostics
    return {
        (edge.source_table, edge.source_column, (edge.target_column or "").lower(), edge.type, edge.subtype)
        for statement in analysis.statements
        for edge in statement.columns
    }


def named(query, x="x", y="y"):
    return query.replace("{x}", x).replace("{y}", y)


@settings(max_examples=150)
@given(queries(), st.sampled_from(DIALECTS))
def test_unused_ctes_change_nothing(query, dialect):
    plain = named(query)
    assert edges(f"WITH idle AS (SELECT c FROM v), other AS (SELECT * FROM idle) {plain}", dialect) == edges(
        plain, dialect
    )


@settings(max_examples=150)
@given(queries(), st.sampled_from(DIALECTS), st.sampled_from([("p", "q"), ("u", "t"), ("T1", "T2")]))
def test_names_of_aliases_change_nothing(query, dialect, aliases):
    assert edges(named(query, *aliases), dialect) == edges(named(query), dialect)


@settings(max_examples=150)
@given(queries(), st.sampled_from(DIALECTS), st.integers(1, 3))
def test_wrapping_changes_nothing(query, dialect, times):
    plain = named(query)
    wrapped = plain
    for level in range(times):
        wrapped = f"SELECT * FROM ({wrapped}) w{level}"
    assert edges(wrapped, dialect) == edges(plain, dialect)


@settings(max_examples=100)
@given(queries(), st.sampled_from(DIALECTS))
def test_a_cte_is_a_subquery(query, dialect):
    plain = named(query)
    assert edges(f"WITH w AS ({plain}) SELECT * FROM w", dialect) == edges(plain, dialect)


@settings(max_examples=100)
@given(queries(), st.sampled_from(DIALECTS))
def test_a_view_seen_through_is_a_subquery(query, dialect):
    plain = named(query)
    analysis = analyze(f"CREATE VIEW w AS {plain}; INSERT INTO z SELECT * FROM w", dialect=dialect, schema=SCHEMA)
    whole = {
        (edge.source_table, edge.source_column, (edge.target_column or "").lower(), edge.type, edge.subtype)
        for edge in analysis.lineage().columns
    }
    assert whole == edges(plain, dialect)
