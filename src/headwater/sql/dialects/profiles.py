"""The dialects by name, and the few rules of each that decide how names are read."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from sqlglot.dialects.dialect import Dialect, NormalizationStrategy

from headwater.sql.dialects.flink import Flink
from headwater.sql.errors import UnknownDialect

__all__ = ["DIALECTS", "Profile", "profile_of"]


def _as_written(text: str) -> str:
    return text


@dataclass(frozen=True, slots=True)
class Profile:
    """What the walk needs to know of a dialect beyond its grammar."""

    name: str
    dialect: Dialect
    fold: Callable[[str], str]
    """How an unquoted identifier is stored."""
    structs: bool
    """`a.b` may be the field b of the column a."""
    lateral_aliases: bool
    """An alias may be used by the projections after it."""
    lambdas: bool
    """`x -> f(x)` is a function; elsewhere the arrow takes a field out of JSON."""
    implicit_recursion: bool
    """A CTE may read itself without the word RECURSIVE."""
    use_names_catalog: bool
    """`USE x` names a catalog (database), not a schema."""
    double_quotes_strings: bool
    """Double quotes hold a string, not a name."""


_SAME_AS = {
    "ansi": "",
    "mariadb": "mysql",
    "greenplum": "postgres",
    "db2": "db2",
    "vertica": "postgres",
    "sparksql": "spark",
    "postgresql": "postgres",
    "mssql": "tsql",
    "sqlserver": "tsql",
    "impala": "hive",
    "netezza": "postgres",
    "flink": "flink",
}
_STRUCTS = {
    *("athena", "bigquery", "clickhouse", "databricks", "duckdb", "flink", "hive", "presto", "spark", "spark2"),
    *("trino", "snowflake", "redshift", "risingwave", "starrocks", "doris", "drill", "dremio", "", "materialize"),
}
_LATERAL_ALIASES = {"clickhouse", "databricks", "duckdb", "redshift", "snowflake", "spark", "teradata", "exasol"}
_LAMBDAS = {
    *("athena", "clickhouse", "databricks", "doris", "duckdb", "presto", "snowflake", "spark", "starrocks", "trino"),
    *("hive", "spark2", "", "dremio", "exasol"),
}
_IMPLICIT_RECURSION = {"tsql", "oracle", "snowflake", "db2", "fabric", "exasol"}
_USE_NAMES_CATALOG = {"tsql", "fabric", "snowflake"}

DIALECTS = tuple(
    sorted(
        {
            *_SAME_AS,
            *("athena", "bigquery", "clickhouse", "databricks", "doris", "dremio", "drill", "druid", "duckdb", "dune"),
            *("exasol", "fabric", "hive", "materialize", "mysql", "oracle", "postgres", "presto", "redshift"),
            *("risingwave", "singlestore", "snowflake", "spark", "spark2", "sqlite", "starrocks", "teradata", "trino"),
            "tsql",
        }
    )
)
"""Every name that `analyze` takes."""


@lru_cache(maxsize=64)
def profile_of(name: str) -> Profile:
    """Find a dialect by any of its names.

    >>> profile_of("MariaDB").dialect.__class__.__name__
    'MySQL'
    """
    key = name.casefold()
    if key not in DIALECTS:
        raise UnknownDialect(name, DIALECTS)
    base = _SAME_AS.get(key, key)
    dialect = Flink() if base == "flink" else Dialect.get_or_raise("" if base == "db2" else base)
    strategy = dialect.normalization_strategy
    fold: Callable[[str], str] = _as_written
    if key in ("hive", "impala", "athena"):
        fold = str.lower
    elif key not in ("ansi", "flink"):
        if strategy is NormalizationStrategy.LOWERCASE:
            fold = str.lower
        elif strategy is NormalizationStrategy.UPPERCASE:
            fold = str.upper
    return Profile(
        name=key,
        dialect=dialect,
        fold=fold,
        structs=base in _STRUCTS,
        lateral_aliases=base in _LATERAL_ALIASES,
        lambdas=base in _LAMBDAS,
        implicit_recursion=base in _IMPLICIT_RECURSION,
        use_names_catalog=base in _USE_NAMES_CATALOG,
        double_quotes_strings='"' in dialect.tokenizer_class.QUOTES,
    )
