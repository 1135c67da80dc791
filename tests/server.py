"""A real Headwater in a process of its own, for tests that speak HTTP to it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Self

import httpx


class Server:
    """Starts on a free port; `url` is where. Use as a context manager."""

    def __init__(self, data: Path, *options: str, environment: dict[str, str] | None = None) -> None:
        self.data = data
        command = [
            sys.executable,
            "-m",
            "headwater",
            "up",
            "--port",
            "0",
            "--data",
            str(data),
            "--no-pipeline",
            *options,
        ]
        clean = {name: value for name, value in os.environ.items() if not name.startswith("HEADWATER_")}
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**clean, **(environment or {})}
        )
        assert self.process.stdout is not None
        first = self.process.stdout.readline()
        assert "listens on http" in first, (first, self.process.stderr.read() if self.process.stderr else "")
        self.url = first.split("listens on ")[1].split(",")[0]
        self._errors: list[str] = []
        self._reader = threading.Thread(target=self._drain, daemon=True)
        self._reader.start()
        self._wait()

    def _drain(self) -> None:
        assert self.process.stderr is not None
        self._errors.extend(iter(self.process.stderr.readline, ""))

    def _wait(self) -> None:
        while True:
            try:
                httpx.get(f"{self.url}/health/live", timeout=20).raise_for_status()
                break
            except httpx.TransportError:
                assert self.process.poll() is None, self.log()
                assert time.monotonic() - self.began < 120, "the server does not answer"
                time.sleep(0.02)
        self.start_seconds = time.monotonic() - self.began

    def log(self) -> str:
        return "".join(self._errors)

    def post(self, body: bytes, path: str = "/api/v1/lineage", **headers: str) -> httpx.Response:
        sent = {"content-type": "application/json", **headers}
        return httpx.post(f"{self.url}{path}", content=body, headers=sent, timeout=120)

    def get(self, path: str, **parameters: object) -> httpx.Response:
        return httpx.get(
            f"{self.url}{path}", params={name: str(value) for name, value in parameters.items()}, timeout=120
        )

    def send_all(self, bodies: Iterable[bytes]) -> None:
        with httpx.Client(timeout=120) as client:
            for body in bodies:
                client.post(f"{self.url}/api/v1/lineage", content=body).raise_for_status()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(60)

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.terminate()
        code = self.process.wait(60)
        self._reader.join(5)
        if self._reader.is_alive():  # a child of it lives on and holds the pipe; closing it here would wait for ever
            return code
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        return code

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
