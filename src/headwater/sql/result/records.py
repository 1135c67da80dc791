"""Records of an analysis: statements, column edges, diagnostics."""

from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel

__all__ = ["ColumnEdge", "Diagnostic", "ScriptLineage", "Statement"]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Something that could not be resolved, and where it stands; `line` and `column` count from 1."""

    code: str
    message: str
    line: int | None = None
    column: int | None = None
    candidates: tuple[str, ...] = ()
    severity: str = "warning"


@dataclass(frozen=True, slots=True)
class ColumnEdge:
    """One column feeding another.

    `source_table` is None if the table of the column is unknown (with a diagnostic); `target_table` is None for a
    bare query; `target_column` is None if the source affects rows, not one column.
    """

    source_table: str | None
    source_column: str
    target_table: str | None
    target_column: str | None
    type: str
    subtype: str
    masking: bool = False
    node: exp.Expr | None = field(default=None, compare=False, repr=False)
    dialect: Dialect | None = field(default=None, compare=False, repr=False)
    text: str | None = field(default=None, compare=False, repr=False)
    certain: bool = field(default=True, compare=False)
    """False where one of its columns is not among those of its table."""

    @property
    def expression(self) -> str:
        """The SQL text that computes the target; written out when asked for, since that costs more than the walk."""
        if self.text is not None:
            return self.text
        if self.node is None:
            return self.source_column
        try:
            return self.node.sql(dialect=self.dialect, comments=False, unsupported_level=ErrorLevel.IGNORE)
        except Exception:  # noqa: BLE001 - a tree that the generator cannot write is no reason to lose the edge
            return type(self.node).__name__

    def __reduce__(self) -> tuple[Any, ...]:
        """Travels without the syntax tree, which is far larger than the text and may be too deep to send."""
        values = (self.source_table, self.source_column, self.target_table, self.target_column)
        return ColumnEdge, (*values, self.type, self.subtype, self.masking, None, None, self.expression, self.certain)

    def as_dict(self) -> dict[str, str | bool | None]:
        shown: dict[str, str | bool | None] = {
            "source_table": self.source_table,
            "source_column": self.source_column,
            "target_table": self.target_table,
            "target_column": self.target_column,
            "type": self.type,
            "subtype": self.subtype,
            "masking": self.masking,
            "expression": self.expression,
        }
        return shown if self.certain else {**shown, "certain": False}


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a script; `temporary` is True where its target lives only as long as the session."""

    kind: str
    sources: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    columns: tuple[ColumnEdge, ...] = ()
    temporary: bool = False
    is_view: bool = False
    failed: bool = False
    line: int = 1
    renamed: tuple[tuple[str, str], ...] = ()
    """Old and new names of tables that it renames; two that swap names are both listed."""


@dataclass(frozen=True, slots=True)
class ScriptLineage:
    """A script as a whole: temporary tables and views are seen through."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    columns: tuple[ColumnEdge, ...]
