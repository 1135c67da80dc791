"""`analyze`: a script in, its lineage out."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sqlglot import exp

from headwater.sql.dialects.flink_connectors import Place
from headwater.sql.dialects.profiles import profile_of
from headwater.sql.errors import SqlError
from headwater.sql.limits import Budget, Limits, OverLimit
from headwater.sql.parse.blank_literals import template_place
from headwater.sql.parse.parse import Parsed, parse_script
from headwater.sql.result.checks import checked_edges, undefined_functions, undefined_tables
from headwater.sql.result.openlineage import facets_of
from headwater.sql.result.records import Diagnostic, ScriptLineage, Statement
from headwater.sql.result.script import lineage_of
from headwater.sql.walk.query.query import walk_query
from headwater.sql.walk.query.table_functions import add_function
from headwater.sql.walk.scope.catalog import FunctionInfo, SchemaCatalog
from headwater.sql.walk.scope.context import Scope, StatementContext, Walks
from headwater.sql.walk.scope.relation import Relation
from headwater.sql.walk.statement.statement import walk_statement
from headwater.sql.walk.statement.update_delete_merge import walk_change

__all__ = ["Analysis", "analyze"]

_CLOSING = {"{{": "}}", "{%": "%}", "${": "}"}
_WALKS = Walks(walk_query, walk_change, add_function)


@dataclass(frozen=True, slots=True)
class Analysis:
    """The statements of a script, and diagnostics of what could not be analysed."""

    dialect: str
    statements: tuple[Statement, ...]
    diagnostics: tuple[Diagnostic, ...]
    places: Mapping[str, Place] = field(default_factory=dict)
    """The datasets behind tables that name them by the options of a connector."""

    def lineage(self) -> ScriptLineage:
        """The script as a whole: temporary tables and views are seen through."""
        return lineage_of(self.statements)

    def to_openlineage(self, namespace: str = "default") -> dict[str, Any]:
        """Inputs and outputs as OpenLineage datasets, with the columnLineage facet on each output."""
        return facets_of(self.lineage(), namespace, self.places)

    @property
    def failed(self) -> bool:
        return any(diagnostic.severity == "error" for diagnostic in self.diagnostics)


def analyze(
    sql: str,
    *,
    dialect: str,
    schema: Mapping[str, Any] | None = None,
    ddl: str | None = None,
    functions: Mapping[str, Any] | None = None,
    default_catalog: str | None = None,
    default_db: str | None = None,
    limits: Limits | None = None,
) -> Analysis:
    """Table and column lineage of SQL text.

    >>> edge = analyze("INSERT INTO t (a) SELECT upper(b) FROM s", dialect="ansi").statements[0].columns[0]
    >>> edge.source_table, edge.source_column, edge.target_table, edge.target_column, edge.subtype
    ('s', 'b', 't', 'a', 'TRANSFORMATION')
    """
    _check_arguments(sql, dialect, schema, functions)
    profile = profile_of(dialect)
    budget = Budget(limits or Limits())
    catalog = SchemaCatalog(profile, default_catalog, default_db)
    catalog.add_schema(schema or {})
    for name, described in (functions or {}).items():
        catalog.add_function(_function(name, described))
    diagnostics: list[Diagnostic] = []
    if ddl:
        _run(ddl, catalog, budget, diagnostics, see_through=True)
        catalog.default_catalog, catalog.default_db = (
            catalog.default_catalog or default_catalog,
            catalog.default_db or default_db,
        )
    statements = _run(sql, catalog, budget, diagnostics, see_through=False, defined=bool(ddl))
    return Analysis(profile.name, tuple(statements), tuple(diagnostics), catalog.places)


def _check_arguments(sql: object, dialect: object, schema: object, functions: object) -> None:
    """Callers without a type checker get our own error, not a stray one."""
    if not isinstance(sql, str) or not isinstance(dialect, str):
        raise SqlError("the SQL and the dialect must be text")
    if not isinstance(schema, Mapping | None) or not isinstance(functions, Mapping | None):
        raise SqlError("the schema and the functions must be mappings by name")


def _function(name: str, described: object) -> FunctionInfo:
    if not isinstance(described, Mapping):
        return FunctionInfo(name)
    columns = described.get("columns")
    names = tuple(str(column) for column in columns) if isinstance(columns, list | tuple | Mapping) else None
    return FunctionInfo(name, str(described.get("kind") or "scalar"), names)


def _run(
    sql: str,
    catalog: SchemaCatalog,
    budget: Budget,
    diagnostics: list[Diagnostic],
    *,
    see_through: bool,
    defined: bool = False,
) -> list[Statement]:
    """Walk the statements of a text; `defined`: undefined tables and functions get a warning."""
    limits = budget.limits
    if len(sql) > limits.script_characters:
        diagnostics.append(_over_limit("script_characters", limits, 1))
        return []
    template = template_place(sql, double_quotes_names=not catalog.profile.double_quotes_strings)
    if template is not None:
        mark, line, column = template
        message = f"the text is a template ({mark} .. {_CLOSING[mark]}): have it filled in first"
        diagnostics.append(Diagnostic("template", message, line, column, (), "error"))
        return []
    statements: list[Statement] = []
    try:
        for parsed in parse_script(sql, catalog.profile, budget):
            budget.start_statement()
            made = _walk(parsed, catalog, budget, diagnostics, see_through=see_through)
            statements.extend(_checked(made, catalog, diagnostics))
            if defined:
                _add_undefined(parsed, made, catalog, diagnostics)
    except OverLimit as over:
        diagnostics.append(_over_limit(over.limit, limits, 1))
    except RecursionError:
        diagnostics.append(_over_limit("depth", limits, 1))
    return statements


def _over_limit(limit: str, limits: Limits, line: int) -> Diagnostic:
    value = getattr(limits, limit, "")
    return Diagnostic("over-limit", f"stopped at the limit of {value} {limit.replace('_', ' ')}", line, 1, (), "error")


def _walk(
    parsed: Parsed,
    catalog: SchemaCatalog,
    budget: Budget,
    diagnostics: list[Diagnostic],
    *,
    see_through: bool,
    in_routine: bool = False,
) -> list[Statement]:
    """The statement, behind the changes that its WITH clause makes."""
    line = parsed.tokens[0].line if parsed.tokens else parsed.line
    if parsed.routine is not None:
        inner = [
            statement
            for item in parsed.routine
            for statement in _walk(item, catalog, budget, diagnostics, see_through=False, in_routine=True)
        ]
        return [_united(inner, parsed.kind, line)]
    if parsed.notice:
        diagnostics.append(Diagnostic("dynamic-sql", parsed.notice, parsed.line, parsed.column))
        return [Statement("EXECUTE", line=line)]
    if parsed.node is None:
        if parsed.error:
            diagnostics.append(Diagnostic("syntax", parsed.error, parsed.line, parsed.column, (), "error"))
        return [Statement("UNPARSED" if parsed.error else "EMPTY", failed=bool(parsed.error), line=line)]
    context = StatementContext(catalog, budget, _WALKS)
    context.in_routine = in_routine
    context.variables = parsed.variables
    try:
        _add_records(context, parsed)
        kind, temporary = walk_statement(context, parsed.node, parsed.tokens, see_through=see_through)
    except OverLimit as over:
        diagnostics.append(_over_limit(over.limit, budget.limits, line))
        return [Statement(type(parsed.node).__name__.upper(), failed=True, line=line)]
    except Exception as error:  # noqa: BLE001 - no input may take the caller down
        reason = "is nested too deeply" if isinstance(error, RecursionError) else f"could not be followed: {error!r}"
        diagnostics.append(Diagnostic("not-understood", f"the statement {reason}", line, 1, (), "error"))
        return [Statement(type(parsed.node).__name__.upper(), failed=True, line=line)]
    diagnostics.extend(context.diagnostics)
    failed = any(diagnostic.severity == "error" for diagnostic in context.diagnostics)
    changes = [
        Statement(change.kind, change.sources, change.targets, change.edges, failed=failed, line=line)
        for change in context.changes.values()
    ]
    own = Statement(
        kind,
        tuple(context.sources),
        tuple(context.targets),
        tuple(context.edges),
        temporary=temporary,
        is_view=isinstance(parsed.node, exp.Create) and kind == "CREATE VIEW",
        failed=failed,
        line=line,
        renamed=tuple(context.renamed.items()),
    )
    return [*changes, own]


def _checked(made: list[Statement], catalog: SchemaCatalog, diagnostics: list[Diagnostic]) -> list[Statement]:
    """The statements, with uncertain edges marked."""
    checked = []
    for statement in made:
        edges, warnings = checked_edges(statement.columns, catalog)
        checked.append(replace(statement, columns=edges))
        diagnostics.extend(replace(warning, line=statement.line) for warning in warnings)
    return checked


def _add_undefined(
    parsed: Parsed, made: list[Statement], catalog: SchemaCatalog, diagnostics: list[Diagnostic]
) -> None:
    """Warn of tables and functions that no statement has defined, each once."""
    found: list[Diagnostic] = []
    for statement in made:
        names = dict.fromkeys((*statement.sources, *statement.targets))
        if not statement.renamed:
            found += [replace(item, line=statement.line) for item in undefined_tables(names, catalog)]
    nodes = [item.node for item in (parsed, *(parsed.routine or ())) if item.node is not None]
    found += [item for node in nodes for item in undefined_functions(node, catalog)]
    messages = {item.message for item in diagnostics}
    diagnostics.extend(item for item in found if item.message not in messages)


def _add_records(context: StatementContext, parsed: Parsed) -> None:
    """Records of the loops around a statement are visible to all its queries."""
    if not parsed.records:
        return
    scope = Scope({})
    for name, query in parsed.records:
        scope.relations.append(Relation(context.query(query, {}, None).outputs, alias=name))
    context.outermost = scope


def _united(inner: list[Statement], kind: str, line: int) -> Statement:
    """A routine counts as one statement: all that its body reads and writes."""
    return Statement(
        kind,
        tuple(dict.fromkeys(source for statement in inner for source in statement.sources)),
        tuple(dict.fromkeys(target for statement in inner for target in statement.targets)),
        tuple(dict.fromkeys(edge for statement in inner for edge in statement.columns)),
        failed=any(statement.failed for statement in inner),
        line=line,
    )
