"""What well-behaved tenants do: send events at a steady rate and ask questions, and note how long each answer took.

The rate does not wait for the answers (open loop), so an answer that comes late counts from when it was due.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack
from random import Random
from uuid import UUID

import httpx

__all__ = ["EVENTS", "QUESTIONS", "Phase", "Tenant", "drive", "every_job", "good_events"]

EVENTS, QUESTIONS = "events", "questions"
_JOBS, _TABLES = 40, 60
_QUESTIONS = (
    "/api/v2/lineage?name=job:{code}:job{job}&depth=3",
    "/api/v2/lineage?name=dataset:{code}:table{table}&granularity=COLUMN&direction=upstream",
    "/api/v2/picture?name=dataset:{code}:table{table}&steps=2",
    "/api/v2/datasets/dataset:{code}:table{table}",
    "/api/v2/jobs/job:{code}:job{job}",
    "/api/v2/search?q=table{table}",
    "/api/v2/runs?limit=20",
    "/api/v2/impact?name=dataset:{code}:table{table}",
    "/api/v1/lineage?nodeId=job:{code}:job{job}",
    "/api/v1/namespaces/{code}/jobs?limit=10",
)


class Phase:
    """What was seen while nothing else, or all kinds of things, went on."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {EVENTS: [], QUESTIONS: []}
        self.statuses: dict[str, Counter[str]] = {EVENTS: Counter(), QUESTIONS: Counter()}
        self.wrong: Counter[str] = Counter()
        """Answers that a well-behaved client does not deserve, with where they came from."""

    def add(self, other: Phase) -> None:
        for kind in self.seconds:
            self.seconds[kind] += other.seconds[kind]
            self.statuses[kind] += other.statuses[kind]
        self.wrong += other.wrong

    def summary(self) -> dict[str, dict[str, object]]:
        return {
            kind: {
                "answers": len(taken),
                "p50_ms": _at(taken, 0.5),
                "p99_ms": _at(taken, 0.99),
                "max_ms": _at(taken, 1.0),
                "statuses": dict(sorted(self.statuses[kind].items())),
            }
            for kind, taken in self.seconds.items()
        }


def _at(seconds: list[float], share: float) -> float | None:
    ordered = sorted(seconds)
    return round(1000 * ordered[min(len(ordered) - 1, int(len(ordered) * share))], 1) if ordered else None


class Tenant:
    """One tenant with its key, and the digests of all events that the server said it had taken."""

    def __init__(self, code: str, number: int, key: str, seed: int) -> None:
        self.code, self.number, self.key = code, number, key
        self.taken: set[bytes] = set()
        self.chance = Random(f"{seed}/{code}")
        self.bodies = good_events(self.chance, code)

    def note_taken(self, body: bytes) -> None:
        self.taken.add(hashlib.blake2b(body, digest_size=16).digest())

    @property
    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.key}", "content-type": "application/json"}


def good_events(chance: Random, code: str) -> Iterator[bytes]:
    """START and COMPLETE of jobs that run again and again, with schemas and column lineage; some come twice."""
    second = 0
    while True:
        job, second = chance.randrange(_JOBS), second + 1
        run = str(UUID(int=chance.getrandbits(128), version=4))
        for kind in ("START", "COMPLETE"):
            body = _event(chance, code, job, run, kind, second)
            yield body
            if chance.random() < 0.05:
                yield body


def every_job(code: str) -> list[bytes]:
    """An event of each job, with all tables that there are."""
    chance = Random(code)
    runs = (str(UUID(int=chance.getrandbits(128), version=4)) for _ in range(_JOBS))
    return [_event(chance, code, job, run, "COMPLETE", job) for job, run in enumerate(runs)]


def _event(chance: Random, code: str, job: int, run: str, kind: str, second: int) -> bytes:
    fields = [{"name": f"c{place}", "type": "string"} for place in range(8)]
    sources = [(job * 3 + place) % _TABLES for place in range(2)]
    target = (job * 7 + 5) % _TABLES
    lineage = {
        f"c{place}": {"inputFields": [{"namespace": code, "name": f"table{sources[place % 2]}", "field": f"c{place}"}]}
        for place in range(8)
    }
    facets = {"schema": {"fields": fields}, "columnLineage": {"fields": lineage}}
    return json.dumps(
        {
            "eventTime": f"2026-03-{1 + second // 86400 % 28:02}T{second // 3600 % 24:02}:{second // 60 % 60:02}:{second % 60:02}Z",
            "eventType": kind,
            "producer": "https://soak",
            "run": {"runId": run},
            "job": {"namespace": code, "name": f"job{job}"},
            "inputs": [
                {"namespace": code, "name": f"table{one}", "facets": {"schema": {"fields": fields}}} for one in sources
            ],
            "outputs": [
                {
                    "namespace": code,
                    "name": f"table{target}",
                    "facets": facets,
                    "outputFacets": {"outputStatistics": {"rowCount": chance.randrange(1000)}},
                }
            ],
        }
    ).encode()


async def drive(
    url: str, tenants: list[Tenant], seconds: float, *, events: float, questions: float
) -> dict[str, Phase]:
    """Let these tenants work for so long, each with so many events and questions a second."""
    phases = {tenant.code: Phase() for tenant in tenants}
    ends = time.monotonic() + seconds
    limits = httpx.Limits(max_connections=100, max_keepalive_connections=100)
    async with AsyncExitStack() as stack:
        work = []
        for kind, rate in ((EVENTS, events), (QUESTIONS, questions)):  # who sends and who asks are not the same
            client = await stack.enter_async_context(httpx.AsyncClient(base_url=url, timeout=120, limits=limits))
            work += [_at_rate(ends, rate, kind, client, tenant, phases[tenant.code]) for tenant in tenants]
        await asyncio.gather(*work)
    return phases


async def _at_rate(
    ends: float, rate: float, kind: str, client: httpx.AsyncClient, tenant: Tenant, phase: Phase
) -> None:
    due, running = time.monotonic() + tenant.chance.random() / rate, set()
    while due < ends:
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        work = _send(client, tenant) if kind == EVENTS else _ask(client, tenant)
        task = asyncio.ensure_future(_timed(work, due, kind, phase))
        running.add(task)
        task.add_done_callback(running.discard)
        due += 1 / rate
    if running:
        await asyncio.wait(running)


async def _timed(work, due: float, kind: str, phase: Phase) -> None:
    try:
        status, where = await work
    except httpx.HTTPError as error:
        status, where = type(error).__name__, kind
    phase.seconds[kind].append(time.monotonic() - due)
    phase.statuses[kind][str(status)] += 1
    if status != (201 if kind == EVENTS else 200):
        phase.wrong[f"{status} {where}"] += 1


async def _send(client: httpx.AsyncClient, tenant: Tenant) -> tuple[int, str]:
    body = next(tenant.bodies)
    answer = await client.post("/api/v1/lineage", content=body, headers=tenant.headers)
    if answer.status_code == 201:
        tenant.note_taken(body)
    return answer.status_code, f"POST event: {answer.text[:200]}"


async def _ask(client: httpx.AsyncClient, tenant: Tenant) -> tuple[int, str]:
    job = tenant.chance.randrange(_JOBS)
    template = tenant.chance.choice(_QUESTIONS)
    path = template.format(code=tenant.code, job=job, table=(job * 7 + 5) % _TABLES)
    answer = await client.get(path, headers=tenant.headers)
    return answer.status_code, f"GET {path}: {answer.text[:200] if answer.status_code != 200 else ''}"
