"""Answers of Marquez other than the one that was asked for."""

from __future__ import annotations

from typing import Any
from uuid import UUID

__all__ = ["NOT_FOUND", "NOT_TAKEN", "Refused", "known_id"]

NOT_FOUND = {"code": 404, "message": "HTTP 404 Not Found"}
NOT_TAKEN = {"code": 405, "message": "HTTP 405 Method Not Allowed"}


class Refused(Exception):
    """An answer other than the one that was asked for; without a body where Marquez sends none."""

    def __init__(self, status: int, body: dict[str, Any] | str | None) -> None:
        super().__init__(status)
        self.status, self.body = status, body


def known_id(text: str) -> str:
    """A UUID in a path or query; anything else is answered 404."""
    try:
        return str(UUID(text))
    except ValueError:
        raise Refused(404, NOT_FOUND) from None
