"""An event older than the cut-over time of its metalake is marked in the log, and changes nothing."""

from __future__ import annotations

import json

import sqlalchemy as sa

from headwater.openlineage.times import format_time
from headwater.pipeline.gravitino.events import EventMaker
from headwater.store.sql_store import SqlStore
from headwater.store.tables import events
from headwater.store.write.log import Entry, Tenant
from tests.conftest import entry_of
from tests.pipeline.gravitino.test_sync import columns, ids, live, take

MAKER = EventMaker(1, "default", "lake", format_time(10_000_000))


def warnings(store: SqlStore, tenant: int = 1) -> dict[int, list[str]]:
    """By the time of the event."""
    query = sa.select(events.c.event_time, events.c.warnings).where(events.c.tenant_id == tenant)
    with store.engine.connect() as connection:
        return {
            time: [warning["path"] for warning in json.loads(text or "[]")] for time, text in connection.execute(query)
        }


def test_marked(store: SqlStore) -> None:
    take(store, live("create_table", "sales.first", 5_000_000, columns("a")), MAKER.started())
    take(store, live("create_table", "sales.during", 6_000_000, columns("a")))
    take(store, MAKER.ready())
    store._late._known.clear()  # what it knew is looked up again after some seconds
    take(
        store,
        live("create_table", "sales.late", 9_000_000, columns("a")),
        live("create_table", "sales.new", 11_000_000, columns("a")),
    )
    assert warnings(store) == {
        5_000_000: [],
        6_000_000: [],
        9_000_000: ["$.eventTime"],
        10_000_000: [],
        11_000_000: [],
    }
    assert ids(store, "Table") == {"gravitino://lake/hive:sales.new"}


def test_not_of_another_tenant_or_an_engine(store: SqlStore) -> None:
    take(store, MAKER.started(), MAKER.ready())
    body = json.loads(live("load", "sales.t0", 3_000_000))
    body |= {"producer": "https://example.com/spark", "job": {"namespace": "spark", "name": "load"}}
    store.write([entry_of(json.dumps(body).encode())])
    assert warnings(store)[3_000_000] == []
    other = entry_of(live("create_table", "sales.t0", 4_000_000, columns("a")))
    store.write([Entry(Tenant(2, "b", "B"), other.event, other.interpretation, 0)])
    assert warnings(store, 2) == {4_000_000: []}
