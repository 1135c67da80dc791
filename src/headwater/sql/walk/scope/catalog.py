"""Catalog of tables, views and functions; statements of the script add to it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from headwater.sql.dialects.flink_connectors import Place
from headwater.sql.dialects.profiles import Profile
from headwater.sql.errors import UnreadableSchema
from headwater.sql.walk.expression.column_flow import Rows
from headwater.sql.walk.scope.relation import Output
from headwater.sql.walk.scope.table_names import TableName, parts_of_text

__all__ = ["ColumnInfo", "FunctionInfo", "SchemaCatalog", "TableInfo", "columns_from_schema"]


@dataclass(frozen=True, slots=True)
class ColumnInfo:
    """A declared column; `writable` is False where an INSERT without a column list passes over it."""

    name: str
    type: str = ""
    writable: bool = True
    output: Output | None = None
    """How a computed column is made from others of its table."""
    made: str = ""
    """`computed` or `metadata` for a column that Flink does not store."""


@dataclass(frozen=True, slots=True)
class TableInfo:
    name: str
    columns: tuple[ColumnInfo, ...] | None = None
    temporary: bool = False
    is_view: bool = False
    outputs: tuple[Output, ...] | None = None
    """Set on a view that is seen through: its columns as flows from its own sources."""
    rows: Rows | None = None
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FunctionInfo:
    name: str
    kind: str = "scalar"
    columns: tuple[str, ...] | None = None


class SchemaCatalog:
    """The state of one script: mutable, and owned by one call of `analyze`."""

    def __init__(self, profile: Profile, default_catalog: str | None, default_db: str | None) -> None:
        self.profile = profile
        self.default_catalog, self.default_db = _defaults(default_catalog, default_db)
        self._tables: dict[tuple[str, ...], TableInfo] = {}
        self._described: dict[str, list[tuple[str, ...]]] = {}
        self._functions: dict[str, FunctionInfo] = {}
        self.options: dict[str, dict[str, str]] = {}
        """The connector options of Flink's tables."""
        self.places: dict[str, Place] = {}
        """The datasets behind tables that name them by the options of a connector."""

    def qualify(self, name: TableName) -> TableName:
        """Add the current catalog and schema, if they are known."""
        parts = name.parts
        if len(parts) == 1:
            parts = self._without_defaults(parts[0])
        if len(parts) == 1:
            if self.default_db:
                parts = (self.default_db, *parts)
            elif self.default_catalog and self.profile.use_names_catalog:
                return TableName((self.default_catalog, "", *parts))
        if len(parts) == 2 and self.default_catalog:
            parts = (self.default_catalog, *parts)
        return TableName(parts)

    def _without_defaults(self, part: str) -> tuple[str, ...]:
        """The parts of a name that was quoted as a whole, `db.schema.t`, if it begins with the current ones."""
        pieces = tuple(part.split("."))
        folded = tuple(piece.casefold() for piece in pieces)
        known = tuple(default.casefold() for default in (self.default_catalog, self.default_db) if default)
        if len(pieces) > 1 and len(pieces) <= len(known) + 1 and all(pieces):
            outer = folded[:-1]
            if known[len(known) - len(outer) :] == outer:
                return pieces
        return (part,)

    def find(self, name: TableName) -> TableInfo | None:
        """Look up a qualified name; of the tables that the caller described, a shorter or longer name will do as well,
        if only one ends like it.
        """
        key = name.key
        info = self._tables.get(key)
        if info is not None or not key:
            return info
        alike = [known for known in self._described.get(key[-1], ()) if _same_end(known, key)]
        return self._tables.get(alike[0]) if len(alike) == 1 else None

    def find_text(self, text: str) -> TableInfo | None:
        return self.find(TableName(parts_of_text(text)))

    def add(self, name: TableName, info: TableInfo) -> None:
        self._tables[name.key] = info

    def remove(self, name: TableName) -> None:
        self._tables.pop(name.key, None)

    def function(self, name: str) -> FunctionInfo | None:
        key = name.casefold()
        return self._functions.get(key) or self._functions.get(key.rpartition(".")[2])

    def has_function(self, name: str) -> bool:
        """Whether a function of this last name is defined, in whichever schema."""
        key = name.casefold()
        return any(known.rpartition(".")[2] == key for known in self._functions)

    def add_function(self, info: FunctionInfo) -> None:
        known = self._functions.get(info.name.casefold())
        if known is None or info.columns is not None:
            self._functions[info.name.casefold()] = info

    def add_schema(self, schema: Mapping[str, Any]) -> None:
        for table, columns in _flat(schema, ()):
            name = self.qualify(TableName(parts_of_text(table)))
            self.add(name, TableInfo(str(name), columns_from_schema(table, columns)))
            self._described.setdefault(name.key[-1] if name.key else "", []).append(name.key)


def _defaults(catalog: str | None, db: str | None) -> tuple[str | None, str | None]:
    """The default catalog and schema; `db.schema`, given for either, is both.

    >>> _defaults("db", "db.schema"), _defaults("db.schema", None)
    (('db', 'schema'), ('db', 'schema'))
    """
    inner = parts_of_text(db) if db else ()
    outer = parts_of_text(catalog) if catalog else ()
    if len(inner) > 1:
        return inner[-2], inner[-1]
    if len(outer) > 1 and (not inner or inner[0] == outer[-1]):
        return outer[-2], outer[-1]
    return (outer[-1] if outer else catalog), (inner[-1] if inner else db)


def _flat(schema: Mapping[str, Any], outer: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Schemas nested by database are taken as well: {db: {table: {column: type}}}."""
    for name, inner in schema.items():
        nested = isinstance(inner, Mapping) and any(isinstance(value, Mapping | list) for value in inner.values())
        if nested and len(outer) < 2:
            yield from _flat(inner, (*outer, str(name)))
        else:
            yield ".".join((*outer, str(name))), inner


def _same_end(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    length = min(len(one), len(other))
    return one[-length:] == other[-length:]


def columns_from_schema(table: str, columns: object) -> tuple[ColumnInfo, ...] | None:
    if columns is None:
        return None
    if isinstance(columns, Mapping):
        named = [(str(name), str(kind)) for name, kind in columns.items()]
    elif isinstance(columns, list | tuple):
        named = [(str(name), "") for name in columns]
    else:
        raise UnreadableSchema(table)
    roots = {name.casefold() for name, _ in named}
    return tuple(
        ColumnInfo(name, kind, writable=not kind.upper().endswith(("COMPUTED", "VIRTUAL")))
        for name, kind in named
        if "." not in name or name.split(".", 1)[0].casefold() not in roots
    )
