"""Up to where a rollup may say that it has everything."""

from __future__ import annotations

import time

import sqlalchemy as sa

from headwater.store.pipeline.late_facts import opened_late_facts
from headwater.store.pipeline.rollup_marks import RollupMarks, settled_position
from headwater.store.sql_store import SqlStore
from headwater.store.tables import events
from tests.store.test_contract import entry, event

LONG_AGO = 1_700_000_000_000_000


def test_not_what_came_just_now_nor_what_is_not_merged_yet(store: SqlStore) -> None:
    url = store.engine.url.render_as_string(hide_password=False)
    assert settled_position(store.engine) == 0
    store.write([entry(event(f"old{number}")) for number in range(3)])
    with store.engine.begin() as connection:
        connection.execute(events.update().values(received_at=LONG_AGO))
    with store.engine.connect() as connection:
        old = connection.execute(sa.select(sa.func.max(events.c.id))).scalar_one()
    assert settled_position(store.engine) == old
    with opened_late_facts(url, "an import"):
        store.write([entry(event(f"imported{number}")) for number in range(3)])
        with store.engine.begin() as connection:
            connection.execute(events.update().values(received_at=LONG_AGO))
        assert settled_position(store.engine) == old
    assert settled_position(store.engine) == old + 3
    store.write([entry(event("new"))])
    with store.engine.begin() as connection:
        connection.execute(events.update().where(events.c.id > old + 3).values(received_at=time.time_ns() // 1000))
    assert settled_position(store.engine) == old + 3


def test_a_mark_that_was_taken_away_is_not_put_back(store: SqlStore) -> None:
    marks = RollupMarks(store.engine, "d")
    marks.note([1, 2], 10)
    marks.note([2], 12)
    assert marks.read() == {1: 10, 2: 12}
    assert RollupMarks(store.engine, "e").read() == {}
    marks.advance({1: 9, 2: 12}, 20)
    assert marks.read() == {1: 10, 2: 20}
