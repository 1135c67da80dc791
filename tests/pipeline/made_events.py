"""Events that come in batches: operations inside runs, late and repeated events, parents that turn up later."""

from __future__ import annotations

import json
from random import Random
from uuid import UUID

NAMESPACE = "made"
SCHEMAS = (["a"], ["a", "b"], ["a", "b", "c"])


def run_id(number: int) -> str:
    return str(UUID(int=(0x0197833D511D7000 << 64) | (0x8000 << 48) | number))


def made_events(random: Random, count: int) -> list[bytes]:
    """In no particular order; days, jobs, parents and datasets are few, so that they meet."""
    return [json.dumps(_event(random)).encode() for _ in range(count)]


def _event(random: Random) -> dict:
    time = f"2026-03-0{random.randint(1, 3)}T{random.choice(['00', '12', '23'])}:{random.randint(0, 59):02}:00Z"
    choice = random.random()
    if choice < 0.06:
        return {"eventTime": time, "producer": "made", "dataset": _dataset(random, lineage=True)}
    number = random.randrange(12)
    job = {"namespace": NAMESPACE, "name": f"job{number % 5}", "facets": {}}
    if random.random() < 0.5:
        job["facets"]["sql"] = {"query": f"insert into t{random.randrange(3)} select a from s"}
    event = {
        "eventTime": time,
        "producer": "made",
        "job": job,
        "inputs": [_dataset(random) for _ in range(random.randint(0, 2))],
        "outputs": [_dataset(random, output=True) for _ in range(random.randint(0, 2))],
    }
    if choice < 0.12:
        return event
    kind = random.random()
    if kind < 0.5:
        job["facets"]["jobType"] = {"processingType": "BATCH", "integration": "SPARK", "jobType": "SQL_JOB"}
    elif kind < 0.7:
        job["facets"]["jobType"] = {"processingType": "BATCH", "integration": "SPARK", "jobType": "APPLICATION"}
    run = {"runId": run_id(number), "facets": {}}
    if random.random() < 0.6:
        parent = random.randrange(12)
        run["facets"]["parent"] = {
            "run": {"runId": run_id(parent)},
            "job": {"namespace": NAMESPACE, "name": f"job{random.choice([parent % 5, parent % 5, 3])}"},
        }
    kinds = ["START", "RUNNING", "COMPLETE", "COMPLETE", "FAIL", "ABORT", "OTHER"]
    return {**event, "eventType": random.choice(kinds), "run": run}


def _dataset(random: Random, *, output: bool = False, lineage: bool = False) -> dict:
    facets: dict = {}
    if random.random() < 0.6:
        columns = random.choice(SCHEMAS)
        facets["schema"] = {"fields": [{"name": name, "type": "int"} for name in columns]}
    if output and random.random() < 0.3:
        facets["lifecycleStateChange"] = {"lifecycleStateChange": random.choice(["CREATE", "OVERWRITE", "TRUNCATE"])}
    if lineage or (output and random.random() < 0.15):
        source = {"namespace": NAMESPACE, "name": f"d{random.randrange(5)}", "type": "DATASET"}
        facets["lineage"] = {"inputs": [source]}
    dataset = {"namespace": NAMESPACE, "name": f"d{random.randrange(5)}", "facets": facets}
    counted = {"rowCount": random.randrange(100), "size": random.randrange(1000)}
    if not lineage and random.random() < 0.6:
        key, name = ("outputFacets", "outputStatistics") if output else ("inputFacets", "inputStatistics")
        dataset[key] = {name: counted}
    return dataset
