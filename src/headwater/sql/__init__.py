"""SQL text to table and column lineage, for every dialect. Pure; what is unknown is reported, never guessed.

>>> analysis = analyze("INSERT INTO t SELECT a AS b FROM s", dialect="spark")
>>> [(edge.source_table, edge.source_column, edge.target_column) for edge in analysis.statements[0].columns]
[('s', 'a', 'b')]
"""

from headwater.sql.analysis import Analysis, analyze
from headwater.sql.dialects.profiles import DIALECTS
from headwater.sql.errors import SqlError, UnknownDialect, UnreadableSchema
from headwater.sql.limits import Limits
from headwater.sql.result.records import ColumnEdge, Diagnostic, ScriptLineage, Statement

__all__ = [
    "DIALECTS",
    "Analysis",
    "ColumnEdge",
    "Diagnostic",
    "Limits",
    "ScriptLineage",
    "SqlError",
    "Statement",
    "UnknownDialect",
    "UnreadableSchema",
    "analyze",
]
