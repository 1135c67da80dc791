"""Events of the log, decoded down to their facets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import Raw, Struct

from headwater.openlineage.decode import decode_event
from headwater.openlineage.event import Dataset, Event, Facets
from headwater.openlineage.naming import dataset_name
from headwater.store.read.reader import LoggedEvent

__all__ = ["API", "DecodedEvent", "dataset_id", "decode_logged", "facet", "is_stream", "merged", "sent"]

API = "https://headwater.dev/marquez-api"
"""Producer of events that Headwater writes for changes through Marquez' older API."""

_NULL = Raw(b"null")
_OWN = API.encode()
_members = msgspec.json.Decoder(dict[str, Any])


class DecodedEvent(Struct, frozen=True):
    """One event, and when it came in."""

    event: Event
    received_at: int
    key: int
    """Of the event in the log."""


def decode_logged(logged: LoggedEvent) -> DecodedEvent:
    return DecodedEvent(decode_event(logged.body), logged.received_at, logged.id)


def dataset_id(dataset: Dataset) -> bytes:
    """As `interpret` knows it; dbt writes the missing database of an adapter as `None`."""
    return dataset_name(dataset.namespace, dataset.name.removeprefix("None.")).id


def merged(facets: Iterable[Facets]) -> dict[str, Raw]:
    """Facets of several events, oldest first: of each name the newest."""
    found: dict[str, Raw] = {}
    for some in facets:
        found |= {name: raw for name, raw in some.items() if raw != _NULL}
    return found


def sent(facets: Mapping[str, Raw]) -> dict[str, Raw]:
    """Without the facets that Headwater added for changes through the older API."""
    return {name: raw for name, raw in facets.items() if _OWN not in bytes(raw)}


def is_stream(event: Event) -> bool:
    """Whether the event's job is a stream, which never completes."""
    kind = facet(event.job.facets, "jobType").get("processingType") if event.job else None
    return isinstance(kind, str) and kind.strip().upper().startswith("STREAM")


def facet(facets: Mapping[str, Raw], name: str) -> dict[str, Any]:
    """The members of one facet; none when it is not there or is no object."""
    raw = facets.get(name)
    if raw is None:
        return {}
    try:
        return _members.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return {}
