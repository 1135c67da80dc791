"""Normal form of tags, for events, people, filters and search.

A tag is a key, perhaps with a value: `pii`, `retention=30d`. The value `true` is the same as none. Case does not count
when tags are compared, and is kept as it was written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

__all__ = ["carries", "read_tag", "same_tag", "tags_of_facet"]

_BARE = (None, "", True)


def read_tag(text: str) -> str:
    """A tag as somebody types it.

    >>> read_tag(" pii "), read_tag("pii=True"), read_tag("retention = 30d")
    ('pii', 'pii', 'retention=30d')
    """
    key, _, value = text.partition("=")
    return _written(key, value)


def tags_of_facet(facet: Any) -> Iterator[tuple[str, str]]:
    """The tags of a `tags` facet, each with its column; the column is empty for the thing as a whole."""
    listed = facet.get("tags") if isinstance(facet, dict) else None
    for tag in listed if isinstance(listed, list) else ():
        key = tag.get("key") if isinstance(tag, dict) else None
        if isinstance(key, str) and key.strip():
            column = tag.get("field")
            yield _written(key, tag.get("value")), column if isinstance(column, str) else ""


def same_tag(tag: str) -> str:
    """Common form of the spellings of one tag."""
    return tag.casefold()


def carries(tags: Iterable[str], wanted: Iterable[str]) -> bool:
    """Whether any wanted tag is among these. A key alone stands for each of its values but `false`.

    >>> carries(["PII"], ["pii"]), carries(["pii=email"], ["pii"]), carries(["pii=false"], ["pii"])
    (True, True, False)
    """
    meant = {same_tag(read_tag(tag)) for tag in wanted}
    for tag in map(same_tag, tags):
        key, _, value = tag.partition("=")
        if tag in meant or (key in meant and value != "false"):
            return True
    return False


def _written(key: str, value: Any) -> str:
    key = key.strip()
    if isinstance(value, str):
        value = value.strip()
    elif isinstance(value, bool) or value is None:
        value = None if value in _BARE else "false"
    elif isinstance(value, (int, float)):
        value = str(value)
    else:
        value = None
    return key if value in _BARE or str(value).casefold() == "true" else f"{key}={value}"
