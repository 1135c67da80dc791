"""Datasets in events: which events describe a dataset's current version."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any

import msgspec
from msgspec import Raw, Struct

from headwater.graph.facts import Evidence, OutputType, Role, ShapeDataset
from headwater.lineage.marquez.logged_event import API, DecodedEvent, dataset_id, facet, is_stream, merged, sent
from headwater.lineage.marquez.version.versions import DatasetVersion, VersionHistory
from headwater.lineage.marquez.view import View
from headwater.openlineage.event import Dataset, EventKind
from headwater.openlineage.identity import stamp_time

__all__ = [
    "EventDataset",
    "EventDatasets",
    "facets_of",
    "fields_of",
    "in_event",
    "lifecycle_of",
    "load_event_datasets",
    "version_event_datasets",
]

_READS = 8
"""Number of newest distinct reads whose facets count too."""
_SOURCES = 20
"""Number of newest shapes in which a dataset's source is looked for."""
_MOST = 5_000
"""Number of distinct shapes of a dataset among which the newest is looked for."""
_OUTPUT_FACETS = ("outputStatistics",)


class EventDataset(Struct, frozen=True):
    """A dataset in one event."""

    decoded: DecodedEvent
    dataset: Dataset
    role: Role

    @property
    def written_at(self) -> int:
        """When the dataset was changed by this: Marquez takes its own clock when a version becomes the current one."""
        event = self.decoded.event
        settles = event.event_type == "COMPLETE" or is_stream(event)
        written = self.role is Role.SUBJECT or (self.role is Role.OUTPUT and settles)
        return self.decoded.received_at if written else event.time


class EventDatasets(Struct, frozen=True):
    """Shapes of one dataset."""

    current: list[EventDataset]
    """Shapes of its current version: the writer's, then those of its readers; oldest first."""
    newest: EventDataset | None
    source: str
    is_dropped: bool


def load_event_datasets(
    view: View, found: dict[bytes, VersionHistory], reads: int = _READS
) -> dict[bytes, EventDatasets]:
    """Shapes of these datasets, all at once, with a limited number of their readers' shapes."""
    members = view.members(found)
    seen = {role: _ordered(view, members, role) for role in (Role.INPUT, Role.OUTPUT, Role.SUBJECT)}
    stamps: dict[bytes, list[bytes]] = {}
    newest: dict[bytes, bytes] = {}
    shapes: dict[bytes, list[bytes]] = {}
    for dataset, history in found.items():
        ordered = sorted((pair for own in seen.values() for pair in own.get(dataset, ())), key=_by_stamp, reverse=True)
        newest[dataset] = ordered[0][1] if ordered else b""
        shapes[dataset] = [shape for shape, _ in ordered[:_SOURCES]]
        stamps[dataset] = _stamps(ordered, seen[Role.INPUT].get(dataset, []), history.current, reads)
    wanted = {stamp for own in stamps.values() for stamp in own} | set(newest.values()) - {b""}
    events = view.stated_at(wanted)
    runs = {history.current.run for history in found.values() if history.current and history.current.run}
    by_run = view.events_by_run(runs)
    parts = _parts(view, members, {shape for own in shapes.values() for shape in own})
    ids: dict[bytes, set[bytes]] = defaultdict(set)
    for member, dataset in members.items():
        ids[dataset].add(member)
    answer = {}
    for dataset, history in found.items():
        latest = events.get(newest[dataset])
        own = [part for shape in shapes[dataset] for part in parts.get((shape, dataset), ())]
        others = [events[stamp] for stamp in stamps[dataset] if stamp in events]
        answer[dataset] = EventDatasets(
            _current(view, history.current, by_run, others, ids[dataset]),
            next(iter(in_event(view, latest, ids[dataset])), None) if latest is not None else None,
            _source(own),
            _is_dropped(own),
        )
    return answer


def _ordered(view: View, members: dict[bytes, bytes], role: Role) -> dict[bytes, list[tuple[bytes, bytes]]]:
    """By dataset, shapes and their newest stamps, newest first."""
    found: dict[bytes, list[tuple[bytes, bytes]]] = defaultdict(list)
    for member, pairs in view.listing.mentions(view.tenant, list(members), role, _MOST).items():
        found[members[member]] += pairs
    return {dataset: sorted(pairs, key=_by_stamp, reverse=True) for dataset, pairs in found.items()}


def _parts(
    view: View, members: dict[bytes, bytes], shapes: set[bytes]
) -> dict[tuple[bytes, bytes], list[ShapeDataset]]:
    found: dict[tuple[bytes, bytes], list[ShapeDataset]] = defaultdict(list)
    for part in view.facts(ShapeDataset, shape=shapes):
        if part.dataset in members and part.role <= Role.SUBJECT:
            found[part.shape, members[part.dataset]].append(part)
    return found


def _by_stamp(pair: tuple[bytes, bytes]) -> bytes:
    return pair[1]


def version_event_datasets(
    view: View, version: DatasetVersion, events: dict[bytes, list[DecodedEvent]]
) -> list[EventDataset]:
    """Events of the makers of a version; those of runs may be given."""
    ids = set(view.members([version.dataset]))
    if version.run is not None:
        return _written(view, events.get(version.run, []), ids)
    if version.shape is not None:
        stamps = [item.last for item in view.facts(Evidence, shape=version.shape) if item.last]
        return _written(view, list(view.stated_at(stamps).values()), ids)
    return []


def facets_of(mentions: Collection[EventDataset]) -> dict[str, Raw]:
    """All facets, with those of reads; facets of a run's output alone are shown with the run."""
    found = merged(
        {
            **event_dataset.dataset.facets,
            **(event_dataset.dataset.role_facets if event_dataset.role is Role.INPUT else {}),
        }
        for event_dataset in mentions
    )
    return {name: raw for name, raw in sent(found).items() if name not in _OUTPUT_FACETS}


def fields_of(mentions: Collection[EventDataset]) -> list[dict[str, Any]]:
    """The fields of the schema, as the writers state it, or else the readers."""
    writers = [event_dataset for event_dataset in mentions if event_dataset.role is not Role.INPUT]
    for group in (writers, mentions):
        for event_dataset in reversed(list(group)):
            fields = facet(event_dataset.dataset.facets, "schema").get("fields")
            if isinstance(fields, list):
                return [field for field in fields if isinstance(field, dict) and isinstance(field.get("name"), str)]
    return []


def lifecycle_of(mentions: Collection[EventDataset]) -> str | None:
    """The last lifecycle state of a version; the empty text when none was stated, null when no event made it."""
    state: str | None = None
    for event_dataset in mentions:
        stated = facet(event_dataset.dataset.facets, "lifecycleStateChange").get("lifecycleStateChange")
        by_api = event_dataset.decoded.event.producer == API
        state = str(stated) if stated else state if state is not None or by_api else ""
    return state


def _stamps(
    ordered: list[tuple[bytes, bytes]], reads: list[tuple[bytes, bytes]], current: DatasetVersion | None, most: int
) -> list[bytes]:
    """Of the events to look at besides those of the run that wrote; newest first."""
    if current is None:
        return []
    found = [stamp for shape, stamp in ordered if shape == current.shape][:1]
    since = current.settled or current.created
    return [*found, *[it for _, it in reads if current.is_first or stamp_time(it) >= since][:most]]


def _current(
    view: View,
    current: DatasetVersion | None,
    by_run: dict[bytes, list[DecodedEvent]],
    others: list[DecodedEvent],
    ids: set[bytes],
) -> list[EventDataset]:
    if current is None:
        return []
    others = sorted(others, key=lambda item: item.event.time)
    written = _written(view, by_run.get(current.run, []) if current.run else [], ids)
    if current.shape is not None:
        written += [
            event_dataset
            for event_dataset in _written(view, others, ids)
            if event_dataset.decoded.event.kind is not EventKind.RUN
        ]
    reads = [
        event_dataset
        for item in others
        for event_dataset in in_event(view, item, ids)
        if event_dataset.role is Role.INPUT
    ]
    return [*written, *reads]


def _written(view: View, events: list[DecodedEvent], ids: set[bytes]) -> list[EventDataset]:
    return [
        event_dataset
        for item in events
        for event_dataset in in_event(view, item, ids)
        if event_dataset.role is not Role.INPUT
    ]


def in_event(view: View, item: DecodedEvent, ids: set[bytes]) -> list[EventDataset]:
    """The dataset in an event; outputs before inputs."""
    by_id = view.mentioned.get(item.key)
    if by_id is None:
        by_id = view.mentioned[item.key] = _by_id(item)
    found = [placed for dataset in ids for placed in by_id.get(dataset, ())]
    return [event_dataset for _, event_dataset in (sorted(found, key=_place) if len(found) > 1 else found)]


def _by_id(item: DecodedEvent) -> dict[bytes, list[tuple[int, EventDataset]]]:
    """All that an event speaks of, each with its place: an event may name thousands, each of which is asked for."""
    event = item.event
    decoded = [(Role.OUTPUT, dataset) for dataset in event.outputs]
    decoded += [(Role.INPUT, dataset) for dataset in event.inputs]
    if event.dataset is not None:
        decoded.append((Role.SUBJECT, event.dataset))
    found: dict[bytes, list[tuple[int, EventDataset]]] = {}
    for index, (role, dataset) in enumerate(decoded):
        found.setdefault(dataset_id(dataset), []).append((index, EventDataset(item, dataset, role)))
    return found


def _place(placed: tuple[int, EventDataset]) -> int:
    return placed[0]


def _source(parts: list[ShapeDataset]) -> str:
    """The newest source that was named."""
    for part in parts:
        if part.facets and b'"dataSource"' in part.facets:
            name = (msgspec.json.decode(part.facets).get("dataSource") or {}).get("name")
            if isinstance(name, str) and name:
                return name
    return "default"


def _is_dropped(parts: list[ShapeDataset]) -> bool:
    """Whether the newest that was done to it is a drop."""
    newest = next((part for part in parts if part.role != Role.INPUT), None)
    return newest is not None and bool(OutputType.DROP & (newest.types or 0))
