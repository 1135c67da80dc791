"""`kill -9` at random moments under load: every acknowledged event is there, once, and the graph is the fold of the log."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path

import httpx
import pytest

from headwater.openlineage.identity import fingerprint
from headwater.store.engine import make_engine
from headwater.store.read.reader import Reader
from tests.server import Server

WORKERS = 4
ROUNDS = 4


def event(worker: int, number: int, salt: str) -> bytes:
    """Jobs that repeat and jobs that are new, runs that start and end."""
    job = f"job_{number % 7}" if number % 3 else f"new_{salt}_{worker}_{number}"
    body = {
        "eventTime": f"2026-03-01T00:{worker:02d}:{number % 60:02d}.{number:06d}Z"[:26] + "Z",
        "eventType": "START" if number % 2 else "COMPLETE",
        "run": {"runId": str(uuid.uuid5(uuid.NAMESPACE_URL, f"{salt}/{worker}/{number // 2}"))},
        "job": {"namespace": "kill", "name": job},
        "inputs": [
            {"namespace": "s3://lake", "name": f"{job}/in", "inputFacets": {"inputStatistics": {"rowCount": number}}}
        ],
        "outputs": [{"namespace": "s3://lake", "name": f"{job}/out"}],
    }
    return json.dumps(body).encode()


def _send(url: str, worker: int, salt: str, acknowledged: set[bytes], stop: threading.Event) -> None:
    with httpx.Client(timeout=60) as client:
        number = 0
        while not stop.is_set():
            number += 1
            body = event(worker, number, salt)
            try:
                if client.post(f"{url}/api/v1/lineage", content=body).status_code == 201:
                    acknowledged.add(fingerprint(body))
            except httpx.TransportError:
                return


@pytest.mark.slow
def test_kill(tmp_path: Path) -> None:
    chance = random.Random(11)
    acknowledged: set[bytes] = set()
    for round_number in range(ROUNDS):
        server = Server(tmp_path)
        stop = threading.Event()
        salt = f"r{round_number}"
        workers = [
            threading.Thread(target=_send, args=(server.url, worker, salt, acknowledged, stop))
            for worker in range(WORKERS)
        ]
        for worker in workers:
            worker.start()
        before, patience = len(acknowledged), time.monotonic() + 120
        while len(acknowledged) < before + 10 and time.monotonic() < patience:  # a busy machine takes its time
            time.sleep(0.01)
        time.sleep(chance.uniform(0, 1.2))
        server.kill()
        stop.set()
        for worker in workers:
            worker.join()
        server.stop()
    assert len(acknowledged) >= 10 * ROUNDS, "too little load to show anything"

    with Server(tmp_path) as again:
        over_http = again.get("/api/v2/dump").text
    reader = Reader(make_engine(f"sqlite:///{tmp_path}/headwater.db"))
    stored = [fingerprint(logged.body) for logged in reader.log(1)]
    assert len(stored) == len(set(stored)), "an event is there twice"
    assert acknowledged <= set(stored), "an acknowledged event is lost"
    assert over_http == _headwater("dump", tmp_path) == _headwater("fold", tmp_path)


def _headwater(command: str, data: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "headwater", command, "--data", str(data)], capture_output=True, text=True, check=True
    )
    return done.stdout
