"""A server on which something is broken: whoever asks gets an answer, on a connection that goes on."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from headwater.store.dialects import sqlite_space as space
from tests.api.test_ingest import event
from tests.application import InProcess
from tests.hostile.wire import connected, head, read_answer
from tests.server import Server

BROKEN = "/api/v1/events"
LETTERS = "/api/v2/dead-letters"


@pytest.mark.parametrize("query_processes", ["0", "1"])
def test_a_defect_is_answered_and_the_connection_goes_on(tmp_path: Path, query_processes: str) -> None:
    """An event in the log that cannot be read: after the answer the next request has its answer too."""
    with Server(tmp_path, "--query-processes", query_processes) as server:
        assert server.post(event("broken")).status_code == 201
        assert server.post(b"no event").status_code == 400
        with sqlite3.connect(tmp_path / "headwater.db", timeout=20) as database:
            database.execute("UPDATE lineage_events SET event = x'0102'")
            database.execute("UPDATE dead_letter SET body = x'0102'")
        database.close()
        letter = f"{LETTERS}/{server.get(LETTERS).json()['dead_letters'][0]['id']}"
        with connected(server) as connection:
            for path, lines in ((BROKEN, ()), (letter, ()), (letter, ("content-length: 5",))):
                connection.sendall(head(*lines, method="GET", path=path) + (b"12345" if lines else b""))
                status, said, body = read_answer(connection)
                assert (status, b'"code":500' in body, b"connection: close" in said) == (500, True, False)
                assert b"x-content-type-options" in said
            connection.sendall(head(f"content-length: {len(event())}") + event())
            assert read_answer(connection)[0] == 201
        found = re.findall(r'headwater_api_5xx_total{route="([^"]*)"} ([\d.]+)', server.get("/metrics").text)
        assert [(route.split("{")[0], count) for route, count in sorted(found)] == [
            (BROKEN, "1.0"),
            (f"{LETTERS}/", "2.0"),
        ]
        assert "a request failed" in server.log()


def test_requests_are_counted_by_route(server: Server) -> None:
    server.post(event("counted"))
    server.post(b"[]", "/any/prefix/api/v1/lineage/batch")
    for path in ("/api/v2/jobs/job:tests:counted", "/api/v2/jobs/job:tests:none", "/x1", "/x2", "/api/v2/jobs/", "/"):
        server.get(path)
    server.get("/api/v1/namespaces/tests/jobs/counted")
    server.get("/api/v2/lineage", name="job:tests:counted")
    text = server.get("/metrics").text
    found = {(route, status) for route, status in re.findall(r'requests_total{.*route="(.*?)",status="(\d+)"}', text)}
    assert found == {
        ("/api/v1/lineage", "201"),
        ("/api/v1/lineage", "200"),
        ("/api/v2/jobs/{id:path}", "200"),
        ("/api/v2/jobs/{id:path}", "404"),
        ("/api/v2/jobs", "200"),
        ("/api/v1/namespaces/{namespace}/jobs/{job}", "200"),
        ("/api/v2/lineage", "200"),
        ("/health/live", "200"),
        ("/", "200"),
        ("other", "404"),
    }
    assert 'headwater_lineage_query_latency_ms_count{route="/api/v2/lineage"} 1.0' in text
    assert 'method="GET",route="other",status="404"} 2.0' in text
    for name in ("api_requests_total", "api_5xx_total", "lineage_query_latency_ms_p95"):  # as their contract names them
        assert f"\n# TYPE {name} " in text
    assert '\napi_requests_total{method="GET",route="other",status="404"} 2.0' in text


def test_ready_only_with_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with InProcess(tmp_path) as app:
        assert app.get("/health/ready").status_code == 200
        monkeypatch.setattr(space, "_LEAST", 1 << 62)
        for _ in range(2):
            answer = app.get("/health/ready")
            assert (answer.status_code, answer.json()["checks"]) == (503, {"store": "down"})
            assert "is full" in answer.json()["reason"]
        monkeypatch.setattr(space, "_LEAST", 1)
        assert app.get("/health/ready").status_code == 200


def test_a_full_disk(tmp_path: Path) -> None:
    """Never ready while events are turned away, and ready again by itself."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=24m", "none", str(disk)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("disks cannot be mounted here")
    with ExitStack() as stack:
        stack.callback(subprocess.run, ["umount", "-l", disk], check=True)
        server = stack.enter_context(Server(disk))
        assert server.get("/health/ready").status_code == 200
        filler = disk / "filler"
        with filler.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(b"x" * 4096)
        statuses = []
        for number in range(6):
            statuses.append(server.get("/health/ready").status_code)
            padding = "".join(f"{place:x}" for place in range(20_000))
            assert server.post(event(f"full-{number}", padding=padding)).status_code in (201, 503)
        assert statuses == [503] * 6
        filler.unlink()
        time.sleep(0.1)
        assert server.get("/health/ready").status_code == 200
        assert server.post(event("after")).status_code == 201
