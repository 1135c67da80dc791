"""JSON of a peer as a record: whatever is wrong with it is one kind of error."""

from __future__ import annotations

from typing import TypeVar

import msgspec

__all__ = ["read_json"]

_T = TypeVar("_T")


def read_json(body: bytes, kind: type[_T]) -> _T:
    """Raises msgspec.DecodeError, or its ValidationError where it is JSON, but not of this kind."""
    try:
        return msgspec.json.decode(body, type=kind)
    except UnicodeDecodeError as error:
        raise msgspec.DecodeError(f"not UTF-8: {error.reason}") from None
    except RecursionError:
        raise msgspec.DecodeError("nested too deeply") from None
