"""Events of the same microsecond: the greater fingerprint counts as the later one, wherever and however they arrive."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest

from headwater.graph.facts import Assertion, Quality, Run
from headwater.interpret.interpret import interpret
from headwater.lineage.entities.entity import show
from headwater.lineage.walk.lineage import lineage
from headwater.openlineage.decode import decode_event
from headwater.openlineage.identity import fingerprint
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from headwater.store.write.log import Entry, Tenant
from tests.store.conftest import KINDS

DB, TIME = "postgres://db:5432", "2026-02-01T00:00:00.123456Z"
RUN = "0190c0de-0000-7000-8000-000000000001"
_TENANTS = itertools.count(50_000)
WAYS = ("one by one", "all at once", "two and two")


def later(*bodies: bytes) -> int:
    """Which of them counts as the last: told from their bytes alone."""
    return max(range(len(bodies)), key=lambda place: fingerprint(bodies[place]))


def write(store: SqlStore, tenant: Tenant, bodies: list[bytes], way: str) -> None:
    size = {"one by one": 1, "all at once": len(bodies), "two and two": 2}[way]
    entries = [Entry(tenant, event, interpret(event, tenant.id), 0) for event in map(decode_event, bodies)]
    for start in range(0, len(entries), size):
        store.write(entries[start : start + size])


def run_event(word: str) -> bytes:
    dataset = {"namespace": DB, "name": "t"}
    quality = {"dataQualityMetrics": {"rowCount": len(word) * 7, "columnMetrics": {}}}
    assertions = {"assertions": [{"assertion": "not_null", "column": "x", "success": word in ("two", "four")}]}
    body = {
        "eventTime": TIME,
        "eventType": "FAIL",
        "run": {"runId": RUN, "facets": {"errorMessage": {"message": word, "programmingLanguage": "x"}}},
        "job": {"namespace": "etl", "name": "j"},
        "inputs": [{**dataset, "inputFacets": {**quality, "dataQualityAssertions": assertions}}],
    }
    return json.dumps(body).encode()


def job_event(word: str) -> bytes:
    outputs = [{"namespace": DB, "name": word}]
    return json.dumps({"eventTime": TIME, "job": {"namespace": "etl", "name": "j"}, "outputs": outputs}).encode()


def dataset_event(word: str) -> bytes:
    facets = {"schema": {"fields": [{"name": word, "type": "int"}]}, "documentation": {"description": word}}
    return json.dumps({"eventTime": TIME, "dataset": {"namespace": DB, "name": "t", "facets": facets}}).encode()


WORDS = ("one", "two", "three", "four")


def reason(reader: Reader, tenant: int) -> Any:
    (run,) = reader.facts(tenant, Run)
    return run.end_reason and run.end_reason[1]


def written_by_job(reader: Reader, tenant: int) -> Any:
    (node,) = lineage(reader, tenant, "job:etl:j", direction="downstream")["downstream"]["nodes"][1:]
    return node["name"]


def rows(reader: Reader, tenant: int) -> Any:
    (fact,) = reader.facts(tenant, Quality)
    return fact.rows and fact.rows[1]


def failed(reader: Reader, tenant: int) -> Any:
    (fact,) = reader.facts(tenant, Assertion)
    return fact.failed and fact.failed[1]


def described(reader: Reader, tenant: int) -> Any:
    return show(reader, tenant, f"dataset:{DB}:t")["description"]


CASES: dict[str, tuple[Callable[[str], bytes], Callable[[Reader, int], Any], Callable[[str], Any]]] = {
    "the reason of a run": (run_event, reason, str),
    "the rows of a dataset": (run_event, rows, lambda word: len(word) * 7),
    "whether an assertion held": (run_event, failed, lambda word: int(word not in ("two", "four"))),
    "what a job declares": (job_event, written_by_job, str),
    "what a dataset is": (dataset_event, described, str),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_greater_fingerprint_counts(
    shared_store: Callable[[str], SqlStore], case: str, way: str, kind: str
) -> None:
    make, seen, expected = CASES[case]
    bodies, store = [make(word) for word in WORDS], shared_store(kind)
    wanted = expected(WORDS[later(*bodies)])
    for order in list(itertools.permutations(bodies))[:: 1 if kind == "sqlite" else 5]:
        tenant = Tenant(next(_TENANTS), "some", "Some")
        write(store, tenant, list(order), way)
        assert seen(Reader(store.engine), tenant.id) == wanted
