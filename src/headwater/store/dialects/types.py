"""Column types that mean the same on SQLite, MySQL/MariaDB and PostgreSQL.

Whole numbers have 64 bits; bytes compare byte by byte; text compares by code point, and neither case nor blanks at its
end are overlooked. Migrations use these too: never change one, add another.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import mysql, postgresql
from sqlalchemy.ext.compiler import compiles

__all__ = ["binary", "blob", "integer", "text", "word"]

_MYSQL = ("mysql", "mariadb")


def integer() -> sa.types.TypeEngine[Any]:
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def binary(size: int) -> sa.types.TypeEngine[Any]:
    """A few bytes that can be part of a key."""
    return sa.LargeBinary().with_variant(mysql.VARBINARY(size), *_MYSQL)


def blob() -> sa.types.TypeEngine[Any]:
    return sa.LargeBinary().with_variant(mysql.LONGBLOB(), *_MYSQL)


def text() -> sa.types.TypeEngine[Any]:
    return sa.Text().with_variant(_LongText(), *_MYSQL).with_variant(postgresql.TEXT(collation="C"), "postgresql")


def word(size: int) -> sa.types.TypeEngine[Any]:
    """A short text that can be part of a key."""
    in_postgresql = postgresql.VARCHAR(size, collation="C")
    return sa.String(size).with_variant(_Word(size), *_MYSQL).with_variant(in_postgresql, "postgresql")


class _LongText(mysql.LONGTEXT):
    pass


class _Word(mysql.VARCHAR):
    pass


@compiles(_LongText, *_MYSQL)
def _long_text(_: _LongText, compiler: Any, **__: Any) -> str:
    return f"LONGTEXT {_collation(compiler.dialect)}"


@compiles(_Word, *_MYSQL)
def _short_text(type_: _Word, compiler: Any, **__: Any) -> str:
    return f"VARCHAR({type_.length}) {_collation(compiler.dialect)}"


def _collation(dialect: Any) -> str:
    """utf8mb4_bin ignores blanks at the end; the collations that do not have another name in each of the two."""
    name = "utf8mb4_nopad_bin" if dialect.is_mariadb else "utf8mb4_0900_bin"
    return f"CHARACTER SET utf8mb4 COLLATE {name}"
