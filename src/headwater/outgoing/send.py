"""One HTTP request to another server, under the rules that hold for all of them.

- No redirects, no proxies, no cookies, no compressed answers.
- The name is resolved once, every address is checked, and the connection is made to an address that was checked.
- Private, local and otherwise special addresses only where the operator allows their network (`outgoing_private`);
  without TLS only there.
- All of it together, from the look-up of the name to the last byte of the answer, is bounded in time and in size.
- Errors name the host and the reason, never a path, a header or a body.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from headwater.outgoing.addresses import Address, is_allowed, is_within, read_networks
from headwater.outgoing.errors import OutgoingFailed
from headwater.outgoing.resolve import resolve
from headwater.outgoing.timed_socket import TimedSocket
from headwater.outgoing.tls import TlsOptions, tls_context

__all__ = ["Outgoing", "OutgoingAnswer"]

_CONNECT_SECONDS = 10.0
_MOST_ADDRESSES = 8
_LONGEST_URL = 2_000
_CHUNK = 1 << 16
_REDIRECTS = (301, 302, 303, 305, 306, 307, 308)
_OURS = frozenset({"host", "content-length", "transfer-encoding", "connection", "accept-encoding", "expect", "upgrade"})


class OutgoingAnswer(Struct, frozen=True):
    status: int
    headers: dict[str, str]
    """By name in lower case; of several with one name the last."""
    body: bytes


class _Place(Struct, frozen=True):
    scheme: str
    host: str
    port: int
    target: str

    @property
    def host_header(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == {"http": 80, "https": 443}[self.scheme] else f"{host}:{self.port}"

    @property
    def shown(self) -> str:
        return f"{self.scheme}://{self.host_header}"


class Outgoing:
    """Sends requests. Safe to use from many threads; keeps no connection."""

    def __init__(self, private: str = "", *, look_up: Callable[[str, int, float], list[Address]] = resolve) -> None:
        """`private`: networks that may be reached though they are not public, with commas between them."""
        self._private = read_networks(private)
        self._look_up = look_up

    def check(self, url: str) -> None:
        """Refuse an address that can never be asked, without a connection and without a look-up of its name."""
        place = _place_of(url)
        with suppress(ValueError):
            self._check_address(place, ip_address(place.host))

    def send(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
        seconds: float = 30.0,
        max_bytes: int = 8 << 20,
        tls: TlsOptions | None = None,
    ) -> OutgoingAnswer:
        """Send a request and read its whole answer, whatever its status. Raises `OutgoingFailed`."""
        until = time.monotonic() + seconds
        place = _place_of(url)
        sent = _headers(headers or {})
        context = tls_context(tls) if place.scheme == "https" else None
        try:
            addresses = self._addresses(place, until)
            connected = self._connect(place, addresses, context, until)
            try:
                return _exchange(place, TimedSocket(connected, until), method, sent, body, max_bytes)
            finally:
                connected.close()
        except TimeoutError:
            raise OutgoingFailed(f"{place.shown} did not answer within {seconds:g} s.", "timeout") from None

    def _addresses(self, place: _Place, until: float) -> list[Address]:
        """The addresses of a host that may be connected to."""
        try:
            found = [ip_address(place.host)]
        except ValueError:
            try:
                found = self._look_up(place.host, place.port, until - time.monotonic())
            except TimeoutError:
                raise
            except OSError:
                raise OutgoingFailed(f"The name of {place.shown} cannot be resolved.", "name") from None
        refused: OutgoingFailed | None = None
        allowed: list[Address] = []
        for address in found[:_MOST_ADDRESSES]:
            try:
                self._check_address(place, address)
                allowed.append(address)
            except OutgoingFailed as error:
                refused = refused or error
        if not allowed:
            raise refused or OutgoingFailed(f"{place.shown} has no address.", "name")
        return allowed

    def _check_address(self, place: _Place, address: Address) -> None:
        if not is_allowed(address, self._private):
            raise OutgoingFailed(
                f"{place.shown} is at {address}, which is no public address.",
                "address",
                hint="An operator allows its network with the setting outgoing_private, if that is meant.",
            )
        if place.scheme == "http" and not is_within(address, self._private):
            raise OutgoingFailed(
                f"{place.shown} is at {address}: without TLS only allowed private networks are asked.",
                "url",
                hint="Write https://, or let an operator allow the network with the setting outgoing_private.",
            )

    def _connect(
        self, place: _Place, addresses: list[Address], context: ssl.SSLContext | None, until: float
    ) -> socket.socket:
        reason = ""
        for address in addresses:
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError
            try:
                plain = socket.create_connection((str(address), place.port), min(left, _CONNECT_SECONDS))
            except OSError as error:
                reason = error.strerror or "no connection in time"
                continue
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return plain if context is None else _secured(place, plain, context, until)
        if time.monotonic() >= until:
            raise TimeoutError
        raise OutgoingFailed(f"{place.shown} cannot be reached: {reason.lower()}.", "connect")


def _secured(place: _Place, plain: socket.socket, context: ssl.SSLContext, until: float) -> ssl.SSLSocket:
    try:
        plain.settimeout(max(0.001, until - time.monotonic()))
        return context.wrap_socket(plain, server_hostname=place.host)
    except TimeoutError:
        plain.close()
        raise
    except OSError as error:
        plain.close()
        reason = getattr(error, "verify_message", "") or getattr(error, "reason", "") or "connection closed"
        raise OutgoingFailed(
            f"{place.shown}: TLS failed ({str(reason).lower().replace('_', ' ')}).",
            "tls",
            hint="Is the certificate for this name, and does the right authority vouch for it?",
        ) from None


def _exchange(
    place: _Place, timed: TimedSocket, method: str, headers: Mapping[str, str], body: bytes, max_bytes: int
) -> OutgoingAnswer:
    connection = http.client.HTTPConnection(place.host, place.port)
    connection.sock = timed
    try:
        connection.putrequest(method, place.target, skip_host=True, skip_accept_encoding=True)
        connection.putheader("host", place.host_header)
        for name, value in {**headers, "accept-encoding": "identity", "connection": "close"}.items():
            connection.putheader(name, value)
        if body or method in ("POST", "PUT", "PATCH"):
            connection.putheader("content-length", str(len(body)))
        connection.endheaders(body or None)
        answer = connection.getresponse()
        if answer.status in _REDIRECTS:
            raise OutgoingFailed(
                f"{place.shown} answers with a redirect ({answer.status}), which is not followed.",
                "redirect",
                hint="Configure the address that it leads to, if that is meant.",
            )
        if (answer.headers.get("content-encoding") or "identity").lower() != "identity":
            raise OutgoingFailed(f"{place.shown} answers compressed, which was not asked for.", "protocol")
        read = _read(place, answer, max_bytes)
        return OutgoingAnswer(answer.status, {name.lower(): value for name, value in answer.headers.items()}, read)
    except http.client.HTTPException as error:
        raise OutgoingFailed(f"{place.shown} does not speak HTTP ({type(error).__name__}).", "protocol") from None
    except TimeoutError:
        raise
    except OSError:
        raise OutgoingFailed(f"{place.shown} closed the connection.", "protocol") from None
    finally:
        connection.close()


def _read(place: _Place, answer: http.client.HTTPResponse, max_bytes: int) -> bytes:
    parts, size = [], 0
    if (answer.length or 0) > max_bytes:
        raise _too_large(place, max_bytes)
    while chunk := answer.read1(_CHUNK):
        size += len(chunk)
        if size > max_bytes:
            raise _too_large(place, max_bytes)
        parts.append(chunk)
    if answer.length:
        raise OutgoingFailed(f"{place.shown} ended its answer before its end.", "protocol")
    return b"".join(parts)


def _too_large(place: _Place, max_bytes: int) -> OutgoingFailed:
    return OutgoingFailed(f"The answer of {place.shown} has more than {max_bytes} bytes.", "size")


def _headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Allowed headers. An error names the header, never its value."""
    found: dict[str, str] = {}
    for name, value in headers.items():
        lower = name.lower()
        if lower in _OURS or not lower.isascii() or not lower.replace("-", "").replace("_", "").isalnum():
            raise OutgoingFailed(f"The header {name[:50]!r} cannot be set.", "url")
        if not value.isascii() or not value.isprintable():
            raise OutgoingFailed(f"The value of the header {lower} has characters that headers cannot have.", "url")
        found[lower] = value
    return found


def _place_of(url: str) -> _Place:
    def wrong(what: str) -> OutgoingFailed:
        return OutgoingFailed(f"The address {what}.", "url", hint="Write for example https://models.example.com/v1.")

    if len(url) > _LONGEST_URL or not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise wrong(f"has more than {_LONGEST_URL} characters, or some that addresses cannot have")
    try:
        parts: Any = urlsplit(url)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        raise wrong("is no URL") from None
    if parts.scheme not in ("http", "https"):
        raise wrong("begins neither with https:// nor with http://")
    if "@" in parts.netloc:
        raise wrong("holds a user or password; credentials are given by reference")
    if not host or "%" in host or port == 0:
        raise wrong("has no host or no port that there could be")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return _Place(parts.scheme, host, port or (443 if parts.scheme == "https" else 80), target)
