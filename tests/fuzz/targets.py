"""What is tried in this process: reading an event, what it means, keeping it, and SQL.

Each target makes an input from a source of chance, and checks what the program does with it. A check that raises has
found something: anything but the errors that the program promises, another answer the second time, or too slow.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from headwater.bounded_cache import BoundedCache
from headwater.graph.fold import fold
from headwater.interpret.interpret import interpret
from headwater.openlineage.decode import decode_event
from headwater.openlineage.errors import RefusedEvent
from headwater.sql import DIALECTS, Limits, SqlError, analyze
from headwater.store.read.dump import dump_facts, dump_graph
from headwater.store.read.reader import Reader
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from headwater.store.write.log import Entry
from tests.fuzz.mutate import damaged_bytes, damaged_event, events
from tests.sql.case_files import cases

__all__ = ["Decode", "Interpret", "Sql", "Store", "Target", "at_most"]

_TEXT_OF_WORDS = (
    "SELECT FROM WHERE JOIN ON USING GROUP BY ORDER HAVING WINDOW OVER PARTITION UNION ALL EXCEPT WITH RECURSIVE AS "
    "INSERT INTO VALUES UPDATE SET DELETE MERGE MATCHED THEN CREATE TABLE VIEW FUNCTION PROCEDURE BEGIN END IF ELSE "
    "CASE WHEN LATERAL UNNEST EXPLODE PIVOT UNPIVOT FOR IN TABLE( MATCH_RECOGNIZE( ( ) , . ; * + - = < > :: -> => 'x' "
    '"y" `z` [w] 1 2.5 a b c t u $1 @v #tmp ? NULL QUALIFY COPY USE DROP ALTER RENAME TO LIKE ROW< MAP[ -- /* */ \' "'
)
_WORDS = _TEXT_OF_WORDS.split(" ")


class Target(Protocol):
    def make(self, chance: Random) -> Any:
        """An input."""

    def check(self, made: Any) -> None:
        """Raise if the program does with it what it must not."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Of processor time, so that a busy machine does not matter."""
    began = time.process_time()
    yield
    took = time.process_time() - began
    assert took < seconds, f"took {took:.1f} s of processor time; {seconds} s is the most"


class Decode:
    """Bytes are an event or refused, in time that grows with their number."""

    @cached_property
    def _events(self) -> list[bytes]:
        return events()

    def make(self, chance: Random) -> bytes:
        body = chance.choice(self._events) if chance.random() < 0.7 else damaged_event(chance, self._events)
        return damaged_bytes(chance, body)

    def check(self, made: bytes) -> None:
        with at_most(1 + len(made) / 1e6):
            try:
                event = decode_event(made)
            except RefusedEvent as refusal:
                f"{refusal.message} {refusal.hint} {refusal.path}".encode()
                return
            again = decode_event(made)
        assert (event.fingerprint, event.time, event.warnings) == (again.fingerprint, again.time, again.warnings)
        "".join(f"{warning}" for warning in event.warnings).encode()
        for dataset in (*event.inputs, *event.outputs):
            assert dataset.namespace
            assert dataset.name


class Interpret:
    """What an event states is a function of it alone, whatever is remembered, and can be shown."""

    def __init__(self) -> None:
        self._descriptions: BoundedCache = BoundedCache(1 << 20)

    @cached_property
    def _events(self) -> list[bytes]:
        return events()

    def make(self, chance: Random) -> bytes:
        return damaged_event(chance, self._events)

    def check(self, made: bytes) -> None:
        with at_most(2 + len(made) / 5e4):
            try:
                event = decode_event(made)
            except RefusedEvent:
                return
            facts = list(interpret(event, 1).facts())
            remembered = list(interpret(decode_event(made), 1, self._descriptions).facts())
        graph = fold(facts)
        assert fold(remembered) == graph
        assert fold([*reversed(facts), *facts]) == graph
        "\n".join(dump_graph(graph)).encode()


class Store:
    """A store holds the fold of the events that it was given, however odd they are."""

    @cached_property
    def _events(self) -> list[bytes]:
        return events()

    def make(self, chance: Random) -> list[bytes]:
        return [damaged_event(chance, self._events) for _ in range(chance.randint(1, 30))]

    def check(self, made: list[bytes]) -> None:
        decoded = []
        for body in made:
            try:
                decoded.append(decode_event(body))
            except RefusedEvent:
                continue
        tenant = DEFAULT_TENANT
        entries = [Entry(tenant, event, interpret(event, tenant.id), 0) for event in decoded]
        with TemporaryDirectory() as folder:
            store = SqlStore(f"sqlite:///{folder}/headwater.db")
            store.open()
            try:
                for place in range(0, len(entries), 7):
                    store.write(entries[place : place + 7])
                reader = Reader(store.engine)
                found = list(dump_facts(lambda fact: reader.all_facts(tenant.id, fact)))
                kept = {item.body for item in reader.log(tenant.id)}
            finally:
                store.close()
        expected = fold(fact for event in decoded for fact in interpret(event, tenant.id).facts())
        assert found == list(dump_graph(expected))
        assert kept == {event.body for event in decoded}


class Sql:
    """No text makes the analyser raise anything but its own error, and none takes longer than its limit."""

    _LIMITS = Limits(seconds=5.0)

    @cached_property
    def _texts(self) -> list[str]:
        return [case.sql for case in cases()]

    def make(self, chance: Random) -> tuple[str, str]:
        dialect = chance.choice(list(DIALECTS))
        match chance.randrange(4):
            case 0:
                return " ".join(chance.choices(_WORDS, k=chance.randint(1, 80))), dialect
            case 1:
                one, other = chance.choice(self._texts), chance.choice(self._texts)
                return one[: chance.randint(0, len(one))] + other[chance.randint(0, len(other)) :], dialect
            case 2:
                text = chance.choice(self._texts).encode()
                return damaged_bytes(chance, text).decode("utf-8", "surrogateescape"), dialect
            case _:
                words = chance.choice(self._texts).split(" ")
                for _ in range(chance.randint(1, 8)):
                    place = chance.randrange(len(words) + 1)
                    words[place : place + chance.randint(0, 3)] = chance.choices(_WORDS, k=chance.randint(0, 3))
                return " ".join(words), dialect

    def check(self, made: tuple[str, str]) -> None:
        text, dialect = made
        with at_most(3 * self._LIMITS.seconds):
            try:
                analysis = analyze(text, dialect=dialect, limits=self._LIMITS)
                analysis.lineage()
                analysis.to_openlineage()
            except SqlError:
                return
