"""The cookie of a session: how it is set, read and taken back, and whether the way to the browser is encrypted."""

from __future__ import annotations

from typing import Any

from headwater.api.http.body import Headers
from headwater.api.http.connections import ConnectionLimits

__all__ = ["clear_cookies", "client_address", "is_encrypted", "set_cookie", "token_in"]

_PLAIN, _SECURE = "headwater_session", "__Host-headwater_session"
"""A browser takes the second name only over HTTPS, and from no other host of the same domain."""
_LONGEST = 8 << 10


def set_cookie(token: str, seconds: int, *, encrypted: bool) -> str:
    """The value of Set-Cookie: no script can read it, no other site's page makes a browser send it."""
    name, secure = (_SECURE, "; Secure") if encrypted else (_PLAIN, "")
    return f"{name}={token}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}"


def clear_cookies() -> tuple[str, str]:
    """Both names: a cookie set over HTTPS must be cleared with Secure."""
    gone = "=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"
    return f"{_PLAIN}{gone}", f"{_SECURE}{gone}; Secure"


def token_in(headers: Headers) -> str | None:
    """The token of a request's cookie."""
    sent = headers.get(b"cookie", b"")
    if not sent or len(sent) > _LONGEST:
        return None
    pairs = (pair.partition("=") for pair in sent.decode("latin-1").split(";"))
    values = {name.strip(): value.strip() for name, _, value in pairs}
    return values.get(_SECURE) or values.get(_PLAIN) or None


def is_encrypted(scope: Any, headers: Headers, limits: ConnectionLimits) -> bool:
    """Whether the browser uses HTTPS: with this server, or with a proxy named in the settings that reports so."""
    if scope.get("scheme") == "https":
        return True
    protocol = headers.get(b"x-forwarded-proto", b"").decode("latin-1").rpartition(",")[2].strip().lower()
    return protocol == "https" and _is_proxy(_peer_of(scope), limits)


def client_address(scope: Any, headers: Headers, limits: ConnectionLimits) -> str:
    """The address of the browser: the peer's, or behind proxies of the settings the one that the first of them saw."""
    address = _peer_of(scope)
    chain = headers.get(b"x-forwarded-for", b"").decode("latin-1").split(",")
    while chain and _is_proxy(address, limits):
        address = chain.pop().strip() or address
    return address


def _peer_of(scope: Any) -> str:
    client = scope.get("client")
    return str(client[0]) if client else ""


def _is_proxy(address: str, limits: ConnectionLimits) -> bool:
    try:
        return limits.is_proxy(address)
    except ValueError:
        return False
