"""Errors of admission and writing."""

from __future__ import annotations

from headwater.errors import HeadwaterError

__all__ = [
    "Overloaded",
    "RateLimited",
    "TooLarge",
    "UnsupportedBody",
    "WriteFailed",
]


class Overloaded(HeadwaterError):
    """More is waiting to be written than the server is willing to hold; nothing of this request was kept."""

    code = "overloaded"


class RateLimited(HeadwaterError):
    """The tenant sends more than it may; nothing of this request was kept."""

    code = "rate_limited"

    def __init__(self, message: str, *, hint: str | None = None, retry_after: int = 1) -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


class TooLarge(HeadwaterError):
    code = "too_large"


class UnsupportedBody(HeadwaterError):
    """The body is compressed, or written, in a way that is not read here."""

    code = "unsupported_body"


class WriteFailed(HeadwaterError):
    """The store refused this event, though not its neighbours."""

    code = "write_failed"
