"""Reads information about a thing from DataHub's aspects: title, address, description, properties."""

from __future__ import annotations

from typing import Any

from headwater.lineage.by_hand.make import Information
from headwater.lineage.errors import BadQuestion

__all__ = ["WORDS", "patch_information", "read_information"]

WORDS = {
    "chartInfo": ("title", "chartUrl"),
    "dashboardInfo": ("title", "dashboardUrl"),
    "datasetProperties": ("name", "externalUrl"),
    "dataJobInfo": ("name", "externalUrl"),
    "dataFlowInfo": ("name", "externalUrl"),
}
"""The members with a title and an address, of aspects that describe a thing."""
_NOT_KEPT = (
    *("access", "created", "env", "flowUrn", "lastModified", "lastRefreshed"),
    *("project", "qualifiedName", "status", "tags", "type", "uri"),
)
"""Members that a patch may set and a whole aspect may have, and that nothing here needs."""
_MOST_PROPERTIES = 50
_LONGEST = 1000


def read_information(aspect: str, value: dict[str, Any]) -> Information:
    """Information in one of these aspects."""
    title, url = (_text(value.get(name)) for name in WORDS[aspect])
    properties = value.get("customProperties")
    kept = {str(name)[:200]: _text(text) for name, text in properties.items()} if isinstance(properties, dict) else {}
    return Information(
        title=title,
        url=url or _text(value.get("externalUrl")),
        description=_text(value.get("description"), 100_000),
        properties=dict(sorted(kept.items())[:_MOST_PROPERTIES]),
    )


def patch_information(
    aspect: str, parts: list[str], value: Any, about: dict[str, Any], forgotten: set[str], place: str
) -> None:
    """Take one operation of a patch into `about`; no value: it is taken away."""
    known = (*WORDS.get(aspect, ()), "description", "externalUrl")
    name, rest = parts[0], parts[1:]
    if aspect in WORDS and not rest and name in known and (value is None or isinstance(value, str)):
        about[name] = value or ""
    elif aspect in WORDS and name == "customProperties" and len(rest) < 2:
        own = about.setdefault("customProperties", {})
        if rest and value is None:
            forgotten.add(rest[0])
        elif rest:
            own[rest[0]] = value
        else:
            own.update(value if isinstance(value, dict) else {})
    elif name not in _NOT_KEPT:
        hint = f"Of {aspect} edges, {', '.join(known)} and customProperties can be."
        raise BadQuestion(f"The path /{'/'.join(parts)[:200]} cannot be patched.", path=place, hint=hint)


def _text(value: Any, longest: int = _LONGEST) -> str:
    return value[:longest] if isinstance(value, str) else ""
