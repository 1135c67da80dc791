"""A TLS connection until its handshake is done: counted, and limited in time, from its first byte.

A server socket that speaks TLS by itself shows a connection to the application only after the handshake, so clients
could hold any number of unfinished ones open. Here a connection is plain first, counts among all connections, and is
handed to the TLS protocol before a byte of it is read.
"""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from collections.abc import Callable
from typing import Any, cast

from uvicorn import Config
from uvicorn.server import ServerState

from headwater.api.http.connections import Connections, Reading
from headwater.api.http.protocol import EventProtocol

__all__ = ["Arrival", "Handshake", "handshakes"]


class Arrival(asyncio.Protocol):
    """A connection of which nothing was read yet."""

    def __init__(self, handshake: Handshake) -> None:
        self._handshake = handshake

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        plain, peer = cast("asyncio.Transport", transport), transport.get_extra_info("peername")
        address = str(peer[0]) if isinstance(peer, tuple) else ""
        if self._handshake.enter(address):
            self._handshake.begin(socket.socket(fileno=os.dup(plain.get_extra_info("socket").fileno())))
        plain.abort()  # this end of it


class Handshake(asyncio.Protocol):
    """A connection during its TLS handshake; afterwards it belongs to `protocol`."""

    def __init__(
        self, protocol: EventProtocol, state: ServerState, tenant_index: Connections, context: ssl.SSLContext
    ) -> None:
        self._protocol, self._state, self._book, self._context = protocol, state, tenant_index, context
        self._socket: socket.socket | None = None
        self._task: asyncio.Task[None] | None = None
        self.reading = Reading.HANDSHAKE
        self.waited = self.credit = 0.0
        self.arrived = 0
        self.is_waiting = True
        self.address = ""

    def enter(self, address: str) -> bool:
        """Take a place among all connections, if there is one."""
        self.address = address
        reason = self._book.enter(self)
        if reason is not None:
            self._book.closed(reason, address)
            return False
        self._state.connections.add(cast("Any", self))
        return True

    def begin(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        self._socket = connection
        self._task = asyncio.ensure_future(self._speak(connection))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The handshake is done."""
        self._leave()
        secure = cast("asyncio.Transport", transport)
        secure.set_protocol(self._protocol)
        self._protocol.connection_made(secure)

    def give_up(self, reason: str) -> None:
        """The client has kept the server waiting for too long."""
        self._book.closed(reason, self.address)
        self.shutdown()

    def shutdown(self) -> None:
        """End it: nothing was asked yet. Called when the server stops, too."""
        if self._socket is not None and self._task is not None and not self._task.done():
            self._socket.shutdown(socket.SHUT_RDWR)
        self._leave()

    async def _speak(self, connection: socket.socket) -> None:
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: self, connection, ssl=self._context, ssl_handshake_timeout=self._book.limits.header_seconds + 10
            )
        except OSError:  # no TLS, or the client has left
            connection.close()
        finally:
            self._leave()

    def _leave(self) -> None:
        self._book.leave(self)
        self._state.connections.discard(cast("Any", self))


def handshakes(tenant_index: Connections, context: ssl.SSLContext) -> Callable[..., Arrival]:
    """Factory of a protocol for each connection, as uvicorn calls it."""

    def begin(config: Config, server_state: ServerState, app_state: dict[str, Any], _loop: Any = None) -> Arrival:
        protocol = EventProtocol(config=config, server_state=server_state, app_state=app_state, _loop=_loop)
        return Arrival(Handshake(protocol, server_state, tenant_index, context))

    return begin
