"""Clients that speak to a server in bytes of their own choice, and a look at whether others notice."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import httpx

from tests import processes
from tests.server import Server

__all__ = ["Others", "connected", "head", "memory_of", "read_answer", "read_to_the_end", "watched"]


@contextmanager
def connected(server: Server, seconds: float = 60) -> Iterator[socket.socket]:
    address = urlsplit(server.url)
    with socket.create_connection((address.hostname, address.port), timeout=seconds) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield connection


def head(*lines: str, path: str = "/api/v1/lineage", method: str = "POST") -> bytes:
    return "".join(f"{line}\r\n" for line in (f"{method} {path} HTTP/1.1", "host: localhost", *lines, "")).encode()


def read_answer(connection: socket.socket) -> tuple[int, bytes, bytes]:
    """Status, head and body of the next answer; status 0 if the connection ended without one."""
    said = b""
    while b"\r\n\r\n" not in said:
        piece = connection.recv(1)
        if not piece:
            return 0, said, b""
        said += piece
    length = int(said.lower().partition(b"content-length:")[2].split(b"\r\n")[0] or 0)
    body = b""
    while len(body) < length and (piece := connection.recv(length - len(body))):
        body += piece
    return int(said.split()[1]), said, body


def read_to_the_end(connection: socket.socket) -> bytes:
    """Everything until the server closes the connection."""
    said = b""
    while True:
        try:
            piece = connection.recv(65536)
        except ConnectionResetError:
            return said
        if not piece:
            return said
        said += piece


def memory_of(server: Server) -> int:
    """Megabytes that the server has in memory."""
    return processes.memory_of(server.process.pid) >> 20


class Others:
    """What another client sees meanwhile."""

    slowest = 0.0
    answers = 0
    statuses: set[int]


@contextmanager
def watched(server: Server, path: str = "/health/live") -> Iterator[Others]:
    """Ask again and again in a thread, and keep the longest time that an answer took."""
    others, is_over = Others(), threading.Event()
    others.statuses = set()

    def ask() -> None:
        with httpx.Client(timeout=60) as client:
            while not is_over.is_set() or not others.answers:
                began = time.monotonic()
                others.statuses.add(client.get(f"{server.url}{path}").status_code)
                others.slowest = max(others.slowest, time.monotonic() - began)
                others.answers += 1
                time.sleep(0.01)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield others
    finally:
        is_over.set()
        thread.join()
