"""Events for the benchmarks: 7 KB, 30 column edges, jobs that run again and again."""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Iterator
from functools import cache

PRODUCER = "https://example.com"
PLACE = "postgres://dwh"
START = 1_750_000_000
_OPEN = "@"
"""Stands for what is filled in; occurs nowhere else."""


def _schema(columns: list[str]) -> dict:
    return {
        "_producer": PRODUCER,
        "_schemaURL": "https://openlineage.io/spec/facets/1-2-0/SchemaDatasetFacet.json",
        "fields": [{"name": name, "type": "string" if index % 3 else "bigint"} for index, name in enumerate(columns)],
    }


def event(job: int, run: uuid.UUID, second: float, event_type: str, *, salt: str = "", columns: int = 30) -> bytes:
    """One Spark-like run event. A salt makes every facet of it one that was never seen before."""
    pieces = _template(job, event_type, salt, columns) if salt else _kept_template(job, event_type, columns)
    parent = _parent(job % 100, int(second) // 86400)
    time, run_id = _iso(START + second).encode(), str(run).encode()
    return b"".join((pieces[0], time, pieces[1], run_id, pieces[2], parent, pieces[3]))


@cache
def _parent(application: int, day: int) -> bytes:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{application}/{day}")).encode()


@cache
def _kept_template(job: int, event_type: str, columns: int) -> list[bytes]:
    return _template(job, event_type, "", columns)


def _template(job: int, event_type: str, salt: str, columns: int) -> list[bytes]:
    """The event without what differs from run to run: its time, its run and its parent's run."""
    name = f"job_{job:05d}"
    sources = [f"raw.{job % 700:03d}{salt}_{side}" for side in "ab"]
    target = f"mart.{job:04d}{salt}"
    fields = [f"c{index:02d}{salt}" for index in range(columns)]
    lineage = {
        field: {
            "inputFields": [
                {
                    "namespace": PLACE,
                    "name": sources[index % 2],
                    "field": field,
                    "transformations": [{"type": "DIRECT", "subtype": "IDENTITY"}],
                }
            ]
        }
        for index, field in enumerate(fields)
    }
    body = {
        "eventTime": _OPEN,
        "eventType": event_type,
        "producer": PRODUCER,
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {
            "runId": _OPEN,
            "facets": {
                "parent": {
                    "_producer": PRODUCER,
                    "_schemaURL": "https://openlineage.io/spec/facets/1-1-0/ParentRunFacet.json#/$defs/ParentRunFacet",
                    "run": {"runId": _OPEN},
                    "job": {"namespace": "spark://cluster", "name": f"application_{job % 100:03d}"},
                },
                "processing_engine": {"_producer": PRODUCER, "version": "3.5.1", "name": "spark"},
                "spark_jobDetails": {"_producer": PRODUCER, "jobId": job, "jobDescription": "insert"},
            },
        },
        "job": {
            "namespace": "spark://cluster",
            "name": f"application_{job % 100:03d}.{name}",
            "facets": {
                "jobType": {
                    "_producer": PRODUCER,
                    "processingType": "BATCH",
                    "integration": "SPARK",
                    "jobType": "SQL_JOB",
                },
                "sql": {
                    "_producer": PRODUCER,
                    "query": f"INSERT INTO {target} SELECT * FROM {sources[0]} a JOIN {sources[1]} b USING (c00)",
                },
            },
        },
        "inputs": [
            {
                "namespace": PLACE,
                "name": source,
                "facets": {"schema": _schema([field for index, field in enumerate(fields) if index % 6 == side])},
                "inputFacets": {"inputStatistics": {"_producer": PRODUCER, "rowCount": 1000 + job, "size": 4096}},
            }
            for side, source in enumerate(sources)
        ],
        "outputs": [
            {
                "namespace": PLACE,
                "name": target,
                "facets": {
                    "schema": _schema(fields),
                    "columnLineage": {"_producer": PRODUCER, "fields": lineage},
                },
                "outputFacets": {"outputStatistics": {"_producer": PRODUCER, "rowCount": 2000 + job, "size": 8192}},
            }
        ],
    }
    return json.dumps(body, separators=(",", ":")).encode().split(_OPEN.encode())


def stream(jobs: int, seed: int = 1, *, fresh: bool = False) -> Iterator[bytes]:
    """START and COMPLETE of every job, again and again, each round in another order."""
    chance = random.Random(seed)
    round_number = 0
    while True:
        order = list(range(jobs))
        chance.shuffle(order)
        for place, job in enumerate(order):
            run = _uuid7(START + round_number * 86400 + place, chance)
            salt = f"_{round_number}_{place}" if fresh else ""
            second = round_number * 86400 + place
            yield event(job, run, second, "START", salt=salt)
            yield event(job, run, second + 30.5, "COMPLETE", salt=f"{salt}c" if fresh else "")
        round_number += 1


def _uuid7(second: int, chance: random.Random) -> uuid.UUID:
    value = (second * 1000) << 80 | chance.getrandbits(80)
    value = value & ~(0xF << 76) | 7 << 76
    return uuid.UUID(int=value & ~(0b11 << 62) | 0b10 << 62)


def _iso(second: float) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(second, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
