"""What `headwater up` does with signals."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from typing import Any

import pytest
import uvicorn

from headwater.cli.commands.server.up import stop_on_signals


@pytest.fixture
def handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


async def application(
    scope: MutableMapping[str, Any],
    receive: Callable[[], Awaitable[MutableMapping[str, Any]]],
    send: Callable[[MutableMapping[str, Any]], Awaitable[None]],
) -> None:
    del scope
    while (message := await receive())["type"] != "lifespan.shutdown":
        await send({"type": f"{message['type']}.complete"})
    await send({"type": "lifespan.shutdown.complete"})


@pytest.mark.usefixtures("handlers")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_before_uvicorn_listens_stops_the_server(number: signal.Signals) -> None:
    server = uvicorn.Server(uvicorn.Config(application, log_config=None))
    stop_on_signals(server)
    signal.raise_signal(number)
    rescue = threading.Timer(10, setattr, (server, "should_exit", True))  # a lost signal would keep it running
    rescue.start()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server.run(sockets=[listener])
    assert rescue.is_alive(), "the signal was lost"
    rescue.cancel()
