"""A worker as a process of its own: `python -m tests.tasks.worker_process URL KIND LEASE THREADS`."""

from __future__ import annotations

import sys
import threading

from headwater.logs import set_up_logs
from headwater.store.sql_store import SqlStore
from headwater.tasks.options import WorkerOptions
from headwater.tasks.worker import Worker
from tests.tasks.models import DeadlyModel, NodePlanner, NothingModel


def main() -> None:
    url, kind, lease, threads = sys.argv[1:5]
    set_up_logs("warning", "json")
    store = SqlStore(url)
    store.attach()
    model = DeadlyModel(kind.partition(":")[2], 8) if kind.startswith("deadly:") else NothingModel(8, seconds=0.02)
    options = WorkerOptions(
        threads=int(threads), lease=float(lease), poll=0.1, delays=(0.1,) * 5, recovered=100, follows_assets=True
    )
    worker = Worker(store, NodePlanner(), [model], options)
    worker.start()
    print("ready", flush=True)  # noqa: T201
    threading.Event().wait()


if __name__ == "__main__":
    main()
