"""What can be noted by hand, and under which ids."""

from __future__ import annotations

from headwater.openlineage.identity import digest

__all__ = ["HIDDEN", "SOURCES", "TAGS", "note_id"]

SOURCES = digest("sources")
"""What all notes on sources are about."""
TAGS = digest("tags")
"""What all notes that describe a tag are about."""


def note_id(kind: str, column: str = "", name: str = "") -> bytes:
    """The id of a note among those about the same thing."""
    return digest("note", kind, column, name)


HIDDEN = note_id("hidden")
