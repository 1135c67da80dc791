"""Heads of requests: limits, errors, and removal of an offered upgrade."""

from __future__ import annotations

from headwater.api.errors import BadRequest, HeadTooLarge, RequestTimeout, UrlTooLong, error_body
from headwater.errors import HeadwaterError
from headwater.ingest.errors import Overloaded

__all__ = [
    "MOST_HEADERS",
    "check_head",
    "check_url",
    "refusal_for",
    "refusal_of",
    "without_upgrade",
]

MOST_HEADERS = 100
_MOST_URL = 16 << 10
_UPGRADE = {b"upgrade", b"http2-settings"}


_FOR: dict[str, HeadwaterError] = {
    "slow_head": RequestTimeout("The head of the request did not arrive in time.", hint="See `header_seconds`."),
    "slow_body": RequestTimeout("The body of the request comes too slowly.", hint="See `body_rate`."),
    "too_many": Overloaded("There are too many connections.", hint="Keep and reuse one, or raise `connections`."),
    "too_many_of_address": Overloaded(
        "There are too many connections from this address.",
        hint="Keep and reuse one. If it is a proxy's, name it in `proxies`; else raise `address_connections`.",
    ),
}


def refusal_for(reason: str) -> HeadwaterError:
    """The answer to a client whose connection is closed for this reason."""
    return _FOR[reason]


def refusal_of(failure: HeadwaterError) -> tuple[int, tuple[tuple[bytes, bytes], ...], bytes]:
    """Status, headers and body of an error."""
    status, body, headers = error_body(failure)
    return status, tuple(headers), body


def check_url(url: bytes) -> None:
    if len(url) > _MOST_URL:
        raise UrlTooLong(
            f"The address of the request is longer than {_MOST_URL:,} bytes.", hint="Ask in several requests."
        )


def check_head(headers: list[tuple[bytes, bytes]], most: int) -> None:
    """Raise if these headers are larger than that."""
    if sum(len(name) + len(value) + 4 for name, value in headers) > most:
        raise HeadTooLarge(f"The head of the request is larger than {most:,} bytes.")


def without_upgrade(method: bytes, url: bytes, version: str, headers: list[tuple[bytes, bytes]]) -> bytes:
    """The head of a request again, without the offer to speak another protocol."""
    if method == b"CONNECT":
        raise BadRequest("This is no proxy: CONNECT is not supported.")
    kept = []
    for name, value in headers:
        if name in _UPGRADE:
            continue
        if name == b"connection":
            tokens = [token.strip() for token in value.split(b",")]
            value = b", ".join(token for token in tokens if token and token.lower() not in _UPGRADE)  # noqa: PLW2901
            if not value:
                continue
        if b"\r" in value or b"\n" in value:
            raise BadRequest("A header has more than one line.")
        kept.append(b"%s: %s\r\n" % (name, value))
    return b"%s %s HTTP/%s\r\n%s\r\n" % (method, url, version.encode(), b"".join(kept))
