"""Tags: two that Marquez comes with, and those that were made by hand."""

from __future__ import annotations

from typing import Any

import msgspec

from headwater.graph.annotations.notes import GIVEN_TAGS, TAGS
from headwater.lineage.marquez.view import View

__all__ = ["tag_page"]


def tag_page(view: View, *, limit: int, offset: int) -> dict[str, Any]:
    """A page of tags by name."""
    found: dict[str, str | None] = {name.upper(): text for name, text in GIVEN_TAGS.items()}
    for note in view.notes([TAGS]).get(TAGS, []):
        if note.name and note.value:
            found[note.name] = msgspec.json.decode(note.value[1], type=dict[str, str | None]).get("description")
    page = sorted(found.items())[offset : offset + limit]
    return {"tags": [{"name": name, "description": description} for name, description in page]}
