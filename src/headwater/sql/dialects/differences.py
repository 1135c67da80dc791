"""Differences between dialects: one row per dialect."""

from __future__ import annotations

from enum import Enum, Flag, auto
from typing import NamedTuple

__all__ = ["DIFFERENCES", "DialectDifferences", "Feature", "Naming", "Transparent"]


class Feature(Flag):
    """A feature that only some dialects have."""

    STRUCTS = auto()
    """`a.b` may be the field b of the column a."""
    LATERAL_ALIASES = auto()
    """An alias may be used by the projections after it."""
    LAMBDAS = auto()
    """`x -> f(x)` is a function; elsewhere the arrow takes a field out of JSON."""
    IMPLICIT_RECURSION = auto()
    """A CTE may read itself without the word RECURSIVE."""
    USE_NAMES_CATALOG = auto()
    """`USE x` names a catalog (database), not a schema."""
    TABLE_ARGUMENTS = auto()
    """A query as an argument of a table function is a table."""
    WHOLE_ROW_ALIAS = auto()
    """The alias of an UNNEST names the whole row, also where columns are named."""
    PATTERN_COLUMNS = auto()
    """A quoted column may be a regular expression of columns."""
    STAGED_COLUMNS = auto()
    """`$1` is the first column of a staged file."""
    STAR_COUNTS_COLUMNS = auto()
    """A generated name counts the columns that come out; elsewhere a star is one item."""
    GENERATOR_COLUMNS = auto()
    """A generator in the SELECT list names its own columns."""
    COLUMNS_FUNCTION = auto()
    """`MIN(COLUMNS(*))` is one expression for each column."""
    ORACLE_CONSTANTS = auto()
    """Oracle's own words, such as SYSDATE, are no columns."""
    STRICT_INSERT = auto()
    """Another number of columns than the target has is an error."""
    SHORT_INSERT = auto()
    """An INSERT may fill only the first columns."""
    INTO_VARIABLE = auto()
    """SELECT .. INTO always fills a variable."""
    INTO_TABLE = auto()
    """SELECT .. INTO makes a table, in routines too."""
    PARTITION_FUNCTIONS = auto()
    """Functions move partitions between tables."""
    CONNECTORS = auto()
    """The options of a table name the dataset behind it."""
    APPENDED_COLUMNS = auto()
    """CREATE TABLE (columns) AS appends the query's columns."""
    BATCHES = auto()
    """GO separates batches, and T-SQL's other syntax."""
    UNLOAD = auto()
    """UNLOAD is tokenized as in Trino."""
    TAGS = auto()
    """Views and tables have tags and policies."""
    REPLACE_INTO = auto()
    """REPLACE INTO is an INSERT."""
    FORMAT_INSERT = auto()
    """INSERT .. FORMAT has its rows outside of the statement."""
    DICTIONARIES = auto()
    """Functions look values up in dictionaries, which are named like tables."""
    PHRASES = auto()
    """(TITLE '..') and the like stand behind columns."""


class Naming(Enum):
    """Name of a column of a query that was given none."""

    HIVE = auto()
    """`_c0`, by the position of the item."""
    EXPRESSION_NUMBER = auto()
    """`EXPR$0`."""
    COLUMN_NUMBER = auto()
    """`_col0`."""
    UNNAMED_NUMBER = auto()
    """`f0_`, by the columns without a name so far."""
    NUMBER = auto()
    """`1`."""
    POSTGRES = auto()
    """The name of the function or type."""
    AS_WRITTEN = auto()
    """The text of the expression."""
    UPPER_CASE = auto()
    """The text in upper case."""
    ORACLE = auto()
    """The text in upper case without blanks."""
    SPARK = auto()
    """The text as Spark writes it out."""
    DUCKDB = auto()
    """The text as DuckDB writes it out."""
    CLICKHOUSE = auto()
    """The text as ClickHouse writes it out."""


class Transparent(Enum):
    """A wrapper around a column that does not change its name."""

    PARENTHESES = auto()
    CASTS = auto()
    """Parentheses and casts."""
    ANYTHING = auto()
    """Parentheses, casts and subqueries."""


class DialectDifferences(NamedTuple):
    """One dialect."""

    grammar: str
    """The parser's dialect; empty for the standard."""
    naming: Naming
    transparent: Transparent
    features: Feature


F, N, T = Feature, Naming, Transparent
DIFFERENCES = {
    "ansi": DialectDifferences("", N.HIVE, T.ANYTHING, F.STRUCTS | F.LAMBDAS),
    "athena": DialectDifferences(
        "athena", N.COLUMN_NUMBER, T.PARENTHESES, F.STRUCTS | F.LAMBDAS | F.STAR_COUNTS_COLUMNS | F.UNLOAD
    ),
    "bigquery": DialectDifferences("bigquery", N.UNNAMED_NUMBER, T.PARENTHESES, F.STRUCTS | F.WHOLE_ROW_ALIAS),
    "clickhouse": DialectDifferences(
        "clickhouse",
        N.CLICKHOUSE,
        T.PARENTHESES,
        F.STRUCTS | F.LATERAL_ALIASES | F.LAMBDAS | F.COLUMNS_FUNCTION | F.FORMAT_INSERT | F.DICTIONARIES,
    ),
    "databricks": DialectDifferences(
        "databricks",
        N.SPARK,
        T.CASTS,
        F.STRUCTS | F.LATERAL_ALIASES | F.LAMBDAS | F.PATTERN_COLUMNS | F.GENERATOR_COLUMNS,
    ),
    "db2": DialectDifferences("", N.NUMBER, T.ANYTHING, F.IMPLICIT_RECURSION),
    "doris": DialectDifferences("doris", N.AS_WRITTEN, T.PARENTHESES, F.STRUCTS | F.LAMBDAS | F.REPLACE_INTO),
    "dremio": DialectDifferences(
        "dremio", N.EXPRESSION_NUMBER, T.PARENTHESES, F.STRUCTS | F.LAMBDAS | F.STAR_COUNTS_COLUMNS
    ),
    "drill": DialectDifferences("drill", N.EXPRESSION_NUMBER, T.PARENTHESES, F.STRUCTS | F.STAR_COUNTS_COLUMNS),
    "druid": DialectDifferences("druid", N.EXPRESSION_NUMBER, T.PARENTHESES, F.STAR_COUNTS_COLUMNS),
    "duckdb": DialectDifferences(
        "duckdb",
        N.DUCKDB,
        T.PARENTHESES,
        F.STRUCTS | F.LATERAL_ALIASES | F.LAMBDAS | F.COLUMNS_FUNCTION | F.SHORT_INSERT,
    ),
    "dune": DialectDifferences("dune", N.COLUMN_NUMBER, T.PARENTHESES, F.STAR_COUNTS_COLUMNS),
    "exasol": DialectDifferences(
        "exasol", N.UPPER_CASE, T.PARENTHESES, F.LATERAL_ALIASES | F.LAMBDAS | F.IMPLICIT_RECURSION
    ),
    "fabric": DialectDifferences(
        "fabric", N.HIVE, T.ANYTHING, F.IMPLICIT_RECURSION | F.USE_NAMES_CATALOG | F.INTO_TABLE | F.BATCHES
    ),
    "flink": DialectDifferences(
        "flink",
        N.EXPRESSION_NUMBER,
        T.PARENTHESES,
        F.STRUCTS | F.TABLE_ARGUMENTS | F.STAR_COUNTS_COLUMNS | F.STRICT_INSERT | F.CONNECTORS,
    ),
    "greenplum": DialectDifferences("postgres", N.POSTGRES, T.ANYTHING, F.SHORT_INSERT),
    "hive": DialectDifferences(
        "hive", N.HIVE, T.PARENTHESES, F.STRUCTS | F.LAMBDAS | F.PATTERN_COLUMNS | F.GENERATOR_COLUMNS
    ),
    "impala": DialectDifferences("hive", N.HIVE, T.PARENTHESES, F.STRUCTS | F.LAMBDAS),
    "mariadb": DialectDifferences(
        "mysql", N.AS_WRITTEN, T.PARENTHESES, F.INTO_VARIABLE | F.APPENDED_COLUMNS | F.REPLACE_INTO
    ),
    "materialize": DialectDifferences("materialize", N.POSTGRES, T.ANYTHING, F.STRUCTS),
    "mssql": DialectDifferences("tsql", N.HIVE, T.ANYTHING, F.IMPLICIT_RECURSION | F.USE_NAMES_CATALOG | F.BATCHES),
    "mysql": DialectDifferences(
        "mysql", N.AS_WRITTEN, T.PARENTHESES, F.INTO_VARIABLE | F.APPENDED_COLUMNS | F.REPLACE_INTO
    ),
    "netezza": DialectDifferences("postgres", N.POSTGRES, T.ANYTHING, F(0)),
    "oracle": DialectDifferences(
        "oracle", N.ORACLE, T.PARENTHESES, F.IMPLICIT_RECURSION | F.ORACLE_CONSTANTS | F.INTO_VARIABLE
    ),
    "postgres": DialectDifferences("postgres", N.POSTGRES, T.ANYTHING, F.SHORT_INSERT),
    "postgresql": DialectDifferences("postgres", N.POSTGRES, T.ANYTHING, F(0)),
    "presto": DialectDifferences(
        "presto", N.COLUMN_NUMBER, T.PARENTHESES, F.STRUCTS | F.LAMBDAS | F.STAR_COUNTS_COLUMNS
    ),
    "redshift": DialectDifferences("redshift", N.POSTGRES, T.ANYTHING, F.STRUCTS | F.LATERAL_ALIASES | F.SHORT_INSERT),
    "risingwave": DialectDifferences("risingwave", N.POSTGRES, T.ANYTHING, F.STRUCTS),
    "singlestore": DialectDifferences("singlestore", N.AS_WRITTEN, T.PARENTHESES, F.REPLACE_INTO),
    "snowflake": DialectDifferences(
        "snowflake",
        N.UPPER_CASE,
        T.PARENTHESES,
        F.STRUCTS
        | F.LATERAL_ALIASES
        | F.LAMBDAS
        | F.IMPLICIT_RECURSION
        | F.USE_NAMES_CATALOG
        | F.STAGED_COLUMNS
        | F.TAGS,
    ),
    "spark": DialectDifferences(
        "spark", N.SPARK, T.CASTS, F.STRUCTS | F.LATERAL_ALIASES | F.LAMBDAS | F.PATTERN_COLUMNS | F.GENERATOR_COLUMNS
    ),
    "spark2": DialectDifferences("spark2", N.SPARK, T.CASTS, F.STRUCTS | F.LAMBDAS | F.GENERATOR_COLUMNS),
    "sparksql": DialectDifferences("spark", N.SPARK, T.CASTS, F.STRUCTS | F.LATERAL_ALIASES | F.LAMBDAS),
    "sqlite": DialectDifferences("sqlite", N.AS_WRITTEN, T.PARENTHESES, F.REPLACE_INTO),
    "sqlserver": DialectDifferences("tsql", N.HIVE, T.ANYTHING, F.IMPLICIT_RECURSION | F.USE_NAMES_CATALOG | F.BATCHES),
    "starrocks": DialectDifferences("starrocks", N.AS_WRITTEN, T.PARENTHESES, F.STRUCTS | F.LAMBDAS | F.REPLACE_INTO),
    "teradata": DialectDifferences("teradata", N.AS_WRITTEN, T.PARENTHESES, F.LATERAL_ALIASES | F.PHRASES),
    "trino": DialectDifferences("trino", N.COLUMN_NUMBER, T.PARENTHESES, F.STRUCTS | F.LAMBDAS | F.STAR_COUNTS_COLUMNS),
    "tsql": DialectDifferences(
        "tsql", N.HIVE, T.ANYTHING, F.IMPLICIT_RECURSION | F.USE_NAMES_CATALOG | F.INTO_TABLE | F.BATCHES
    ),
    "vertica": DialectDifferences("postgres", N.POSTGRES, T.ANYTHING, F.PARTITION_FUNCTIONS),
}
"""By every name that `analyze` takes."""
