"""What kept facets say that lists and entities show: description, owners, tags."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from headwater.graph.search import tags_in

__all__ = ["description_of", "newest_facets", "owners_of", "tags_in"]


def newest_facets(blobs: Iterable[bytes | None]) -> dict[str, Any]:
    """The newest of every facet, of blobs that come newest first; an empty one was deleted."""
    merged: dict[str, Any] = {}
    for blob in blobs:
        for key, value in (msgspec.json.decode(blob) if blob else {}).items():
            merged.setdefault(key, value)
    return {key: value for key, value in merged.items() if value}


def description_of(facets: dict[str, Any]) -> str | None:
    documentation = facets.get("documentation")
    said = documentation.get("description") if isinstance(documentation, dict) else None
    return said if isinstance(said, str) and said else None


def owners_of(facets: dict[str, Any]) -> list[str]:
    ownership = facets.get("ownership")
    owners = ownership.get("owners") if isinstance(ownership, dict) else None
    return [
        owner["name"]
        for owner in (owners if isinstance(owners, list) else ())
        if isinstance(owner, dict) and isinstance(owner.get("name"), str)
    ]
