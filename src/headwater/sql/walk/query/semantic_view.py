"""Snowflake's SEMANTIC_VIEW(v METRICS .. DIMENSIONS .. FACTS .. WHERE ..) in FROM."""

from sqlglot import exp

from headwater.sql.walk.expression.column_flow import Rows
from headwater.sql.walk.expression.expression import add_rows, flow_of
from headwater.sql.walk.expression.transformation import FILTER
from headwater.sql.walk.query.lateral import alias_of
from headwater.sql.walk.scope.catalog_relation import stored_relation
from headwater.sql.walk.scope.context import Scope, StatementContext
from headwater.sql.walk.scope.relation import Output, Relation
from headwater.sql.walk.scope.table_names import identifier_text

__all__ = ["semantic_view"]


def semantic_view(context: StatementContext, table: exp.Table, rows: Rows) -> Relation:
    """Listed columns, under the last parts of their names; other names in it are columns of the view too."""
    call = table.this
    view = stored_relation(context, call.this, rows)
    inside = Scope({})
    inside.relations = [view]
    add_rows(context, rows, call.args.get("where"), inside, FILTER)
    listed = [item for part in ("dimensions", "facts", "metrics") for item in call.args.get(part) or ()]
    outputs = tuple(_output(context, item, inside) for item in listed if not item.is_star)
    is_whole = any(item.is_star for item in listed)
    alias, columns = alias_of(context, table)
    return Relation(outputs, base=view.base, table=view.table, quiet=not is_whole).renamed_to(alias, columns)


def _output(context: StatementContext, item: exp.Expr, inside: Scope) -> Output:
    if isinstance(item, exp.Alias):
        return Output(identifier_text(item.args["alias"], context.profile), flow_of(context, item.this, inside))
    if isinstance(item, exp.Column):  # `table.metric`: the table is one inside the view
        item = exp.Column(this=item.this)
        return Output(identifier_text(item.this, context.profile), flow_of(context, item, inside))
    return Output(item.output_name, flow_of(context, item, inside))
