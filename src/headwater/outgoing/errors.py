"""Why a request to another server was not made, or got no answer."""

from __future__ import annotations

from typing import Literal

from headwater.errors import HeadwaterError

__all__ = ["OutgoingFailed", "Reason"]

Reason = Literal["url", "name", "address", "connect", "tls", "timeout", "size", "protocol", "redirect"]


class OutgoingFailed(HeadwaterError):
    """A request to another server failed. The message names the host, and never a path, header or body."""

    code = "outgoing_failed"

    def __init__(self, message: str, reason: Reason, *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.reason: Reason = reason
