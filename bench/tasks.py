"""Tasks a second with a model that does nothing, and what a flood of one tenant's tasks does to another's few.

    python bench/tasks.py [--store sqlite|mariadb|postgresql] [--tasks 20000] [--flood 100000] [--small 10]

`tasks_per_second`: tasks are created in chunks as a planner does, pushed, claimed, executed in batches of 64 by four
threads, and written back; the time is from the first creation to the last result. `tasks_per_second_of_cpu` counts the
time of this process alone, with the embedded store in it, and so says something on a machine that others use too.
`small_p99_seconds`: while the tasks of one tenant flood the workers, another one creates ten now and then; the time
from the creation of each until it is SUCCEEDED. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import sqlalchemy as sa

from headwater.store.access.tenants import Tenants
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from headwater.store.tasks.tables import tasks
from headwater.store.tasks.task_lists import TaskLists
from headwater.tasks.options import WorkerOptions
from headwater.tasks.worker import Worker
from tests.servers import SERVERS
from tests.tasks.models import NodePlanner, NothingModel, make_results, new_tasks

CHUNK = 256


@contextmanager
def opened(kind: str) -> Iterator[SqlStore]:
    with tempfile.TemporaryDirectory() as folder:
        if kind == "sqlite":
            store = SqlStore(f"sqlite:///{folder}/headwater.db")
            store.open()
            yield store
            store.close()
            return
        with SERVERS[kind]() as server:
            store = SqlStore(server.make_database())
            store.open()
            yield store
            store.close()


def throughput(kind: str, count: int) -> dict[str, float]:
    with opened(kind) as store:
        make_results(store)
        worker = Worker(store, NodePlanner(), [NothingModel()], WorkerOptions())
        worker.start()
        lists, new = TaskLists(*store.engines.values()), new_tasks(count)
        began, used = time.perf_counter(), time.process_time()
        for start in range(0, count, CHUNK):
            worker.push(DEFAULT_TENANT, worker.store.add(DEFAULT_TENANT, new[start : start + CHUNK]))
        created = time.perf_counter()
        while lists.counts(1)["SUCCEEDED"] < count:
            time.sleep(0.02)
        ended, used = time.perf_counter(), time.process_time() - used
        worker.stop()
    return {
        "tasks": count,
        "created_per_second": round(count / (created - began)),
        "tasks_per_second": round(count / (ended - began)),
        "tasks_per_second_of_cpu": round(count / used),
    }


def fairness(kind: str, flood: int, small: int, rounds: int) -> dict[str, float]:
    with opened(kind) as store:
        make_results(store)
        other = Tenants(store.engines["writer"]).create("small", "Small", 2)
        worker = Worker(store, NodePlanner(), [NothingModel()], WorkerOptions())
        worker.start()
        new = new_tasks(flood)
        for start in range(0, flood, CHUNK):
            worker.push(DEFAULT_TENANT, worker.store.add(DEFAULT_TENANT, new[start : start + CHUNK]))
        lists = TaskLists(*store.engines.values())
        busy = 0
        for number in range(rounds):
            left = lists.counts(1)
            busy += left["PENDING"] + left["RUNNING"] > 0
            some = new_tasks(small, first=number * small)
            worker.push(other, worker.store.add(other, some))
            time.sleep(0.1)
        while lists.counts(2)["SUCCEEDED"] < small * rounds:
            time.sleep(0.02)
        query = sa.select(tasks.c.created_at, tasks.c.updated_at).where(tasks.c.tenant_id == other.id)
        with store.engine.connect() as connection:
            delays = sorted((row.updated_at - row.created_at) / 1_000_000 for row in connection.execute(query))
        worker.stop()
    return {
        "flood": flood,
        "small_tasks": len(delays),
        "rounds_beside_the_flood": busy,
        "small_p50_seconds": round(delays[len(delays) // 2], 4),
        "small_p99_seconds": round(delays[int(len(delays) * 0.99)], 4),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", default="sqlite", choices=["sqlite", *SERVERS])
    parser.add_argument("--tasks", type=int, default=20_000)
    parser.add_argument("--flood", type=int, default=100_000)
    parser.add_argument("--small", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    found = {"store": options.store, **throughput(options.store, options.tasks)}
    found |= fairness(options.store, options.flood, options.small, options.rounds)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
