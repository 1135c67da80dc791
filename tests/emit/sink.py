"""An OpenLineage endpoint on loopback that keeps what it is sent, and answers as it is told."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Answer = tuple[int, dict[str, str]]


class SinkServer:
    """Use as a context. `answer` is asked for each body; what was answered 2xx is in `taken`."""

    def __init__(self, answer: Callable[[bytes], Answer] = lambda _: (201, {})) -> None:
        self.answer, self.taken, self.refused = answer, [], []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self._lock = threading.Lock()
        sink = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = int(self.headers["content-length"])
                body = self.rfile.read(length)
                if len(body) == length:  # else its sender was killed in the middle of it
                    sink._serve(self, body)

            def log_message(self, *_: object) -> None:
                """Nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    taken: list[bytes]
    refused: list[bytes]

    def _serve(self, handler: Any, body: bytes) -> None:
        with self._lock:
            status, headers = self.answer(body)
            (self.taken if status // 100 == 2 else self.refused).append(body)
            self.headers.append({name.lower(): value for name, value in handler.headers.items()})
            self.paths.append(handler.path)
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("content-length", "0")
        handler.end_headers()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)
