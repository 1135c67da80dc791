"""Several processes write the same events to one database, in different orders: no update is lost, nobody fails."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import sqlalchemy as sa

from headwater.graph.facts import Run
from headwater.graph.fold import fold
from headwater.store.dialects.failures import retried
from headwater.store.engine import make_engine
from headwater.store.read.dump import dump_facts, dump_graph
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from headwater.store.tables import events, fact_tables
from headwater.store.write.log import log_rows
from headwater.store.write.upsert import Row, append_statement
from tests.conftest import entry_of
from tests.servers import DatabaseServer
from tests.store.test_contract import event, graph_of, recorded

WRITERS = 4
ROOT = Path(__file__).parents[2]


def test_same_dump_as_one_writer(database: Callable[[], str]) -> None:
    url = database()
    command = [sys.executable, "-m", "tests.store.write_events", url]
    writers = [
        subprocess.Popen(
            [*command, str(seed)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for seed in range(WRITERS)
    ]
    for writer in writers:  # each says that it is ready, then all of them begin
        assert writer.stdout.readline() == "ready\n", writer.communicate()
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.flush()
    answers = [writer.communicate(timeout=120) for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * WRITERS, answers
    distinct = {body.strip() for body in recorded()}
    assert sum(int(said) for said, _ in answers) == len(distinct), "every event is new to exactly one of them"
    engine = make_engine(url)
    reader = Reader(engine)
    assert sorted(item.body for item in reader.log(1)) == sorted(distinct)
    assert list(dump_facts(partial(reader.all_facts, 1))) == list(dump_graph(graph_of(recorded(), 1)))
    engine.dispose()


def test_a_duplicate_of_another_writers_event_costs_no_other_event(server: DatabaseServer) -> None:
    """The second writer waits at the first's event, and then meets one that has a greater number than its own."""
    url = server.make_database()
    store = SqlStore(url)
    store.open()
    rows = log_rows([entry_of(event(f"job{number}", f"2026-03-01T00:00:{number:02d}Z")) for number in range(20)])
    engine, second = make_engine(url, writes=True), []
    append = append_statement(engine.dialect)
    with engine.connect() as connection, connection.begin():
        append.run(connection, rows[:1])
        waiting = threading.Thread(target=lambda: second.append(_append(url, [*rows[:2], *rows[10:]])))
        waiting.start()
        waiting.join(0.5)
        assert waiting.is_alive(), "it has to wait for the first"
        append.run(connection, rows[1:10])
    waiting.join(60)
    assert second == [10]
    with engine.connect() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(events)).scalar_one() == 20
    engine.dispose()
    store.close()


def _append(url: str, rows: list[Row]) -> int:
    engine = make_engine(url, writes=True)
    with engine.connect() as connection, connection.begin():
        new = append_statement(engine.dialect).run(connection, rows)
    engine.dispose()
    return new


def test_a_deadlock_is_tried_again(server: DatabaseServer) -> None:
    """Two transactions take two rows crosswise: the database undoes one of them, and it is done again."""
    store = SqlStore(server.make_database())
    store.open()
    runs = [Run(1, name * 16, status=1) for name in (b"1", b"2")]
    store.merge(fold(runs))
    table, attempts, meet = fact_tables[Run], [], threading.Barrier(2, timeout=60)

    def cross(order: list[Run], number: int) -> None:
        def work() -> None:
            attempts.append(number)
            with store.engine.begin() as connection:
                for place, run in enumerate(order):
                    if place and attempts.count(number) == 1:
                        meet.wait()
                    more = table.c.status + 1
                    connection.execute(
                        table.update().where(table.c.tenant == 1, table.c.run == run.run).values(status=more)
                    )

        retried(work)

    threads = [threading.Thread(target=cross, args=(order, number)) for number, order in enumerate((runs, runs[::-1]))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(attempts) > 2
    assert [run.status for run in Reader(store.engine).all_facts(1, Run)] == [3, 3]
    store.close()
