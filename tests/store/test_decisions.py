"""Changes by hand fold like everything else: whatever the order in which they arrive, the newest counts."""

from __future__ import annotations

import random

import pytest

from headwater.graph.annotations.notes import NO, SAME_LOCATION, TAKEN_BACK, YES
from headwater.graph.facts import Edit, LocationDecision, SameLocation
from headwater.lineage.edits.event import Remark
from headwater.lineage.entities.locations import location_entity
from headwater.store.read.dump import dump_facts, dump_graph
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from tests.conftest import entry_of, read_events
from tests.edits import edit_body
from tests.store.test_contract import graph_of

DB, IP = "postgres://db:5432", "postgres://10.0.0.7:5432"
BODIES = tuple(read_events("written/edits.ndjson"))


def decided(second: int, value: str, by: str) -> bytes:
    return edit_body(second, Remark("NAMESPACE", SAME_LOCATION, value, DB, name=IP), by=by)


@pytest.mark.parametrize(
    ("newest", "same", "places"), [(NO, SameLocation.APART, 1), (YES, SameLocation.SAME, 2), (TAKEN_BACK, -1, 1)]
)
def test_a_decision_that_arrives_late_does_not_beat_a_newer_one(
    store: SqlStore, newest: str, same: int, places: int
) -> None:
    older = NO if newest == YES else YES
    store.write([entry_of(decided(9, newest, "ann"))])
    store.write([entry_of(decided(5, older, "bob"))])
    reader = Reader(store.engine)
    (fact,) = reader.all_facts(1, LocationDecision)
    assert fact.same is not None
    assert fact.decided_by is not None
    assert (fact.same[1], fact.decided_by[1]) == (same, "ann")
    assert len(location_entity(reader, 1, DB).namespaces) == places
    assert len(list(reader.all_facts(1, Edit))) == 2, "both are in the history"


@pytest.mark.parametrize("seed", range(2))
def test_any_order_gives_the_same_graph(store: SqlStore, seed: int) -> None:
    chance, bodies = random.Random(seed), [*BODIES, *BODIES[3:8]]
    chance.shuffle(bodies)
    while bodies:
        some = chance.randint(1, 4)
        store.write([entry_of(body) for body in bodies[:some]])
        del bodies[:some]
    with Reader(store.engine).snapshot(1) as read:
        assert list(dump_facts(read)) == list(dump_graph(graph_of(BODIES, 1)))
