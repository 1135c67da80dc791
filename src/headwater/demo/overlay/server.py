"""The HTTP server of the demo overlay: an overlay's API, and steps of its history for tests and demos."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Self
from urllib.parse import parse_qs, unquote, urlsplit

from headwater.demo.overlay.history import OverlayHistory, WrongStep

__all__ = ["OverlayServer"]

_LARGEST_STEP = 64 << 10
_MOST_LISTINGS = 1_000
Notify = Callable[[str, str], None]
"""Called with `publish` or `recall` and a versionId, after it happened."""


class OverlayServer:
    """Serves a history on loopback. Use as a context manager, or `serve` in the foreground."""

    def __init__(
        self,
        history: OverlayHistory,
        *,
        port: int = 0,
        host: str = "127.0.0.1",
        token: str = "",
        notify: Notify | None = None,
        tells_history: bool = True,
    ) -> None:
        """`token`: required of clients; `tells_history`: whether `/ready` has all states or only the present one."""
        self.history, self.token, self.notify, self.tells_history = history, token, notify, tells_history
        self.lock = threading.Lock()
        self.failures: list[int] = []
        """Statuses of the next answers to anything but steps."""
        self.asked: list[str] = []
        """The last requests, for tests."""
        handler = type("Handler", (_Handler,), {"overlay": self})
        self._server = ThreadingHTTPServer((host, port), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self.url = f"http://{host}:{self._server.server_address[1]}"

    def serve(self) -> None:
        """Answer until interrupted."""
        try:
            self._server.serve_forever()
        finally:
            self._server.server_close()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)

    def step(self, name: str, wanted: dict[str, Any]) -> dict[str, Any]:
        """Take one step of the history; gives the changes."""
        version_id, told = wanted.get("versionId"), ""
        answer: dict[str, Any]
        with self.lock:
            if name == "publish":
                version_id = self.history.publish(version_id, wanted.get("parents"))
                answer, told = {"versionId": version_id}, "publish"
            elif name == "recall":
                self.history.recall(str(version_id))
                answer, told = {"versionId": version_id}, "recall"
            elif name == "mine":
                self.history.mine(int(wanted.get("blocks", 1)))
                answer = {"mined": int(wanted.get("blocks", 1))}
            elif name == "reorg":
                answer = {"unstable": self.history.reorg(int(wanted.get("depth", 1)))}
            elif name == "drop":
                self.history.drop(str(version_id))
                answer = {"versionId": version_id}
            elif name == "fail":
                self.failures = [int(wanted.get("status", 503))] * min(int(wanted.get("times", 1)), 1_000)
                answer = {"failures": len(self.failures)}
            else:
                raise WrongStep(f"There is no step {name!r}.", hint="publish, recall, mine, reorg, drop or fail.")
        if told and self.notify is not None and wanted.get("notify", True):
            self.notify(told, str(version_id))
        return answer


class _Handler(BaseHTTPRequestHandler):
    overlay: ClassVar[OverlayServer]
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_GET(self) -> None:
        overlay, address = self.overlay, urlsplit(self.path)
        overlay.asked[:] = [*overlay.asked[-999:], self.path]
        if overlay.failures:
            self._answer(overlay.failures.pop(), {"error": "told to fail"})
            return
        if overlay.token and self.headers.get("authorization") != f"Bearer {overlay.token}":
            self._answer(401, {"error": "a token is needed"})
            return
        query = {name: values[0] for name, values in parse_qs(address.query).items()}
        try:
            with overlay.lock:
                found = self._find(unquote(address.path) if "/listings/" in address.path else address.path, query)
        except WrongStep as error:
            self._answer(404, {"error": error.message})
            return
        self._answer(200 if found is not None else 404, found or {"error": "there is nothing here"})

    def _find(self, path: str, query: dict[str, str]) -> dict[str, Any] | None:
        history, version_id = self.overlay.history, query.get("versionId", "")
        if path == "/bundle":
            return history.bundle(version_id)
        if path == "/ready":
            ready = history.ready(version_id)
            return ready if self.overlay.tells_history else {k: v for k, v in ready.items() if k != "history"}
        if path == "/listings":
            limit = query.get("limit", "100")
            count = int(limit) if limit.isdigit() else 100
            return history.listings(query.get("after"), max(1, min(count, _MOST_LISTINGS)))
        if path.startswith("/listings/"):
            return history.listing(path.removeprefix("/listings/"))
        return None

    def do_POST(self) -> None:
        length = self.headers.get("content-length", "0")
        size = int(length) if length.isdigit() else _LARGEST_STEP + 1
        if size > _LARGEST_STEP:
            self.close_connection = True
            self._answer(413, {"error": "too large"})
            return
        body = self.rfile.read(size)
        if not self.path.startswith("/demo/"):
            self._answer(404, {"error": "there is nothing here"})
            return
        try:
            wanted = json.loads(body or b"{}")
            self._answer(200, self.overlay.step(self.path.removeprefix("/demo/"), wanted))
        except WrongStep as error:
            self._answer(409, {"error": error.message})
        except (ValueError, TypeError, AttributeError):
            self._answer(400, {"error": "the body is no JSON object with the members of this step"})

    def _answer(self, status: int, members: dict[str, Any]) -> None:
        body = json.dumps(members).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing: the server is for tests and demos."""
