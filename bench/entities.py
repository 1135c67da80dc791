"""How long lists and search take over many datasets, jobs and runs.

    python bench/entities.py [--datasets 100000] [--runs 200000] [--store URL]

Fills a store (SQLite in a temporary folder, unless one is named) through `SqlStore.write`, works out the postings of
search, then asks each question several times, and prints one JSON object: milliseconds, the median and the slowest.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

from headwater.graph.facts import Activity, NodeKind, RunStatus
from headwater.graph.search.documents import DocumentKind
from headwater.interpret.interpret import interpret
from headwater.lineage.lists.listing import list_datasets, list_jobs, list_runs, list_statements, list_tags, list_users
from headwater.lineage.lists.search import search
from headwater.lineage.names.filters import node_ids, place_ids
from headwater.openlineage.decode import decode_event
from headwater.store.read.lists.catalog import NodeFilter, RunFilter, SqlFilter
from headwater.store.read.reader import Reader
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from headwater.store.write.log import Entry

WORDS = [
    "order",
    "customer",
    "invoice",
    "payment",
    "click",
    "session",
    "product",
    "store",
    "region",
    "daily",
    "weekly",
    "raw",
    "stage",
    "mart",
    "dim",
    "fact",
]
COLUMNS = [
    "id",
    "amount",
    "price",
    "email",
    "name",
    "country",
    "created_at",
    "updated_at",
    "status",
    "quantity",
    "channel",
    "currency",
    "score",
]
TENANT = DEFAULT_TENANT.id
TIMES = 9


def dataset(number: int) -> dict[str, Any]:
    one, other = WORDS[number % len(WORDS)], WORDS[number // 7 % len(WORDS)]
    fields = [{"name": f"{one}_{COLUMNS[(number + place) % len(COLUMNS)]}", "type": "string"} for place in range(12)]
    facets: dict[str, Any] = {"schema": {"fields": fields}}
    if number % 50 == 0:
        facets["tags"] = {"tags": [{"key": "pii", "value": str(number % 3)}]}
        facets["documentation"] = {"description": f"All about {other} number {number}"}
    return {"namespace": f"postgres://db{number % 40}:5432", "name": f"{other}.{one}_{number}", "facets": facets}


def events(datasets: int, runs: int) -> Iterator[bytes]:
    jobs = datasets // 5
    for number in range(max(jobs, runs)):
        job = number % jobs
        facets: dict[str, Any] = {"jobType": {"integration": "SPARK", "jobType": "APPLICATION"}}
        facets["sql"] = {"query": f"INSERT INTO t{job} SELECT * FROM s{job} WHERE day = {job % 100}"}
        body = {
            "eventType": "COMPLETE" if number % 20 else "FAIL",
            "eventTime": 1_760_000_000_000_000 + number * 1_000_000,
            "run": {"runId": str(UUID(int=(1_760_000_000_000 + number) << 80 | 7 << 76 | 1 << 63 | number))},
            "job": {"namespace": f"spark{job % 10}", "name": f"load_{WORDS[job % len(WORDS)]}_{job}", "facets": facets},
            "inputs": [dataset(job * 5 + place) for place in range(4)],
            "outputs": [dataset(job * 5 + 4)],
        }
        yield json.dumps(body).encode()


def fill(store: SqlStore, datasets: int, runs: int) -> float:
    began, batch = time.perf_counter(), []
    for body in events(datasets, runs):
        event = decode_event(body)
        batch.append(Entry(DEFAULT_TENANT, event, interpret(event, TENANT), 0))
        if len(batch) == 256:
            store.write(batch)
            batch = []
    store.write(batch)
    return time.perf_counter() - began


def questions(reader: Reader) -> dict[str, Callable[[], Any]]:
    everything, runs = NodeFilter(), RunFilter(activity=Activity.RUN)
    place = place_ids(reader, TENANT, "postgres://db7:5432", None)
    job = node_ids(reader, TENANT, "job:spark3:load_payment_3", NodeKind.JOB)
    used = node_ids(reader, TENANT, "dataset:postgres://db5:5432:order.session_5", NodeKind.DATASET)

    def datasets(wanted: NodeFilter = everything, order: str = "name") -> Callable[[], Any]:
        return lambda: list_datasets(reader, TENANT, wanted, order, None, 100)

    def listed(wanted: RunFilter) -> Callable[[], Any]:
        return lambda: list_runs(reader, TENANT, wanted, "-first_seen", None, 100)

    def deep() -> Any:
        cursor = list_datasets(reader, TENANT, everything, "name", None, 1000).next
        return list_datasets(reader, TENANT, everything, "name", cursor, 100)

    def find(text: str, **more: Any) -> Callable[[], Any]:
        return lambda: search(reader, TENANT, text, **more)

    return {
        "datasets": datasets(),
        "datasets, newest first": datasets(order="-first_seen"),
        "datasets, a page of 1000 and the next": deep,
        "datasets of a namespace": datasets(NodeFilter(namespaces=place)),
        "datasets by text in the name": datasets(NodeFilter(name="voice_77")),
        "datasets with a tag": datasets(NodeFilter(tags=("pii=1",))),
        "datasets of a job": datasets(NodeFilter(others=job)),
        "jobs": lambda: list_jobs(reader, TENANT, everything, "name", None, 100),
        "jobs of a type": lambda: list_jobs(
            reader, TENANT, NodeFilter(job_type="SPARK_APPLICATION"), "name", None, 100
        ),
        "jobs of a dataset": lambda: list_jobs(reader, TENANT, NodeFilter(others=used), "name", None, 100),
        "runs": listed(runs),
        "runs that failed": listed(RunFilter(activity=Activity.RUN, statuses=(RunStatus.FAILED,))),
        "runs of a job": listed(RunFilter(activity=Activity.RUN, jobs=job)),
        "runs of a dataset": listed(RunFilter(activity=Activity.RUN, datasets=used)),
        "statements": lambda: list_statements(reader, TENANT, SqlFilter(), "id", None, 100),
        "users": lambda: list_users(reader, TENANT, None, "name", None, 100),
        "tags": lambda: list_tags(reader, TENANT, None, "tag", None, 100),
        "search, one document": find("invoice_7777"),
        "search, two words": find("customer 4242"),
        "search, a common word": find("customer"),
        "search, three common words": find("customer order_id ema"),
        "search, one kind": find("payment", kinds=[DocumentKind.JOB]),
    }


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--datasets", type=int, default=100_000)
    arguments.add_argument("--runs", type=int, default=200_000)
    arguments.add_argument("--store", default="")
    chosen = arguments.parse_args()
    random.seed(1)
    with tempfile.TemporaryDirectory() as folder:
        store = SqlStore(chosen.store or f"sqlite:///{folder}/headwater.db")
        store.open()
        found: dict[str, Any] = {"size": [chosen.datasets, chosen.runs]}
        if not store.search.catch_up(TENANT) and not Reader(store.engine).search_names(TENANT, "load_"):
            found["fill_seconds"] = round(fill(store, chosen.datasets, chosen.runs), 1)
        began = time.perf_counter()
        sources = store.search.drain(TENANT)
        found["search_sources"], found["search_seconds"] = sources, round(time.perf_counter() - began, 1)
        reader = Reader(store.engine)
        asked = questions(reader)
        for name, question in asked.items():
            took = []
            for _ in range(TIMES):
                began = time.perf_counter()
                question()
                took.append((time.perf_counter() - began) * 1000)
            found[name] = [round(statistics.median(took), 1), round(max(took), 1)]
        store.close()
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
