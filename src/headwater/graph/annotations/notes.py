"""Kinds and ids of notes made by hand."""

from __future__ import annotations

from headwater.openlineage.identity import digest

__all__ = [
    "ALWAYS_HIDDEN",
    "EDGE_HIDDEN",
    "EDGE_STATED",
    "EDITS",
    "GIVEN_TAGS",
    "HIDDEN",
    "INFORMATION",
    "MADE",
    "NO",
    "PERSON",
    "SAME_LOCATION",
    "SOURCES",
    "TAGS",
    "TAKEN_BACK",
    "TOLD",
    "YES",
    "note_id",
]

SOURCES = digest("sources")
"""Subject of all notes on sources."""
TAGS = digest("tags")
"""Subject of all notes that describe a tag."""
GIVEN_TAGS = {"pii": "Personally identifiable information", "sensitive": "Contains sensitive information"}
"""Tags that are there from the beginning, as Marquez has them."""
YES = "true"
"""A thing has this tag or owner; a thing is hidden until an event names it again."""
NO = "false"
"""A thing has not this tag or owner, whatever events state."""
ALWAYS_HIDDEN = "always"
"""A thing is hidden until that is taken back."""
TAKEN_BACK = ""
"""The edit was taken back; the values of events hold."""
EDITS = "https://headwater.dev/edits"
"""Producer of events that Headwater writes for changes by hand."""
PERSON = "person"
"""Origin of statements by hand."""
EDGE_STATED = "edge"
"""The kind of a change by which somebody states an edge, or removes it."""
EDGE_HIDDEN = "edge_hidden"
"""The kind of a change by which somebody hides an edge, or shows it again."""
INFORMATION = "headwater_information"
"""Facet with information by hand about a chart or dashboard: title, address, tool."""
MADE = "made"
"""The kind of a note by which somebody makes a dataset or job that no event names."""
TOLD = "information"
"""Kind of a note with new and former information about a chart, dashboard, dataset or job; an event of its own has
the information itself.
"""
SAME_LOCATION = "same_location"
"""The kind of a note about two namespaces: `YES`, `NO` or `TAKEN_BACK`."""


def note_id(kind: str, column: str = "", name: str = "") -> bytes:
    """The id of a note among those about the same thing."""
    return digest("note", kind, column, name)


HIDDEN = note_id("hidden")
