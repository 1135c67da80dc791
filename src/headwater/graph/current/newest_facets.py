"""The facets of a thing, as its events state them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

__all__ = ["newest_facets"]


def newest_facets(blobs: Iterable[bytes | None]) -> dict[str, Any]:
    """The newest of every facet, of blobs that come newest first; an empty one was deleted."""
    merged: dict[str, Any] = {}
    for blob in blobs:
        for key, value in (msgspec.json.decode(blob) if blob else {}).items():
            merged.setdefault(key, value)
    return {key: value for key, value in merged.items() if value}
