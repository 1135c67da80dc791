"""A peer on loopback that answers every connection with given bytes, as slowly as is wanted, and keeps what it is sent."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from contextlib import suppress
from typing import Self


class Peer:
    """Use as a context. `parts` are sent one after the other, with a pause before each but the first."""

    def __init__(self, *parts: bytes, pause: float = 0.0, context: ssl.SSLContext | None = None) -> None:
        self._parts, self._pause, self._context = parts, pause, context
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.requests: list[bytes] = []
        self.url = f"http{'s' if context else ''}://127.0.0.1:{self.port}"
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        self._thread.join(10)
        self._socket.close()

    def _serve(self) -> None:
        while not self._ends.is_set():
            connection, _ = self._socket.accept()
            with suppress(OSError), connection:
                self._answer(connection)

    def _answer(self, connection: socket.socket) -> None:
        connection.settimeout(5)
        if self._context is not None:
            connection = self._context.wrap_socket(connection, server_side=True)
        request = b""
        while b"\r\n\r\n" not in request and (got := connection.recv(65536)):
            request += got
        if not request:
            return
        head, _, body = request.partition(b"\r\n\r\n")
        length = next(
            (int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0
        )
        while len(body) < length and (got := connection.recv(65536)):
            body += got
        self.requests.append(head + b"\r\n\r\n" + body)
        for number, part in enumerate(self._parts):
            if number and self._pause:
                time.sleep(self._pause)
            if self._ends.is_set():
                break
            connection.sendall(part)
        with suppress(OSError):
            connection.shutdown(socket.SHUT_WR)
        connection.close()


def answer(body: bytes = b"{}", status: str = "200 OK", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"content-length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body
