"""One log, three ways into a graph: over the online path, imported by Spark, replayed by Spark. The same dump."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.pipeline.jobs import import_events, infer, replay, rollup
from headwater.pipeline.rollup.changed_keys import changed_keys_of
from headwater.store.engine import make_engine
from headwater.store.read.dump import dump_facts, dump_graph
from headwater.store.read.reader import Reader
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from headwater.store.write.log import Tenant
from tests.store.test_contract import graph_of, recorded, write_mixed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TENANTS = {DEFAULT_TENANT.code: DEFAULT_TENANT}


def opened(url: str) -> str:
    store = SqlStore(url)
    store.open()
    store.close()
    return url


def dump(url: str, tenant: Tenant = DEFAULT_TENANT, *, derived: bool = False) -> list[str]:
    engine = make_engine(url)
    with Reader(engine).snapshot(tenant.id) as read:
        lines = list(dump_facts(read, derived=derived))
    engine.dispose()
    return lines


def log(url: str, tenant: Tenant = DEFAULT_TENANT) -> list[bytes]:
    engine = make_engine(url)
    bodies = sorted(item.body for item in Reader(engine).log(tenant.id))
    engine.dispose()
    return bodies


def mixed_file(folder: Path, seed: int) -> Path:
    """All recorded events, shuffled, a third of them twice."""
    chance, bodies = random.Random(seed), list(recorded())
    bodies += chance.sample(bodies, len(bodies) // 3)
    chance.shuffle(bodies)
    path = folder / "events.ndjson"
    path.write_bytes(b"\n".join(bodies) + b"\n")
    return path


def test_the_same_graph_three_ways(spark: SparkSession, database: Callable[[], str], tmp_path: Path) -> None:
    online, imported, replayed = (opened(database()) for _ in range(3))
    store = SqlStore(online)
    store.open()
    write_mixed(store, recorded(), DEFAULT_TENANT, 5)
    store.close()

    report = import_events.run(spark, imported, [str(mixed_file(tmp_path, 6))], tenants=TENANTS, split_bytes=200_000)
    assert report.splits > 4
    assert report.events == len(recorded()) + len(recorded()) // 3
    assert report.refused == 0

    report_of_replay = replay.run(spark, online, [DEFAULT_TENANT], into=replayed, range_ids=150)
    assert report_of_replay.parts > 2
    assert report_of_replay.events == len({body.strip() for body in recorded()})

    expected = list(dump_graph(graph_of(recorded(), DEFAULT_TENANT.id)))
    assert dump(online) == expected
    assert dump(imported) == expected
    assert dump(replayed) == expected
    touched = changed_keys_of(
        fact for table in graph_of(recorded(), DEFAULT_TENANT.id).values() for fact in table.values()
    )
    rollup.rollup_changes(None, online, touched)
    infer.infer_changes(online, touched)
    for url in (imported, replayed):
        infer.run(spark, url)
        rollup.run(spark, url)
    everything = dump(online, derived=True)
    assert len(everything) > len(expected)
    assert dump(imported, derived=True) == everything
    assert dump(replayed, derived=True) == everything
    assert dump(online) == expected, "what is worked out is no part of the fold"
    assert log(imported) == sorted({body.strip() for body in recorded()})
