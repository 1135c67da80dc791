"""A socket whose operations must all be done by one point in time, however slowly the peer sends."""

from __future__ import annotations

import io
import socket
import time
from typing import Any

__all__ = ["TimedSocket"]


class TimedSocket:
    """The methods of a socket that http.client calls, with one time limit for all of them."""

    def __init__(self, connected: socket.socket, until: float) -> None:
        self._socket, self._until = connected, until

    def sendall(self, data: Any) -> None:
        self._limit()
        self._socket.sendall(data)  # its time-out is for the whole of it

    def makefile(self, mode: str) -> io.BufferedReader:
        if mode != "rb":
            raise ValueError(mode)
        return io.BufferedReader(_TimedReader(self))

    def receive_into(self, buffer: Any) -> int:
        self._limit()
        return self._socket.recv_into(buffer)

    def close(self) -> None:
        """Does nothing: http.client closes before the body is read, and the owner of the connection ends it."""

    def _limit(self) -> None:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._socket.settimeout(left)


class _TimedReader(io.RawIOBase):
    def __init__(self, timed: TimedSocket) -> None:
        super().__init__()
        self._timed = timed

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        return self._timed.receive_into(buffer)
