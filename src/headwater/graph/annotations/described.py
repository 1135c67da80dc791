"""Tags, description and owners of a dataset, job or column, from events and by hand.

One rule: of each facet the newest statement applies; a person's statement takes precedence over events, older or newer,
until the person takes it back. Of different statements by people the newest applies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct, field

from headwater.graph.annotations.by_hand import Note
from headwater.graph.annotations.notes import INFORMATION, NO, TAKEN_BACK
from headwater.graph.annotations.tags import same_tag, tags_of_facet

__all__ = ["Described", "described", "newest_notes"]


class Described(Struct):
    """Of one thing under all its names."""

    tags: list[str] = field(default_factory=list)
    """Those of the thing itself; those of its columns are theirs."""
    column_tags: dict[str, list[str]] = field(default_factory=dict)
    description: str | None = None
    column_descriptions: dict[str, str] = field(default_factory=dict)
    """Those that people wrote; the schema has the others."""
    owners: list[str] = field(default_factory=list)
    type: str | None = None
    """Its `datasetType`."""
    title: str | None = None
    """Title of a chart or dashboard."""
    url: str | None = None
    """Where a chart or dashboard is to be seen."""

    @property
    def all_tags(self) -> list[str]:
        """Its own and those of its columns, each once."""
        found: dict[str, str] = {}
        for tag in [*self.tags, *(tag for tags in self.column_tags.values() for tag in tags)]:
            found.setdefault(same_tag(tag), tag)
        return list(found.values())


def described(facets: Mapping[str, Any], notes: Iterable[Note] = ()) -> Described:
    """From the newest facets, and notes by people under any of the thing's names."""
    description_record = Described(
        description=_text(facets.get("documentation"), "description"),
        owners=list(dict.fromkeys(_owners(facets.get("ownership")))),
        type=_text(facets.get("datasetType"), "datasetType"),
        title=_text(facets.get(INFORMATION), "title"),
        url=_text(facets.get(INFORMATION), "url"),
    )
    tags: dict[str, dict[str, str]] = {"": {}}
    for tag, column in tags_of_facet(facets.get("tags")):
        tags.setdefault(column, {}).setdefault(same_tag(tag), tag)
    owners = dict.fromkeys(description_record.owners)
    for (kind, column, name), note in sorted(newest_notes(notes).items()):
        value = note.value[1] if note.value else TAKEN_BACK
        if value == TAKEN_BACK:
            continue
        if kind == "tag":
            own = tags.setdefault(column, {})
            if value == NO:
                own.pop(name, None)
            else:
                own[name] = note.name or name
        elif kind == "owner" and name:
            owners.pop(name, None) if value == NO else owners.setdefault(name)
        elif kind == "owner":
            owners = {value: None}
        elif kind == "description" and column:
            description_record.column_descriptions[column] = value
        elif kind == "description":
            description_record.description = value
    description_record.tags = list(tags.pop("").values())
    description_record.column_tags = {column: list(own.values()) for column, own in tags.items() if own}
    description_record.owners = list(owners)
    return description_record


def newest_notes(notes: Iterable[Note]) -> dict[tuple[str, str, str], Note]:
    """By kind, column and name: the newest note under any name of the dataset or job."""
    found: dict[tuple[str, str, str], Note] = {}
    for note in notes:
        name = note.name or ""
        key = (note.kind or "", note.column or "", same_tag(name) if note.kind == "tag" else name)
        known = found.get(key)
        if note.value is not None and (known is None or known.value is None or note.value > known.value):
            found[key] = note
    return found


def _owners(facet: Any) -> Iterable[str]:
    listed = facet.get("owners") if isinstance(facet, dict) else None
    for owner in listed if isinstance(listed, list) else ():
        name = owner.get("name") if isinstance(owner, dict) else None
        if isinstance(name, str) and name:
            yield name


def _text(facet: Any, member: str) -> str | None:
    value = facet.get(member) if isinstance(facet, dict) else None
    return value if isinstance(value, str) and value else None
