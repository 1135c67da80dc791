"""Context of the walk through one statement."""

from collections.abc import Callable
from typing import NamedTuple

from sqlglot import exp

from headwater.sql.dialects.profiles import Profile
from headwater.sql.limits import Budget, OverLimit
from headwater.sql.result.records import ColumnEdge, Diagnostic
from headwater.sql.walk.expression.column_flow import Rows
from headwater.sql.walk.scope.catalog import ColumnInfo, SchemaCatalog, TableInfo
from headwater.sql.walk.scope.relation import Output, Relation
from headwater.sql.walk.scope.table_names import TableName

__all__ = ["Alias", "Cte", "Environment", "QueryResult", "Scope", "StatementContext", "TableChange", "place_of"]


class Alias(NamedTuple):
    """Case-folded name of a FROM item, and the names that the query gives to its columns."""

    name: str
    columns: list[str]


class QueryResult(NamedTuple):
    """Columns of a query, and the columns that affect its rows."""

    outputs: tuple[Output, ...]
    rows: Rows


class Cte:
    """A named query of a WITH clause; it is walked when it is first read, so that an unused one counts for nothing."""

    __slots__ = ("columns", "environment", "node", "recursive", "result", "returns_from")

    def __init__(self, node: exp.Expr, environment: "Environment", columns: list[str], *, recursive: bool) -> None:
        self.node = node
        self.environment = environment
        self.columns = columns
        self.recursive = recursive
        self.result: QueryResult | None = None
        self.returns_from: tuple[str, ...] = ()
        """Of a CTE that changes a table: the tables that its RETURNING shows."""


class TableChange(NamedTuple):
    """A CTE that changes a table: its kind, its reads, its writes."""

    kind: str
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    edges: tuple[ColumnEdge, ...]


Environment = dict[str, Cte]
"""The visible CTEs, by case-folded name."""


class Scope:
    """The relations that a clause may name, innermost first."""

    __slots__ = ("aliases", "environment", "merged", "parent", "relations", "windows")

    def __init__(self, environment: Environment, parent: "Scope | None" = None) -> None:
        self.environment = environment
        self.parent = parent
        self.relations: list[Relation] = []
        self.merged: dict[str, Output] = {}
        self.aliases: dict[str, Output] = {}
        self.windows: dict[str, exp.Expr] = {}


QueryWalk = Callable[["StatementContext", exp.Expr, Environment, Scope | None], QueryResult]
FunctionWalk = Callable[["StatementContext", exp.Expr, Alias, Scope, Rows], None]
ChangeWalk = Callable[["StatementContext", exp.Expr, Environment], QueryResult]


class Walks(NamedTuple):
    """The three walks that call one another: kept here, so that their modules need not import each other."""

    query: QueryWalk
    change: ChangeWalk
    function: FunctionWalk


class StatementContext:
    """State of one statement: its reads, its writes, its diagnostics."""

    __slots__ = (
        "budget",
        "catalog",
        "change_walk",
        "changes",
        "depth",
        "diagnostics",
        "edges",
        "function_walk",
        "in_routine",
        "outermost",
        "profile",
        "query_walk",
        "renamed",
        "rows",
        "sources",
        "targets",
        "variables",
    )

    def __init__(self, catalog: SchemaCatalog, budget: Budget, walks: Walks) -> None:
        self.catalog = catalog
        self.profile: Profile = catalog.profile
        self.budget = budget
        self.query_walk = walks.query
        self.change_walk = walks.change
        self.function_walk = walks.function
        self.changes: dict[int, TableChange] = {}
        """By the syntax tree of each CTE that changes a table."""
        self.depth = 0
        self.in_routine = False
        self.outermost: Scope | None = None
        self.diagnostics: list[Diagnostic] = []
        self.sources: dict[str, None] = {}
        self.rows: Rows = {}
        self.renamed: dict[str, str] = {}
        self.variables: frozenset[str] = frozenset()
        self.targets: dict[str, None] = {}
        self.edges: dict[ColumnEdge, None] = {}

    def query(self, node: exp.Expr, environment: Environment, outer: Scope | None) -> QueryResult:
        """Walk a query inside another; guards the depth."""
        self.depth += 1
        if self.depth > self.budget.limits.depth:
            raise OverLimit("depth")
        try:
            return self.query_walk(self, node, environment, outer if outer is not None else self.outermost)
        finally:
            self.depth -= 1

    def change(self, node: exp.Expr, environment: Environment) -> QueryResult:
        """Walk an INSERT, UPDATE, DELETE or MERGE inside a WITH clause; gives the columns of RETURNING."""
        return self.change_walk(self, node, environment)

    def add_function(self, node: exp.Expr, alias: Alias, scope: Scope, rows: Rows) -> None:
        """Append the columns of a table function to a scope."""
        self.function_walk(self, node, alias, scope, rows)

    def remember(self, name: TableName, text: str, outputs: list[Output], *, temporary: bool) -> None:
        """Let later statements know the columns of a table that this one makes."""
        open_ended = any(output.rest is not None for output in outputs)
        columns = None if open_ended else tuple(ColumnInfo(output.name) for output in outputs)
        self.catalog.add(name, TableInfo(text, columns, temporary=temporary))

    def report(
        self,
        code: str,
        message: str,
        node: exp.Expr | None,
        candidates: tuple[str, ...] = (),
        *,
        severity: str = "warning",
    ) -> None:
        line, column = place_of(node)
        diagnostic = Diagnostic(code, message, line, column, candidates, severity)
        if diagnostic not in self.diagnostics:
            self.diagnostics.append(diagnostic)


def place_of(node: exp.Expr | None) -> tuple[int | None, int | None]:
    """Line and column of the first token of a node, if the parser kept it."""
    for _ in range(6):
        if node is None:
            break
        meta = node.meta
        line, end = meta.get("line"), meta.get("col")
        if line is not None and end is not None:
            start, stop = meta.get("start"), meta.get("end")
            width = stop - start if start is not None and stop is not None else 0
            return int(line), max(int(end) - int(width), 1)
        node = _first_part(node)
    return None, None


def _first_part(node: exp.Expr) -> exp.Expr | None:
    for key in ("catalog", "db", "table", "this", "expressions"):
        part = node.args.get(key)
        part = part[0] if isinstance(part, list) and part else part
        if isinstance(part, exp.Expr):
            return part
    return None
