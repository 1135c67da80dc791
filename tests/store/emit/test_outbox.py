"""Versions and outbox on every database: leases, order, requests that come while a version is read."""

from __future__ import annotations

from headwater.store.emit.outbox import EmitOutbox, EmitProgress, NewEvent
from headwater.store.emit.versions import DONE, WATCHED, EmitVersions
from headwater.store.sql_store import SqlStore

TENANT = 7
LONG = 60_000_000
EVENTS = [NewEvent("publish", 1, b"first"), NewEvent("recall", 2, b"second")]


def test_claims_are_alone_and_events_in_order(store: SqlStore) -> None:
    versions, outbox = EmitVersions(store.engine), EmitOutbox(store.engine)
    versions.request(TENANT, "prod", ["v", "w"])
    rows = versions.claim(TENANT, "one", 9, LONG)
    assert {row.version_id for row in rows} == {"v", "w"}
    assert not versions.claim(TENANT, "two", 9, LONG)
    for row in rows:
        assert outbox.finish(TENANT, row, "one", EVENTS, ["a", "b"], EmitProgress(DONE, None, 3, None)) == 4
    assert not versions.is_due(TENANT)
    claimed = outbox.claim(TENANT, "a", "one", 9, LONG)
    assert [(event.step, body) for event, body in claimed] == [("publish", b"first")] * 2
    assert not outbox.claim(TENANT, "a", "two", 9, LONG)
    outbox.sent(TENANT, "a", "one", [claimed[0][0]])
    outbox.failed(TENANT, "a", "one", claimed[1][0], "500", "it answered 500", LONG)
    ((event, body),) = outbox.claim(TENANT, "a", "two", 9, LONG)
    assert (event.version, event.step, body) == (claimed[0][0].version, "recall", b"second")
    outbox.sent(TENANT, "a", "one", [event])  # not its own
    assert outbox.count(TENANT) == {("a", "SENT"): 1, ("a", "PENDING"): 3, ("b", "PENDING"): 4}


def test_a_request_while_a_version_is_read_is_not_lost(store: SqlStore) -> None:
    versions, outbox = EmitVersions(store.engine), EmitOutbox(store.engine)
    versions.request(TENANT, "prod", ["v"])
    (row,) = versions.claim(TENANT, "one", 9, LONG)
    versions.request(TENANT, "prod", ["v"], is_recall=True)
    assert not versions.is_due(TENANT)  # it is leased
    outbox.finish(TENANT, row, "one", EVENTS[:1], ["a"], EmitProgress(DONE, None, 3, None))
    assert versions.is_due(TENANT)
    (again,) = versions.claim(TENANT, "two", 9, LONG)
    assert (again.recall_wanted, again.requests) == (1, 2)
    assert outbox.finish(TENANT, again, "two", EVENTS, ["a"], EmitProgress(WATCHED, LONG, 3, None)) == 1
    (known,) = versions.list(TENANT)
    assert (known.state, known.recall_wanted, known.due_at is not None) == (WATCHED, 0, True)


def test_a_lease_that_is_over_is_anybodys(store: SqlStore) -> None:
    versions, outbox = EmitVersions(store.engine), EmitOutbox(store.engine)
    versions.request(TENANT, "prod", ["v"])
    (row,) = versions.claim(TENANT, "killed", 9, 0)
    (same,) = versions.claim(TENANT, "next", 9, LONG)
    assert outbox.finish(TENANT, row, "killed", EVENTS, ["a"], EmitProgress(DONE, None, 0, None)) == 0
    assert outbox.finish(TENANT, same, "next", EVENTS, ["a"], EmitProgress(DONE, None, 0, None)) == 2
    outbox.claim(TENANT, "a", "killed", 9, 0)
    assert len(outbox.claim(TENANT, "a", "next", 9, LONG)) == 1
