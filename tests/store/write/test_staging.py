"""A graph built aside and swapped in: what is right already is not written again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from headwater.graph.facts import STORED
from headwater.graph.fold import fold
from headwater.interpret.interpret import interpret
from headwater.openlineage.decode import decode_event
from headwater.store.engine import WRITING
from headwater.store.read.dump import dump_graph
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from headwater.store.tables import fact_tables
from headwater.store.write.staging import StagedGraph, StagingWriter
from headwater.store.write.upsert import row_of
from tests.pipeline.test_equivalence import dump
from tests.store.test_contract import entry, graph_of, recorded

TENANT = DEFAULT_TENANT.id


def test_only_what_differs_is_written(database: Callable[[], str]) -> None:
    url = database()
    store = SqlStore(url)
    store.open()
    bodies = recorded()[:40]
    store.write([entry(body) for body in bodies])
    expected = list(dump_graph(graph_of(bodies, TENANT)))
    with store.engine.connect().execution_options(**WRITING) as connection, connection.begin():
        run = fact_tables[next(fact for fact in STORED if fact.table == "run")]
        query = sa.select(run.c.run).where(run.c.tenant == TENANT).order_by(run.c.run).limit(2)
        wrong, gone = connection.execute(query).all()
        connection.execute(run.update().where(run.c.run == wrong[0]).values(last_seen=1))
        connection.execute(run.delete().where(run.c.run == gone[0]))
    assert dump(url) != expected

    staged = StagedGraph(store.engine, "staged_test")
    with staged.open():
        writer = StagingWriter(url, "staged_test")
        facts = fold(fact for body in bodies for fact in interpret(decode_event(body), TENANT).facts())
        writer.merge({kind: [row_of(table[key]) for key in sorted(table)] for kind, table in facts.items()})
        writer.close()
        with written() as rows:
            staged.swap(TENANT, tuple, lambda _: None)
        assert rows == {"run": 3}, "one row was wrong (removed and written), one was gone"
        with written() as rows:
            staged.swap(TENANT, tuple, lambda _: None)
        assert rows == {}
    assert dump(url) == expected
    store.close()


@contextmanager
def written() -> Iterator[dict[str, int]]:
    """Rows that statements removed from the tables of facts, or wrote into them meanwhile, by table."""
    names, rows = {fact_tables[fact].name for fact in STORED}, Counter[str]()

    def after(_: Any, cursor: Any, statement: str, *__: Any) -> None:
        words = statement.split()
        if words[:2] in (["DELETE", "FROM"], ["INSERT", "INTO"]) and words[2] in names and cursor.rowcount > 0:
            rows[words[2]] += cursor.rowcount

    sa.event.listen(sa.Engine, "after_cursor_execute", after)
    try:
        yield rows
    finally:
        sa.event.remove(sa.Engine, "after_cursor_execute", after)
