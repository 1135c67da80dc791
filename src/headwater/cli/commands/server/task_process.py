"""Process of workers that `headwater up` starts: executes tasks until its socket is closed."""

from __future__ import annotations

import socket
import threading
from typing import BinaryIO, cast

from headwater.child import send, settings_of_parent
from headwater.models.wiring import make
from headwater.settings import Settings
from headwater.store.sql_store import SqlStore
from headwater.tasks.meter import CollectingMeter
from headwater.tasks.options import options_of
from headwater.tasks.worker import Worker

__all__ = ["main"]

_NICE = 5
"""Events come first."""
_REPORT_SECONDS = 1.0
_STOP_SECONDS = 3.0
"""Less than the server waits for this process; leases of running tasks expire by themselves."""


def _serve(settings: Settings, connection: socket.socket) -> None:
    store = SqlStore(settings.store_url)
    store.attach()
    meter, ends = CollectingMeter(), threading.Event()
    planner, handlers = make(settings, store)
    worker = Worker(store, planner, handlers, options_of(settings), meter)
    worker.start()
    with connection:
        reporter = threading.Thread(target=_report, args=(connection, meter, ends), daemon=True)
        reporter.start()
        while connection.recv(4096):
            worker.wake()
        ends.set()
        worker.stop(_STOP_SECONDS)
    store.close()


def _report(connection: socket.socket, meter: CollectingMeter, ends: threading.Event) -> None:
    """Send counters to the server, until it is gone."""
    stream = cast("BinaryIO", connection.makefile("wb"))
    while not ends.wait(_REPORT_SECONDS):
        try:
            send(stream, meter.take())
        except OSError:
            return


def main() -> None:
    _serve(*settings_of_parent(_NICE))


if __name__ == "__main__":
    main()
