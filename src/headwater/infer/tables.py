"""Which dataset of an event a table in its SQL is."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from headwater.sql.walk.scope.table_names import parts_of_text

__all__ = ["KnownTable", "aliases_of", "find_table"]

_PATH_PARTS = 2
"""Of a path only its end is like a table's name: warehouse/sales.db/orders is sales.orders."""


class KnownTable(Struct, frozen=True):
    """A dataset of an event, by all names that its SQL may use."""

    dataset: bytes
    aliases: tuple[tuple[str, ...], ...]
    columns: tuple[tuple[str, str], ...] = ()
    """Names and types, where a schema is known."""


def aliases_of(names: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """The parts of each name; those of tables before those of paths.

    >>> aliases_of(["/warehouse/sales.db/orders", "sales.orders"])
    (('sales', 'orders'),)
    """
    found: dict[tuple[str, ...], None] = {}
    for name in sorted(names, key=lambda name: ("/" in name, name)):
        if "/" in name:
            parts = tuple(part.removesuffix(".db") for part in name.split("/") if part)[-_PATH_PARTS:]
        else:
            parts = tuple(part for part in parts_of_text(name) if part)
        if parts:
            found[parts] = None
    return tuple(found)


def find_table(name: str, tables: Iterable[KnownTable]) -> tuple[KnownTable | None, bool]:
    """The table whose name ends like this one, or as much of it as there is; and whether there are several such.

    >>> orders = KnownTable(b"1", (("shop", "sales", "orders"),))
    >>> find_table("sales.orders", [orders])[0] is orders, find_table("hr.orders", [orders])
    (True, (None, False))
    """
    wanted = tuple(part.casefold() for part in parts_of_text(name) if part)
    best, found = 0, dict[bytes, KnownTable]()
    for table in tables:
        agreeing = max((_agreement(wanted, alias) for alias in table.aliases), default=0)
        if agreeing > best:
            best, found = agreeing, {}
        if agreeing and agreeing == best:
            found[table.dataset] = table
    return (next(iter(found.values())), False) if len(found) == 1 else (None, bool(found))


def _agreement(wanted: tuple[str, ...], alias: tuple[str, ...]) -> int:
    """How many parts agree from the end; none if any of those that both have do not."""
    known = tuple(part.casefold() for part in alias)
    length = min(len(wanted), len(known))
    return length if length and wanted[-length:] == known[-length:] else 0
