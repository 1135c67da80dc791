"""Messages between the server and its query processes."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

__all__ = ["BEGUN", "BODY", "CALLER", "Answer", "Asking", "tenant_of"]

CALLER = "headwater.caller"
"""Where the caller is in the scope of a request; no client can put anything there."""
BODY = "headwater.body"
"""Where the body of a question is that is asked by POST; also only set here."""
BEGUN = 0
"""The status of a question that is being worked on."""


class Asking(Struct, frozen=True):
    number: int
    scope: dict[str, Any] | None = None
    """The request; None if nobody waits for the answer to this number any more."""
    seconds: float = 0.0
    """In which it must be answered."""


class Answer(Struct, frozen=True):
    number: int
    """Number of the question; 0 when the process is ready."""
    status: int = BEGUN
    headers: list[tuple[bytes, bytes]] = []
    body: bytes = b""


def tenant_of(scope: dict[str, Any] | None) -> int:
    """Whose turn a question takes: the number of the tenant that it is about; 0 if it is about none."""
    caller = scope.get(CALLER) if scope is not None else None
    return caller.tenant.id if caller is not None and caller.tenant is not None else 0
