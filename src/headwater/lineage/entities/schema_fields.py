"""Schemas as they are stored: fields in their order, nested ones below their outer field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

__all__ = ["field_names", "field_types"]


def field_names(fields: bytes) -> list[str]:
    """Names of all fields, nested ones as `outer.inner`.

    >>> field_names(b'[{"name": "a", "fields": [{"name": "b"}]}, {"name": "c"}]')
    ['a', 'a.b', 'c']
    """
    return [name for name, _ in _walk(msgspec.json.decode(fields), "")]


def field_types(fields: bytes) -> dict[str, str | None]:
    """The type of every field, None where none was sent."""
    return dict(_walk(msgspec.json.decode(fields), ""))


def _walk(fields: list[dict[str, Any]], outer: str) -> Iterator[tuple[str, str | None]]:
    for field in fields:
        name = f"{outer}{field.get('name')}"
        yield name, field.get("type")
        yield from _walk(field.get("fields") or [], f"{name}.")
