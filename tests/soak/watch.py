"""Memory and descriptors of a server and all its processes, looked at every second."""

from __future__ import annotations

import statistics
import threading
from typing import Self

from tests import processes
from tests.server import Server

__all__ = ["Watch"]

_EVERY = 1.0
_MIB = 1 << 20


class Watch:
    """Use as a context manager, for as long as it is to look."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.memory: list[int] = []
        """Bytes of all processes together."""
        self.files: list[int] = []
        """Descriptors, likewise."""
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def _look(self) -> None:
        while not self._ends.wait(_EVERY):
            memory, files = now(self._server)
            self.memory.append(memory)
            self.files.append(files)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._thread.join()

    @property
    def usual(self) -> int:
        """Mebibytes in the middle of what was seen."""
        return round(statistics.median(self.memory or [0]) / _MIB)

    @property
    def most(self) -> int:
        return round(max(self.memory, default=0) / _MIB)


def now(server: Server) -> tuple[int, int]:
    """Bytes in memory and open files of the server and of all that it started."""
    memory = files = 0
    for process in (server.process.pid, *processes.descendants_of(server.process.pid)):
        try:
            memory += processes.memory_of(process)
            files += processes.open_files(process)
        except (FileNotFoundError, ProcessLookupError, IndexError):
            continue  # it ended just now
    return memory, files
