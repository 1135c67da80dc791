"""Guess of the dialect of a text."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from headwater.sql.analysis import Analysis, analyze
from headwater.sql.limits import Limits
from headwater.sql.parse.blank_literals import blank_literals

__all__ = ["Guess", "guess_dialect"]

_LIMITS = Limits(seconds=3.0)
_TRIED = 8
"""Dialects that are tried on one text."""
_OTHERS = ("postgres", "spark", "snowflake", "mysql", "bigquery", "tsql", "oracle", "trino")
"""Tried if no word of the text is specific, and standard SQL does not read it."""


@dataclass(frozen=True, slots=True)
class Guess:
    """The dialect and its evidence; `rivals` read the text too, with a different result."""

    dialect: str
    because: str
    rivals: tuple[str, ...] = ()

    @property
    def poor(self) -> bool:
        return bool(self.rivals)


_SIGNS: tuple[tuple[str, str, int, str], ...] = (
    # pattern, what it is called, how much it tells, the dialects that have it
    (r"`[\w-]+\.[\w-]+\.[\w*-]+`", "`a.b.c` in one pair of backticks", 3, "bigquery"),
    (r"`", "backticks", 1, "mysql spark hive bigquery flink clickhouse databricks"),
    (r"\[\w[\w ]*\]\s*\.|\bFROM\s+\[|\bAS\s+\[", "names in brackets", 3, "tsql"),
    (r"\bLATERAL\s+VIEW\b", "LATERAL VIEW", 3, "spark hive databricks"),
    (r"\bINSERT\s+OVERWRITE\b", "INSERT OVERWRITE", 2, "spark hive databricks flink"),
    (r"\b(DISTRIBUTE|CLUSTER|SORT)\s+BY\b", "DISTRIBUTE BY", 2, "spark hive databricks"),
    (r"\bUSING\s+(DELTA|PARQUET|ORC|ICEBERG|CSV|JSON)\b", "USING a format", 3, "spark databricks"),
    (r"\b(UNCACHE|CACHE)\s+TABLE\b", "CACHE TABLE", 3, "spark"),
    (r"\b(ROW\s+FORMAT|STORED\s+AS|SERDE)\b", "STORED AS", 2, "hive spark"),
    (r"\bTBLPROPERTIES\b", "TBLPROPERTIES", 1, "hive spark databricks"),
    (r"\bDELTA\s*\.\s*`", "delta.`path`", 3, "databricks spark"),
    (r"\bQUALIFY\b", "QUALIFY", 2, "snowflake bigquery databricks teradata duckdb"),
    (r"::\s*\w", "::", 1, "postgres redshift snowflake duckdb databricks"),
    (r"\bON\s+CONFLICT\b", "ON CONFLICT", 2, "postgres sqlite duckdb"),
    (r"\bRETURNING\b", "RETURNING", 1, "postgres sqlite mariadb oracle"),
    (r"\bDISTINCT\s+ON\s*\(", "DISTINCT ON", 2, "postgres duckdb"),
    (r"\b(DISTKEY|SORTKEY|DISTSTYLE)\b|\bUNLOAD\s*\(", "DISTKEY, UNLOAD", 3, "redshift"),
    (r"\bENGINE\s*=\s*\w*(MergeTree|Memory|Null|Distributed)\b", "ENGINE = MergeTree", 4, "clickhouse"),
    (r"\b(PREWHERE|ARRAY\s+JOIN|LIMIT\s+\d+\s+BY|GLOBAL\s+JOIN)\b", "PREWHERE, ARRAY JOIN", 3, "clickhouse"),
    (r"\bENGINE\s*=\s*(InnoDB|MyISAM|Aria)\b|\bAUTO_INCREMENT\b", "ENGINE = InnoDB", 3, "mysql mariadb"),
    (r"\bON\s+DUPLICATE\s+KEY\b", "ON DUPLICATE KEY", 3, "mysql mariadb"),
    (r"\bWATERMARK\s+FOR\b|\bNOT\s+ENFORCED\b|\bSTATEMENT\s+SET\b|\bMETADATA\s+FROM\b", "WATERMARK FOR", 4, "flink"),
    (r"\bDESCRIPTOR\s*\(", "DESCRIPTOR(..)", 2, "flink trino"),
    (r"\bSELECT\s+(DISTINCT\s+)?TOP\s*\(?\s*\d", "TOP n", 2, "tsql teradata"),
    (r"\b(CROSS|OUTER)\s+APPLY\b|\bN?VARCHAR\s*\(\s*MAX\s*\)|\bGETDATE\s*\(", "CROSS APPLY", 3, "tsql"),
    (r"(?m)^\s*GO\s*$|\bWITH\s*\(\s*NOLOCK\s*\)|\bDECLARE\s+@\w|(?<![\w$])@@?\w+\s*=", "GO, @variables", 3, "tsql"),
    (r"\bINTO\s+#\w|\bFROM\s+#\w", "#tables", 3, "tsql redshift"),
    (r"\bCONNECT\s+BY\b|\(\+\)|\bVARCHAR2\b|\bROWNUM\b|\bNVL2\s*\(|\bFROM\s+DUAL\b", "CONNECT BY, DUAL", 3, "oracle"),
    (r"\bSYSDATE\b", "SYSDATE", 1, "oracle"),
    (r"\bSAFE_(CAST|DIVIDE|OFFSET)\b|\bSELECT\s+AS\s+STRUCT\b|\bSTRUCT<|\bWITH\s+OFFSET\b", "SAFE_CAST", 3, "bigquery"),
    (r"\*\s+EXCEPT\s*\(", "* EXCEPT (..)", 1, "bigquery databricks spark clickhouse"),
    (r"\*\s+EXCLUDE\b", "* EXCLUDE", 2, "snowflake duckdb"),
    (r"\bFLATTEN\s*\(|\bVARIANT\b|\bILIKE\s+ANY\b|\bFROM\s+@\w", "FLATTEN, stages", 3, "snowflake"),
    (r"\bCREATE\s+(OR\s+REPLACE\s+)?(TRANSIENT|DYNAMIC)\s+TABLE\b", "TRANSIENT TABLE", 3, "snowflake"),
    (
        r"(?m)^\s*(SEL|INS|DEL|LOCKING)\b|\bVOLATILE\s+TABLE\b|\bMULTISET\s+TABLE\b",
        "SEL, VOLATILE TABLE",
        3,
        "teradata",
    ),
    (r"\bCROSS\s+JOIN\s+UNNEST\b|\bWITH\s+ORDINALITY\b", "CROSS JOIN UNNEST", 1, "trino flink"),
    (r"\b(APPROX_DISTINCT|DATE_PARSE|TRY)\s*\(", "TRY(..)", 2, "trino"),
    (r"\bREAD_(CSV|PARQUET|JSON)\w*\s*\(|(?m)^\s*FROM\s+\w|\bCOLUMNS\s*\(", "FROM first", 2, "duckdb"),
    (r"\bINSERT\s+OR\s+(REPLACE|IGNORE)\b|\bAUTOINCREMENT\b|\bPRAGMA\b", "INSERT OR REPLACE", 3, "sqlite"),
    (r"\bSTREAMING\s+TABLE\b|\bCREATE\s+(OR\s+REFRESH\s+)?LIVE\b", "STREAMING TABLE", 4, "databricks"),
    (r"\bBUCKETS\s+\d|\bDUPLICATE\s+KEY\s*\(|\bSUBMIT\s+TASK\b", "BUCKETS", 3, "starrocks doris"),
)
_COMPILED = tuple(
    (re.compile(pattern.replace("(?m)", ""), re.IGNORECASE | re.MULTILINE), called, weight, frozenset(dialects.split()))
    for pattern, called, weight, dialects in _SIGNS
)
_CONNECTOR = re.compile(r"'connector'\s*=\s*'", re.IGNORECASE)


def guess_dialect(sql: str) -> Guess:
    """The dialect whose signs the text bears and that reads it; where several do, those must agree.

    >>> guess_dialect("SELECT a FROM t LATERAL VIEW explode(b) x AS c DISTRIBUTE BY a").dialect
    'spark'
    >>> guess_dialect('SELECT "a" FROM `t`').poor  # a string in MySQL, a column in Flink
    True
    """
    scores, seen = _scores(sql[: _LIMITS.script_characters])
    if not scores:
        return _without_signs(sql)
    best = max(scores.values())
    first = [dialect for dialect in scores if scores[dialect] == best][:_TRIED]
    readable = _readable(sql, first)
    if not readable:
        others = sorted((dialect for dialect in scores if dialect not in first), key=lambda name: -scores[name])
        readable = _readable(sql, others[:_TRIED])[:1]
    if not readable:
        return Guess(first[0], f"it has {', '.join(seen[first[0]])}, though it cannot be read")
    dialect, analysis = readable[0]
    edges = _edges(analysis)
    rivals = tuple(other for other, found in readable[1:] if _edges(found) != edges)
    return Guess(dialect, f"it has {', '.join(seen[dialect])}", rivals)


def _scores(sql: str) -> tuple[dict[str, int], dict[str, list[str]]]:
    bare = blank_literals(sql, keep_double=False)
    scores: dict[str, int] = {}
    seen: dict[str, list[str]] = {}
    found = [item for item in _COMPILED if item[0].search(bare)]
    if _CONNECTOR.search(sql):
        found.append((_CONNECTOR, "'connector' = '..'", 4, frozenset({"flink"})))
    for _, called, weight, dialects in found:
        for dialect in dialects:
            scores[dialect] = scores.get(dialect, 0) + weight
            seen.setdefault(dialect, []).append(called)
    ranked = sorted(scores, key=lambda name: (-scores[name], _rank(name)))
    return {name: scores[name] for name in ranked}, seen


def _rank(name: str) -> tuple[int, str]:
    """Of dialects that are equally likely, the one that is used most."""
    common = ("spark", "postgres", "mysql", "snowflake", "bigquery", "flink", "trino", "hive")
    return (common.index(name) if name in common else len(common), name)


def _without_signs(sql: str) -> Guess:
    """Standard SQL, if that reads it; else the others, which must agree."""
    if _readable(sql, ["ansi"]):
        return Guess("ansi", "nothing in it is particular to another dialect")
    readable = _readable(sql, _OTHERS)
    if not readable:
        return Guess("ansi", "no dialect reads it")
    dialect, analysis = readable[0]
    rivals = tuple(other for other, found in readable[1:] if _edges(found) != _edges(analysis))
    return Guess(dialect, "standard SQL does not read it", rivals)


def _readable(sql: str, dialects: Iterable[str]) -> list[tuple[str, Analysis]]:
    tried = [(dialect, analyze(sql, dialect=dialect, limits=_LIMITS)) for dialect in dialects]
    return [(dialect, analysis) for dialect, analysis in tried if not analysis.failed]


def _edges(analysis: Analysis) -> set[tuple[str, ...]]:
    """Tables and columns read and written, ignoring case and generated names."""
    lineage = analysis.lineage()
    found = {
        (edge.source_table or "?", edge.source_column, edge.target_table or "", edge.type) for edge in lineage.columns
    }
    found |= {(name, "read", "", "") for name in lineage.sources} | {
        (name, "written", "", "") for name in lineage.targets
    }
    return {tuple(part.casefold() for part in edge) for edge in found}
