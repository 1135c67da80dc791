"""A task writes what concerns one run, in portions, and hands on the rest; together that is all there is to say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from headwater.graph.fact import Fact
from headwater.graph.facts import FACTS, Evidence, Quality, Run, RunDataset, RunShape, Shape
from headwater.openlineage.decode import decode_event
from headwater.pipeline.merge.slots import to_rows
from headwater.pipeline.tasks import fold as folding
from headwater.pipeline.tasks.fold import Folding
from headwater.store.sql_store import DEFAULT_TENANT
from headwater.store.write.upsert import Row, row_of
from tests.store.test_contract import graph_of, recorded


class Written:
    """Takes what is written, as a store would."""

    def __init__(self) -> None:
        self.transactions: list[dict[type[Fact], list[Row]]] = []
        self.free = True

    def merge(self, facts: Mapping[type[Fact], Sequence[Row]]) -> None:
        self.transactions.append({kind: list(rows) for kind, rows in facts.items()})

    def is_free(self) -> bool:
        return self.free

    def rows(self, kind: type[Fact]) -> list[Row]:
        return [row for facts in self.transactions for row in facts.get(kind, ())]


def test_which_facts_are_of_a_run() -> None:
    assert {Run, RunShape, RunDataset, Quality} <= {fact for fact in FACTS if fact.is_of_run}
    assert not {Evidence, Shape} & {fact for fact in FACTS if fact.is_of_run}


def test_written_and_handed_on_are_all_facts_each_once() -> None:
    written, expected = Written(), graph_of(recorded(), DEFAULT_TENANT.id)
    task = Folding("one run", "one task", written)
    for body in recorded():
        task.take(DEFAULT_TENANT, decode_event(body))
    handed_on = {kind: rows for batch in task.batches() for kind, _, rows in to_rows(batch)}
    assert len(written.transactions) == 1
    for kind, table in expected.items():
        rows = [row_of(table[key]) for key in sorted(table)]
        if kind.is_of_run:
            assert written.rows(kind) == rows, "in the order of their keys"
            assert kind not in handed_on
        else:
            assert sorted(handed_on[kind], key=repr) == sorted(rows, key=repr)
    assert task.written == sum(len(table) for kind, table in expected.items() if kind.is_of_run)


def test_portions_bound_what_a_task_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folding, "_PORTION", 10)
    monkeypatch.setattr(folding, "_LOOK", 5)
    written, bodies = Written(), recorded()[:35]
    task = Folding("another run", "one task", written)
    for body in bodies:
        task.take(DEFAULT_TENANT, decode_event(body))
    assert len(written.transactions) == 3
    assert list(task.batches())
    assert len(written.transactions) == 4
    keys = {row[:2] for row in written.rows(Run)}
    assert keys == set(graph_of(bodies, DEFAULT_TENANT.id)[Run])


def test_while_another_writes_a_task_reads_on_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folding, "_PORTION", 10)
    monkeypatch.setattr(folding, "_LOOK", 5)
    written, bodies = Written(), recorded()[:40]
    task = Folding("a third run", "one task", written)
    written.free = False
    counts = []
    for number, body in enumerate(bodies):
        written.free = number >= 35
        task.take(DEFAULT_TENANT, decode_event(body))
        counts.append(len(written.transactions))
    assert counts.index(1) == 20, "it waits no longer than that"
    assert counts.index(2) == 35, "and writes as soon as the other one is done"
