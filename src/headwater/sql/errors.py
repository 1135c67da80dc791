"""The one exception that this package raises."""

from headwater.errors import HeadwaterError

__all__ = ["SqlError", "UnknownDialect", "UnreadableSchema"]


class SqlError(HeadwaterError):
    """The caller asked for something that cannot be analysed; bad SQL is a diagnostic, never this."""


class UnknownDialect(SqlError):
    code = "unknown-dialect"

    def __init__(self, dialect: str, known: tuple[str, ...]) -> None:
        super().__init__(f"unknown SQL dialect {dialect!r}", hint=f"use one of {', '.join(known)}")
        self.dialect = dialect


class UnreadableSchema(SqlError):
    code = "unreadable-schema"

    def __init__(self, table: str) -> None:
        super().__init__(f"the columns of {table!r} must be a list of names or a mapping of name to type")
        self.table = table
