"""Background work in a thread of its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from threading import Event, Thread

__all__ = ["Background"]


class Background(ABC):
    """Owns a thread, which ends with the process at the latest."""

    def __init__(self, name: str) -> None:
        self._ends = Event()
        self._thread = Thread(target=self._run, name=f"headwater-{name}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Returns when the step that runs is done."""
        self._ends.set()
        self._thread.join()

    @abstractmethod
    def _run(self) -> None:
        """Goes on until `_ends` is set."""
