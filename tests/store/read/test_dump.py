"""The text of a dump: names for ids, words for numbers, times for microseconds."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from headwater.graph.fold import fold
from headwater.interpret.interpret import interpret
from headwater.openlineage.decode import decode_event
from headwater.openlineage.identity import fingerprint
from headwater.store.read.dump import dump_graph
from tests.lineage.walk.test_lineage import DB, column, event, of_columns, run_of

TIME = "2026-02-01T00:00:01.000Z"


def failed_run() -> bytes:
    output = {
        "rows": 7,
        "schema": {"fields": [{"name": "x", "type": "int"}]},
        "lifecycleStateChange": {"lifecycleStateChange": "CREATE"},
    }
    facets = {
        "errorMessage": {"message": "no", "programmingLanguage": "x"},
        "parent": {"run": {"runId": run_of(9)}, "job": {"namespace": "etl", "name": "app"}},
        "jobDependencies": {
            "upstream": [{"job": {"namespace": "etl", "name": "before"}, "run": {"runId": run_of(8)}}],
            "downstream": [],
        },
    }
    about = {
        "sql": {"query": "SELECT y FROM a"},
        "jobType": {"processingType": "BATCH", "integration": "X", "jobType": "JOB"},
    }
    body = json.loads(
        event("load", {"a": {"rows": 5}}, {"b": {**output, **of_columns(x=[column("a", "y")])}}, 1, None, facets, about)
    )
    checks = {"assertions": [{"assertion": "not_null", "column": "y", "success": False, "severity": "warn"}]}
    quality = {"rowCount": 3, "columnMetrics": {"y": {"nullCount": 1}}}
    body["inputs"][0]["inputFacets"] |= {"dataQualityAssertions": checks, "dataQualityMetrics": quality}
    return json.dumps({**body, "eventType": "FAIL"}).encode()


@pytest.fixture(scope="module")
def lines() -> list[dict[str, Any]]:
    body = failed_run()
    found = list(dump_graph(fold(interpret(decode_event(body), 1).facts())))
    stamp = fingerprint(body).hex()
    assert any(stamp in line for line in found)
    plain = [re.sub(r"\b[0-9a-f]{32}\b", "#", line.replace(stamp, "STAMP")) for line in found]
    return [json.loads(line) for line in plain]


A, B, LOAD, APP = f"dataset:{DB}:a", f"dataset:{DB}:b", "job:etl:load", "job:etl:app"
EXPECTED: list[dict[str, Any]] = [
    {"fact": "namespace", "namespace": DB, "text": DB, "type": "postgres", "name": "db", "first_seen": TIME},
    {"fact": "address", "namespace": DB, "address": "#", "url": DB},
    {"fact": "node", "node": A, "kind": "DATASET", "namespace": DB, "name": "a", "seen": ["INPUT"], "first_seen": TIME},
    {"fact": "node", "node": B, "kind": "DATASET", "namespace": DB, "name": "b", "seen": ["OUTPUT"]},
    {"fact": "node", "node": APP, "kind": "JOB", "namespace": "etl", "name": "app"},
    {"fact": "lifecycle", "dataset": B, "created_at": TIME},
    {"fact": "dataset_change", "dataset": B, "at": TIME, "types": ["CREATE"]},
    {"fact": "shape", "kind": "RUN_EVENT", "job": LOAD, "parent_job": APP, "job_type": "X_JOB", "processing": "BATCH"},
    {"fact": "shape_dataset", "shape": "#", "dataset": A, "role": "INPUT"},
    {"fact": "shape_dataset", "shape": "#", "dataset": B, "role": "OUTPUT", "schema": "#", "types": ["CREATE"]},
    {"fact": "shape_edge", "source": A, "target": B, "columns": [["y", "x", "DIRECT", "IDENTITY", False, ""]]},
    {"fact": "schema_version", "schema": "#", "fields": [{"name": "x", "type": "int"}]},
    {"fact": "sql_text", "sql": "#", "text": "SELECT y FROM a"},
    {"fact": "evidence", "shape": "#", "first_seen": TIME, "last": f"{TIME} STAMP"},
    {
        "fact": "run",
        "run": run_of(1),
        "job": LOAD,
        "activity": ["RUN", "OPERATION"],
        "parent_run": run_of(9),
        "status": "FAILED",
        "first_seen": TIME,
        "last_seen": TIME,
        "ended_at": TIME,
        "end_reason": "no",
        "end_reason_at": f"{TIME} STAMP",
    },
    {"fact": "run", "run": run_of(9), "job": APP},
    {"fact": "run_shape", "run": run_of(1), "shape": "#", "first_seen": TIME, "last_seen": TIME},
    {"fact": "run_dataset", "run": run_of(1), "dataset": A, "role": "INPUT", "rows": 5, "bytes": 50, "files": 1},
    {"fact": "run_dataset", "run": run_of(1), "dataset": B, "role": "OUTPUT", "rows": 7, "bytes": 70, "files": 1},
    {"fact": "dependency", "source": "job:etl:before", "target": LOAD, "first_seen": TIME},
    {"fact": "run_dependency", "source": run_of(8), "target": run_of(1), "first_seen": TIME},
    {"fact": "quality", "run": run_of(1), "dataset": A, "rows": 3, "rows_at": f"{TIME} STAMP"},
    {"fact": "assertion", "run": run_of(1), "dataset": A, "column": "y", "severity": "warn", "failed": 1},
    {"asset": "SQL", "executionCount": 0, "id": "sql:#", "content": "SELECT y FROM a"},
    {"edge": "DERIVES_FROM", "from": f"{DB}:b#x", "to": f"{DB}:a#y", "transformations": [["DIRECT", "IDENTITY"]]},
]


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda item: " ".join(map(str, list(item.values())[:3])))
def test_a_line_says_it_in_words(lines: list[dict[str, Any]], expected: dict[str, Any]) -> None:
    alike = [line for line in lines if expected.items() <= line.items()]
    nearest = [line for line in lines if line.get("fact") == expected.get("fact")]
    assert len(alike) == 1, nearest


def test_no_line_has_a_tenant_or_says_nothing(lines: list[dict[str, Any]]) -> None:
    for line in lines:
        assert "tenant" not in line
        assert None not in line.values()
        assert {"fact", "asset", "edge"} & line.keys()
    derived = [place for place, line in enumerate(lines) if "fact" not in line]
    assert derived == list(range(derived[0], len(lines))), "facts come first"
