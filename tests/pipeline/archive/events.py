"""Events for the tests of the archive, and what is in a log and in an archive."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import msgspec
import sqlalchemy as sa

from headwater.interpret.interpret import interpret
from headwater.openlineage.decode import decode_event
from headwater.pipeline.archive.read import read_archive
from headwater.store.access.tenants import Tenants
from headwater.store.compression import decompress
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from headwater.store.tables import events
from headwater.store.write.log import Entry, Tenant

BEGIN = datetime(2026, 1, 1, 12, tzinfo=UTC)


def body(number: int, day: int = 0) -> bytes:
    """A run event of a day; white space inside shows whether the bytes are kept."""
    event = {
        "eventTime": (BEGIN + timedelta(days=day, seconds=number)).isoformat(),
        "eventType": "COMPLETE",
        "producer": "https://example.com/tests",
        "run": {"runId": f"0190c0de-0000-7000-8000-{number:012d}"},
        "job": {"namespace": "tests", "name": f"job {number % 3}"},
        "inputs": [{"namespace": "n", "name": f"in {number % 3}"}],
        "outputs": [{"namespace": "n", "name": "out"}],
    }
    return msgspec.json.format(msgspec.json.encode(event), indent=1)


def write(store: SqlStore, bodies: Iterable[bytes], tenant: Tenant = DEFAULT_TENANT) -> None:
    decoded = [decode_event(each) for each in bodies]
    store.write([Entry(tenant, event, interpret(event, tenant.id), 1_700_000_000_000_000) for event in decoded])


def make_tenant(store: SqlStore, code: str) -> Tenant:
    return Tenants(store.engine).create(code, code)


def move_ids(store: SqlStore, by: int) -> None:
    """Give the events of the log greater ids, as if there had been many before them."""
    with store.engine.begin() as connection:
        # In two steps, so that no id is taken while others still have it.
        connection.execute(events.update().values(id=-events.c.id))
        connection.execute(events.update().values(id=by - events.c.id))


def logged(store: SqlStore) -> list[tuple[str, int, bytes]]:
    """Tenant, id and body of all events in the log."""
    query = sa.select(events.c.tenant_code, events.c.id, events.c.event)
    with store.engine.connect() as connection:
        return sorted((row[0], row[1], decompress(row[2])) for row in connection.execute(query))


def archived(folder: object) -> list[tuple[str, int, bytes]]:
    return sorted(tuple(event) for event in read_archive(str(folder)))
