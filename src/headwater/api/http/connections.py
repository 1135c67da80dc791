"""All connections of a process: limits of their number, per address, and of the time each may stay idle.

An idle connection costs a peer nothing, so it is closed: after a while without a request, when the head of a request
does not arrive in time, and when a body arrives too slowly. One timer checks all of them.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from enum import Enum
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Protocol

from msgspec import Struct

from headwater.ingest.metrics import CLOSED_CONNECTIONS, CONNECTIONS
from headwater.settings import Settings

__all__ = ["ConnectionLimits", "Connections", "Reading", "group_of", "limits_of"]

_log = logging.getLogger(__name__)
_LOOK_EVERY = 1.0
_MOST_PASSED = 2 * _LOOK_EVERY
"""Time between two checks that counts at most: clients are not to blame if this process stood still."""
_LOG_EVERY = 10.0
_LINGER_SECONDS = 2.0
"""After a refusal, for a client that is still sending to read why."""


class Reading(Enum):
    """What a connection waits for: a request, its head or its body."""

    REQUEST = "request"
    """The first byte of one, or nothing while one is answered."""
    HANDSHAKE = "handshake"
    HEAD = "head"
    BODY = "body"
    NOTHING = "nothing"
    """It was refused, and is about to be closed."""


class ConnectionLimits(Struct, frozen=True):
    connections: int = 2000
    address_connections: int = 500
    proxies: tuple[IPv4Network | IPv6Network, ...] = ()
    """Networks whose addresses may have any number."""
    keep_alive_seconds: float = 75
    header_seconds: float = 20
    body_rate: int = 4096
    body_seconds: float = 10

    def is_proxy(self, address: str) -> bool:
        """Whether the settings name this address as a proxy's. Raises ValueError if it is no address."""
        found = ip_address(address)
        return any(found in network for network in self.proxies)


class Connection(Protocol):
    """A connection as the timer sees it."""

    reading: Reading
    waited: float
    """Seconds since it last got further."""
    arrived: int
    """Bytes of a body since the last look."""
    credit: float
    """Bytes that it may still be behind."""

    @property
    def address(self) -> str: ...

    @property
    def is_waiting(self) -> bool:
        """Whether it is the client's turn."""

    def give_up(self, reason: str) -> None: ...


def limits_of(settings: Settings) -> ConnectionLimits:
    return ConnectionLimits(
        connections=settings.connections,
        address_connections=settings.address_connections,
        proxies=tuple(ip_network(name.strip(), strict=False) for name in settings.proxies.split(",") if name.strip()),
        keep_alive_seconds=settings.keep_alive_seconds,
        header_seconds=settings.header_seconds,
        body_rate=settings.body_rate,
        body_seconds=settings.body_seconds,
    )


class Connections:
    """Used from the event loop."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.limits = limits
        self._all: set[Connection] = set()
        self._of_address: Counter[str] = Counter()
        self._logged: dict[str, tuple[float, int]] = {}

    def __len__(self) -> int:
        return len(self._all)

    def enter(self, connection: Connection) -> str | None:
        """Take a new connection; gives why not, if there is no place for it."""
        address = group_of(connection.address)
        if self._of_address[address] >= self.limits.address_connections and not self._is_proxy(connection.address):
            return "too_many_of_address"
        if len(self._all) >= self.limits.connections and not self._make_room():
            return "too_many"
        self._all.add(connection)
        self._of_address[address] += 1
        return None

    def leave(self, connection: Connection) -> None:
        if connection not in self._all:
            return
        self._all.discard(connection)
        address = group_of(connection.address)
        self._of_address[address] -= 1
        if not self._of_address[address]:
            del self._of_address[address]

    def closed(self, reason: str, address: str) -> None:
        """Count a connection that is closed for this reason, and write it down if that was not done just now."""
        CLOSED_CONNECTIONS.labels(reason).inc()
        if reason == "idle":
            return
        before, count = self._logged.get(reason, (-_LOG_EVERY, 0))
        now = time.monotonic()
        if now - before < _LOG_EVERY:
            self._logged[reason] = (before, count + 1)
            return
        self._logged[reason] = (now, 0)
        _log.warning("connections are closed", extra={"reason": reason, "connections": count + 1, "address": address})

    async def keep_looking(self) -> None:
        """Close connections that have been idle or slow for too long."""
        last = time.monotonic()
        while True:
            await asyncio.sleep(_LOOK_EVERY)
            now = time.monotonic()
            self.look(min(now - last, _MOST_PASSED))
            last = now

    def look(self, seconds: float) -> None:
        """Note that this time has passed."""
        CONNECTIONS.set(len(self._all))
        for connection in list(self._all):
            if connection.is_waiting and (reason := self._too_long(connection, seconds)) is not None:
                connection.give_up(reason)

    def _too_long(self, connection: Connection, seconds: float) -> str | None:
        limits = self.limits
        is_first_look = connection.waited == 0.0
        connection.waited += seconds
        if connection.reading is Reading.REQUEST:
            return "idle" if connection.waited > limits.keep_alive_seconds else None
        if connection.reading is Reading.HANDSHAKE:
            return "slow_handshake" if connection.waited > limits.header_seconds else None
        if connection.reading is Reading.HEAD:
            return "slow_head" if connection.waited > limits.header_seconds else None
        if connection.reading is Reading.NOTHING:
            return "refused" if connection.waited > _LINGER_SECONDS else None
        most = limits.body_rate * limits.body_seconds
        owed = 0.0 if is_first_look else limits.body_rate * seconds  # it may have begun a moment ago
        connection.credit = min(most, connection.credit + connection.arrived) - owed
        connection.arrived = 0
        return "slow_body" if connection.credit < 0 else None

    def _make_room(self) -> bool:
        """Close the connection that has been idle for longest; whether there was one."""
        idle = [it for it in self._all if it.reading is Reading.REQUEST and it.is_waiting]
        if not idle:
            return False
        longest = max(idle, key=lambda connection: connection.waited)
        longest.give_up("idle")
        self.leave(longest)
        return True

    def _is_proxy(self, address: str) -> bool:
        try:
            return self.limits.is_proxy(address)
        except ValueError:  # a socket of the machine itself
            return True


def group_of(address: str) -> str:
    """Addresses that one peer has: of IPv6 a network of 64 bits.

    >>> group_of("2001:db8:0:1:a::1"), group_of("192.0.2.7")
    ('2001:db8:0:1::/64', '192.0.2.7')
    """
    if ":" not in address:
        return address
    return str(ip_network((address.partition("%")[0], 64), strict=False))
