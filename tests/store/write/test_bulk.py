"""Writing in bulk, on every database: each event once, which of them are there, and facts that merge."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from headwater.graph.fold import fold
from headwater.interpret.interpret import interpret
from headwater.openlineage.decode import decode_event
from headwater.store.dialects.failures import TooLargeForStore
from headwater.store.read.dump import dump_graph
from headwater.store.read.reader import Reader
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from headwater.store.write import bulk
from headwater.store.write.bulk import BulkWriter
from headwater.store.write.log import Entry, Tenant
from headwater.store.write.upsert import row_of
from tests.store.test_contract import OTHER, dump, event, graph_of

BODIES = [event(f"job{number}", f"2026-03-01T00:00:{number % 3:02d}Z") for number in range(9)]
"""Of several at the same time, so that time alone does not tell them apart."""


@pytest.fixture
def url(database: Callable[[], str]) -> str:
    found = database()
    store = SqlStore(found)
    store.open()
    store.close()
    return found


@pytest.fixture
def writer(url: str) -> Iterator[BulkWriter]:
    made = BulkWriter(url)
    yield made
    made.close()


def entries(bodies: list[bytes], tenant: Tenant = DEFAULT_TENANT, received_at: int = 7) -> list[Entry]:
    return [Entry(tenant, decode_event(body), None, received_at) for body in bodies]


@pytest.mark.parametrize("at_once", [400, 2, 1])
def test_which_events_are_there(writer: BulkWriter, monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    """By tenant, time, bytes and when they were received: one that came before does not count."""
    monkeypatch.setattr(bulk, "_AT_ONCE", at_once)
    assert writer.append(entries(BODIES[:4])) in (4, -1)
    assert writer.append(entries(BODIES[2:6], received_at=8)) in (2, -1)
    writer.append(entries(BODIES[6:7], OTHER))

    def there(asked: list[Entry]) -> set[tuple[int, int, bytes]]:
        return writer.appended_at(asked)

    def keys(asked: list[Entry]) -> set[tuple[int, int, bytes]]:
        return {(entry.tenant.id, entry.event.time, entry.event.fingerprint) for entry in asked}

    assert there(entries(BODIES)) == keys(entries(BODIES[:4]))
    assert there(entries(BODIES, received_at=8)) == keys(entries(BODIES[4:6]))
    assert there(entries(BODIES, OTHER)) == keys(entries(BODIES[6:7], OTHER))
    assert there([*entries(BODIES), *entries(BODIES[6:], OTHER)]) == keys(entries(BODIES[:4])) | keys(
        entries(BODIES[6:7], OTHER)
    )
    assert there([]) == there(entries(BODIES, received_at=9)) == set()


def test_each_event_once(url: str, writer: BulkWriter) -> None:
    for start in (0, 3, 0):
        writer.append(entries([*BODIES[start:], BODIES[start]]))
    store = SqlStore(url)
    assert sorted(item.body for item in Reader(store.engine).log(1)) == sorted(BODIES)
    store.close()


def test_facts_of_two_writers_merge(url: str, writer: BulkWriter) -> None:
    for part in (BODIES[:6], BODIES[3:], BODIES[:6]):
        graph = fold(fact for body in part for fact in interpret(decode_event(body), 1).facts())
        writer.merge({kind: [row_of(table[key]) for key in sorted(table)] for kind, table in graph.items()})
    store = SqlStore(url)
    assert dump(Reader(store.engine)) == list(dump_graph(graph_of(tuple(BODIES), 1)))
    store.close()


def test_an_event_that_no_packet_holds_is_refused(writer: BulkWriter) -> None:
    writer._packet = 100
    with pytest.raises(TooLargeForStore):
        writer.append(entries(BODIES[:1]))
    writer._packet = None
    assert writer.append(entries(BODIES[:1])) in (1, -1)
