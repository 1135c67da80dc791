"""Operations that a producer reports twice.

Spark runs `CREATE TABLE ... AS SELECT` as an operation that creates the table, inside which another one inserts the
rows; both name the table as output. They are one act if they have the same parent run and the same output, overlap in
time, and are named as Spark names them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct

__all__ = ["Doing", "creates_as_select", "inserts", "pairs_of"]

_CREATE = re.compile(
    r"(?:^|\.)(?:execute_|optimized_|atomic_)*(?:create|replace)_(?:hive_|data_source_)?table_as_select(?:_command)?"
    r"(?:\.|$)"
)
_INSERT = re.compile(
    r"(?:^|\.)(?:execute_)?(?:insert_into_\w+|append_data|overwrite_by_expression|save_into_data_source_command)(?:\.|$)"
)
_MOST_COMPARED = 100
"""Inserts into the same table that are compared with one creation."""


class Doing(Struct, frozen=True):
    """An operation, with the values that show whether it is half of an act."""

    run: bytes
    parent: bytes | None
    name: str
    began: int | None
    ended: int | None


def creates_as_select(name: str) -> bool:
    """Whether Spark calls an operation so that makes a table of a query.

    >>> creates_as_select("shop.execute_create_hive_table_as_select_command.default_t2")
    True
    >>> creates_as_select("shop.execute_create_data_source_table_command.t2"), creates_as_select("dag.create_table")
    (False, False)
    """
    return _CREATE.search(name) is not None


def inserts(name: str) -> bool:
    """Whether Spark calls an operation so that puts rows into a table.

    >>> inserts("shop.execute_insert_into_hive_table.warehouse_t2"), inserts("insert_orders")
    (True, False)
    """
    return _INSERT.search(name) is not None


def pairs_of(operations: Iterable[Doing], outputs: Mapping[bytes, Collection[bytes]]) -> list[tuple[bytes, bytes]]:
    """(creation, insert) wherever two of these are one act; each is in one pair at most."""
    listed = [doing for doing in operations if doing.parent is not None]
    creations = [doing for doing in listed if creates_as_select(doing.name)]
    if not creations:
        return []
    inserting: dict[tuple[bytes | None, bytes], list[Doing]] = defaultdict(list)
    for doing in sorted(listed, key=_order):
        if inserts(doing.name):
            for dataset in outputs.get(doing.run, ()):
                inserting[doing.parent, dataset].append(doing)
    found: list[tuple[bytes, bytes]] = []
    taken: set[bytes] = set()
    for creation in sorted(creations, key=_order):
        others = (
            doing
            for dataset in sorted(outputs.get(creation.run, ()))
            for doing in inserting.get((creation.parent, dataset), ())[:_MOST_COMPARED]
        )
        insert = next((doing for doing in others if doing.run not in taken and _is_overlapping(creation, doing)), None)
        if insert is not None:
            taken.add(insert.run)
            found.append((creation.run, insert.run))
    return found


def _order(doing: Doing) -> tuple[int, bytes]:
    return doing.began or 0, doing.run


def _is_overlapping(one: Doing, other: Doing) -> bool:
    if one.began is None or one.ended is None or other.began is None or other.ended is None:
        return False
    return one.began <= other.ended and other.began <= one.ended
