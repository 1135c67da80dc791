"""Lineage of a script, through its temporary tables and views."""

from collections.abc import Iterable
from dataclasses import replace

from headwater.sql.result.records import ColumnEdge, ScriptLineage, Statement
from headwater.sql.walk.expression.transformation import Effect, compose

__all__ = ["lineage_of"]


def lineage_of(statements: Iterable[Statement]) -> ScriptLineage:
    """Follow every edge back through temporary tables and views to the tables that stay.

    A view that the script does not read is one of its results; so is a temporary table if there is no other result.
    """
    walk = _Script()
    for statement in statements:
        walk.add(statement)
    walk.add_unread()
    return ScriptLineage(tuple(walk.sources), tuple(walk.targets), tuple(walk.edges))


class _Script:
    """State of a script so far."""

    def __init__(self) -> None:
        self.sources: dict[str, None] = {}
        self.targets: dict[str, None] = {}
        self.edges: dict[ColumnEdge, None] = {}
        self.passing: dict[str, dict[ColumnEdge, None]] = {}
        self.fed_by: dict[str, dict[str, None]] = {}
        self.unread: dict[str, bool] = {}
        """Views and temporary tables that nothing has read so far, and whether they are temporary."""

    def add(self, statement: Statement) -> None:
        if statement.renamed:
            self._rename(dict(statement.renamed))
            return
        edges = [found for edge in statement.columns for found in self._resolved(edge)]
        for source in statement.sources:
            if source not in statement.targets:
                self.unread.pop(source, None)
        sources = [found for source in statement.sources for found in self.fed_by.get(source, {source: None})]
        if statement.temporary or statement.is_view:
            for target in statement.targets:
                fresh = statement.kind.startswith(("CREATE", "CACHE"))
                known = {} if fresh else self.passing.get(target, {})
                feeds = {} if fresh else self.fed_by.get(target, {})
                own = {edge: None for edge in edges if edge.target_table == target}
                self.passing[target] = {**known, **own}
                self.fed_by[target] = {**feeds, **dict.fromkeys(sources)}
                self.unread[target] = statement.temporary
            return
        self.sources.update(dict.fromkeys(sources))
        self.targets.update(dict.fromkeys(statement.targets))
        self.edges.update(dict.fromkeys(edges))

    def add_unread(self) -> None:
        """The views that nothing has read are results; temporary tables only if there is nothing else."""
        for temporary in (False, True):
            if temporary and self.targets:
                return
            for target, is_temporary in self.unread.items():
                if is_temporary is temporary:
                    self.sources.update(self.fed_by[target])
                    self.edges.update(self.passing[target])
            self.targets.update({target: None for target, kind in self.unread.items() if kind is temporary})

    def _rename(self, names: dict[str, str]) -> None:
        """Tables written under the old name are found under the new one."""
        self.targets = {names.get(target, target): None for target in self.targets}
        self.edges = {
            replace(edge, target_table=names.get(edge.target_table or "", edge.target_table)): None
            for edge in self.edges
        }
        self.passing = {names.get(table, table): edges for table, edges in self.passing.items()}
        self.fed_by = {names.get(table, table): feeds for table, feeds in self.fed_by.items()}
        self.unread = {names.get(table, table): kind for table, kind in self.unread.items()}

    def _resolved(self, edge: ColumnEdge) -> list[ColumnEdge]:
        table = edge.source_table
        if table is None or table not in self.passing:
            return [edge]
        outer = _effect(edge)
        found: list[ColumnEdge] = []
        wanted = edge.source_column.split(".", 1)[0].casefold()
        for inner in self.passing[table]:
            if inner.target_column is None:
                if edge.target_column is None or edge.type == "DIRECT":
                    found.append(_rows(inner, edge))
            elif (
                inner.target_column.casefold() in (wanted, edge.source_column.casefold()) or inner.target_column == "*"
            ):
                found.append(_joined(inner, edge, outer))
        return found


def _effect(edge: ColumnEdge) -> Effect:
    return Effect("DIRECT" if edge.type == "DIRECT" else "INDIRECT", edge.subtype, edge.masking)


def _rows(inner: ColumnEdge, edge: ColumnEdge) -> ColumnEdge:
    return ColumnEdge(
        inner.source_table,
        inner.source_column,
        edge.target_table,
        None,
        inner.type,
        inner.subtype,
        inner.masking,
        certain=edge.certain and inner.certain,
    )


def _joined(inner: ColumnEdge, edge: ColumnEdge, outer: Effect) -> ColumnEdge:
    effect = compose(_effect(inner), outer)
    starred = inner.target_column == "*" and inner.source_column == "*"
    return ColumnEdge(
        inner.source_table,
        edge.source_column if starred else inner.source_column,
        edge.target_table,
        edge.target_column,
        effect.type,
        effect.subtype,
        effect.masking,
        edge.node if edge.node is not None else inner.node,
        edge.dialect,
        certain=edge.certain and inner.certain,
    )
