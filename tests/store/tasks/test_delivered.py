"""With a graph server a note leads to tasks only when the server has got what the note is about."""

from __future__ import annotations

import sqlalchemy as sa

from headwater.store.assets.tables import asset_outbox, graph_servers
from headwater.store.sql_store import SqlStore
from headwater.store.tasks.delivered import DeliveredNotes
from headwater.store.tasks.notes import StoredNote
from headwater.store.tasks.records import NoteKind, TaskNote


def notes(*numbers: int) -> list[StoredNote]:
    return [StoredNote(number, TaskNote(NoteKind.ASSET, bytes(16))) for number in numbers]


def run(store: SqlStore, statement: sa.Executable, **values: object) -> None:
    with store.engines["writer"].connect() as connection, connection.begin():
        connection.execute(statement, values)


def change(store: SqlStore, tenant: int = 1) -> None:
    run(store, asset_outbox.insert(), tenant=tenant, source="a:b", kind="", target="")


def deliver(store: SqlStore, tenant: int, most: int) -> None:
    some = sa.select(asset_outbox.c.number).where(asset_outbox.c.tenant == tenant).order_by(asset_outbox.c.number)
    with store.engines["writer"].connect() as connection, connection.begin():
        numbers = [row[0] for row in connection.execute(some.limit(most))]
        connection.execute(asset_outbox.delete().where(asset_outbox.c.number.in_(numbers)))


def test_without_a_server_all_are_free(store: SqlStore) -> None:
    change(store)
    assert DeliveredNotes(store.engine).of(1, notes(1, 2)) == notes(1, 2)


def test_what_the_server_has_not_got_waits(store: SqlStore) -> None:
    run(store, graph_servers.insert(), name="neo4j", since=1)
    free = DeliveredNotes(store.engine)
    change(store, 2)
    assert free.of(1, notes(1)) == notes(1), "of this tenant nothing waits"
    change(store)
    change(store)
    assert free.of(1, notes(2, 3)) == []
    deliver(store, 1, 1)
    assert free.of(1, notes(2, 3)) == [], "half of it"
    deliver(store, 1, 1)
    assert free.of(1, notes(2, 3)) == notes(2, 3)


def test_changes_that_never_cease(store: SqlStore) -> None:
    """There is always something that waits, but not the same: older notes become free."""
    run(store, graph_servers.insert(), name="neo4j", since=1)
    free, last = DeliveredNotes(store.engine), 0
    change(store)
    freed: list[int] = []
    for number in range(2, 12):
        waiting = notes(*range(last + 1, number))
        for note in free.of(1, waiting):
            freed.append(note.id)
            last = note.id
        change(store)
        deliver(store, 1, 1)
    assert freed == list(range(1, 1 + len(freed)))
    assert len(freed) >= 8, "each waits for one more look"
