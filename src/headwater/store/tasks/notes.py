"""Notes of changes, from which tasks are planned after the commit."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from msgspec import Struct

from headwater.store.engine import WRITING
from headwater.store.tasks.records import NoteKind, TaskNote
from headwater.store.tasks.tables import task_notes
from headwater.store.tasks.tenants import is_enabled
from headwater.store.write.upsert import insert_statement

__all__ = ["NodeNotes", "StoredNote", "TaskNotes"]

_AT_ONCE = 500


class NodeNotes:
    """Writes notes of nodes beside the nodes themselves."""

    def __init__(self, dialect: sa.Dialect) -> None:
        self._insert = insert_statement(task_notes, dialect)

    def is_wanted(self, connection: sa.Connection, tenant: int) -> bool:
        """Whether changes of this tenant are noted."""
        return is_enabled(connection, tenant)

    def write(self, connection: sa.Connection, tenant: int, nodes: Sequence[bytes]) -> None:
        if nodes:
            self._insert.run(connection, [(tenant, int(NoteKind.ASSET), node) for node in nodes])


class StoredNote(Struct, frozen=True):
    id: int
    note: TaskNote


class TaskNotes:
    """Reads notes, and removes those that are done."""

    def __init__(self, reading: sa.Engine, writing: sa.Engine) -> None:
        self._reading, self._writing = reading, writing

    def waiting(self) -> list[int]:
        """Tenants with notes."""
        with self._reading.connect() as connection:
            return [row[0] for row in connection.execute(sa.select(task_notes.c.tenant).distinct())]

    def first(self, tenant: int, most: int) -> list[StoredNote]:
        """The oldest notes of a tenant."""
        query = (
            sa.select(task_notes.c.id, task_notes.c.kind, task_notes.c.node)
            .where(task_notes.c.tenant == tenant)
            .order_by(task_notes.c.id)
            .limit(most)
        )
        with self._reading.connect() as connection:
            return [StoredNote(row[0], TaskNote(row[1], bytes(row[2]))) for row in connection.execute(query)]

    def remove(self, tenant: int, numbers: Sequence[int]) -> None:
        with self._writing.connect().execution_options(**WRITING) as connection, connection.begin():
            remove_notes(connection, tenant, numbers)


def remove_notes(connection: sa.Connection, tenant: int, numbers: Sequence[int]) -> None:
    for start in range(0, len(numbers), _AT_ONCE):
        some = numbers[start : start + _AT_ONCE]
        connection.execute(task_notes.delete().where(task_notes.c.tenant == tenant, task_notes.c.id.in_(some)))
