"""Locations: namespaces that are one place, listed, described, and merged or split by people."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import msgspec

from headwater.graph.annotations.described import newest_notes
from headwater.graph.annotations.notes import NO, SAME_LOCATION, YES
from headwater.graph.facts import Address, LocationDecision, Namespace, NodeKind, Note, SameLocation
from headwater.graph.locations import locations_of
from headwater.lineage.answer.entity_records import LocationEntity
from headwater.lineage.answer.pages import page_of
from headwater.lineage.answer.records import LocationItem, Page
from headwater.lineage.answer.values import moment
from headwater.lineage.edits.event import Remark
from headwater.lineage.errors import BadQuestion, NodeNotFound
from headwater.lineage.names.keys import location_key, read_key
from headwater.openlineage.naming import clean, namespace_id
from headwater.store.read.lists.catalog import Catalog
from headwater.store.read.reader import Reader

__all__ = [
    "LOCATION",
    "address_remarks",
    "entity_of",
    "external_id_remarks",
    "find_location",
    "list_locations",
    "location_entity",
    "location_ids",
    "merge_remarks",
    "namespaces_of",
    "split_remarks",
]

LOCATION = "location:"
"""Begins the ids of locations."""
_EXTERNAL_ID = "external_id"


def list_locations(
    reader: Reader, tenant: int, name: str | None, kind: str | None, order: str, cursor: str | None, limit: int
) -> Page[LocationItem]:
    places = _Places(reader, tenant)
    wanted = (name or "").lower()
    found = [
        item
        for item in map(places.item, places.groups())
        if (kind is None or item.type == kind) and any(wanted in text.lower() for text in item.namespaces)
    ]
    page = page_of(found, "id", order, cursor, limit)
    return Page(places.counted(page.items), page.total, page.next)


def location_entity(reader: Reader, tenant: int, text: str) -> LocationEntity:
    """One location, by any of its namespaces."""
    return entity_of(reader, tenant, find_location(reader, tenant, text))


def find_location(reader: Reader, tenant: int, text: str) -> bytes:
    """The id of a namespace; raises with the existing ones if there is none."""
    sent = clean(text).strip()
    text = sent.removeprefix(LOCATION)
    known = {fact.namespace: fact.text or "" for fact in reader.facts(tenant, Namespace)}
    found = _place_of(sent)
    if sent and found in known:
        return found
    similar = sorted((name for name in known.values() if text and text.lower() in name.lower()), key=len)
    if len(similar) == 1:
        return next(location_id for location_id, name in known.items() if name == similar[0])
    if similar:
        raise BadQuestion(f"{text[:200]!r} can mean {', '.join(similar[:8])}.", hint="Use one of these instead.")
    raise NodeNotFound(f"There is no location {text[:200]!r}.", hint="GET /api/v2/locations lists them.")


def namespaces_of(reader: Reader, tenant: int, text: str) -> frozenset[bytes]:
    """The ids of all namespaces of a location; of one that nobody knows, just its own."""
    return _Places(reader, tenant).group(_place_of(clean(text).strip()))


def _place_of(text: str) -> bytes:
    """The id of a namespace, by its key or its name."""
    text = text.removeprefix(LOCATION)
    key = read_key(text)
    return key.id if key is not None and key.kind == "location" else namespace_id(text)


def merge_remarks(reader: Reader, tenant: int, namespaces: Iterable[str]) -> tuple[bytes, list[Remark]]:
    """States that these namespaces are one location, whatever their addresses."""
    places = [find_location(reader, tenant, text) for text in dict.fromkeys(namespaces)]
    if len(set(places)) < 2:
        raise BadQuestion("At least two namespaces are needed to merge.", path="$.namespaces")
    groups = _Places(reader, tenant)
    first = groups.texts[places[0]]
    others = dict.fromkeys(groups.texts[other] for other in places if other != places[0])
    return places[0], [_decision(first, other, YES) for other in others]


def split_remarks(reader: Reader, tenant: int, namespaces: Iterable[str]) -> tuple[bytes, list[Remark]]:
    """Declare that these namespaces, though linked to others, are a location of their own."""
    own = [find_location(reader, tenant, text) for text in dict.fromkeys(namespaces)]
    if not own:
        raise BadQuestion("At least one namespace is needed to split.", path="$.namespaces")
    groups = _Places(reader, tenant)
    group = groups.group(own[0])
    rest = group - set(own)
    strange = [groups.texts.get(location_id, "") for location_id in own if location_id not in group]
    if strange:
        raise BadQuestion(
            f"{strange[0]} is not in the same location as {groups.texts.get(own[0], '')}.", path="$.namespaces"
        )
    if not rest:
        raise BadQuestion("These are all namespaces of the location; nothing would be split.", path="$.namespaces")
    pairs = [
        (groups.texts[location_id], groups.texts[other]) for location_id in dict.fromkeys(own) for other in sorted(rest)
    ]
    return own[0], [_decision(one, other, NO) for one, other in pairs]


def address_remarks(reader: Reader, tenant: int, location: str, addresses: Iterable[str]) -> tuple[bytes, list[Remark]]:
    """Give a location further addresses, also such as no event has used yet."""
    location_id = find_location(reader, tenant, location)
    groups = _Places(reader, tenant)
    first, group = groups.texts[location_id], groups.group(location_id)
    wanted = dict.fromkeys(clean(text).strip().removeprefix(LOCATION) for text in addresses)
    for text in wanted:
        if not text.partition("://")[2].strip("/"):
            raise BadQuestion(
                f"{text!r} is no address.", path="$.addresses", hint="For example postgres://10.0.0.7:5432."
            )
    return location_id, [_decision(first, text, YES) for text in wanted if namespace_id(text) not in group]


def external_id_remarks(reader: Reader, tenant: int, location: str, external_id: str) -> tuple[bytes, list[Remark]]:
    """Note by which id another system knows a location; the empty one takes that back."""
    location_id = find_location(reader, tenant, location)
    groups = _Places(reader, tenant)
    wanted, known = external_id.strip(), groups.described(groups.group(location_id)).get(_EXTERNAL_ID, "")
    remark = Remark("NAMESPACE", _EXTERNAL_ID, wanted, namespace=groups.texts[location_id])
    return location_id, [remark] if wanted != known else []


def location_ids(reader: Reader, tenant: int, location_id: bytes) -> tuple[str, frozenset[bytes]]:
    """A namespace, and the ids of all namespaces of its location."""
    places = _Places(reader, tenant)
    return places.texts.get(location_id, ""), places.group(location_id)


def entity_of(reader: Reader, tenant: int, location_id: bytes) -> LocationEntity:
    """The location that a namespace is in."""
    places = _Places(reader, tenant)
    item = places.counted([places.item(places.group(location_id))])[0]
    return LocationEntity(kind="location", **msgspec.structs.asdict(item))


def _decision(one: str, other: str, value: str) -> Remark:
    return Remark("NAMESPACE", SAME_LOCATION, value, namespace=one, name=other)


class _Places:
    """All namespaces of a tenant and how they belong together, for one question."""

    def __init__(self, reader: Reader, tenant: int) -> None:
        self._reader, self._tenant = reader, tenant
        self._namespaces = {fact.namespace: fact for fact in reader.facts(tenant, Namespace)}
        self.texts = {location_id: fact.text or "" for location_id, fact in self._namespaces.items()}
        self._decisions = reader.facts(tenant, LocationDecision)
        addresses = reader.facts(tenant, Address)
        self._addresses: dict[bytes, set[str]] = defaultdict(set)
        for address in addresses:
            self._addresses[address.namespace].add(address.url or "")
        self._notes: dict[bytes, list[Note]] | None = None
        self._group = {
            location_id: group for group in locations_of(addresses, self._decisions) for location_id in group
        }

    def group(self, location_id: bytes) -> frozenset[bytes]:
        return self._group.get(location_id, frozenset((location_id,)))

    def groups(self) -> set[frozenset[bytes]]:
        return {self.group(location_id) for location_id in self._namespaces}

    def item(self, group: frozenset[bytes]) -> LocationItem:
        """The location as such; how much is in it comes later, for those that are shown."""
        known = sorted(
            (self._namespaces[location_id] for location_id in group if location_id in self._namespaces), key=_text
        )
        first = known[0]
        annotation = self.described(group)
        decided = [item for item in self._decisions if item.one in group or item.other in group]
        return LocationItem(
            id=f"{LOCATION}{first.text}",
            key=location_key(first.text or ""),
            type=first.type,
            name=first.name,
            namespaces=[fact.text or "" for fact in known],
            addresses=sorted({url for location_id in group for url in self._addresses[location_id]}),
            merged=self._pairs(decided, same=SameLocation.SAME),
            split=self._pairs(decided, same=SameLocation.APART),
            external_id=annotation.get(_EXTERNAL_ID),
            description=annotation.get("description"),
            owners=[annotation["owner"]] if "owner" in annotation else [],
            first_seen=moment(min((fact.first_seen for fact in known if fact.first_seen is not None), default=None)),
            datasets=0,
            jobs=0,
        )

    def described(self, group: frozenset[bytes]) -> dict[str, str]:
        """Notes by hand about the location, by kind."""
        if self._notes is None:
            self._notes = defaultdict(list)
            for note in self._reader.facts(self._tenant, Note, about=set(self._namespaces)):
                self._notes[note.about].append(note)
        found = newest_notes(note for location_id in group for note in self._notes[location_id])
        return {kind: note.value[1] for (kind, _, _), note in found.items() if note.value and note.value[1]}

    def counted(self, items: list[LocationItem]) -> list[LocationItem]:
        """The same with the number of datasets and jobs in them."""
        ids = {text: location_id for location_id, text in self.texts.items()}
        places = [ids[text] for item in items for text in item.namespaces]
        counts = Catalog(self._reader.engine).nodes_by_namespace(self._tenant, places)

        def count(item: LocationItem, kind: NodeKind) -> int:
            return sum(counts.get((ids[text], int(kind)), 0) for text in item.namespaces)

        return [
            msgspec.structs.replace(item, datasets=count(item, NodeKind.DATASET), jobs=count(item, NodeKind.JOB))
            for item in items
        ]

    def _pairs(self, decisions: list[LocationDecision], *, same: int) -> list[list[str]]:
        return sorted(
            sorted((self.texts.get(item.one, ""), self.texts.get(item.other, "")))
            for item in decisions
            if item.same is not None and item.same[1] == same
        )


def _text(fact: Namespace) -> str:
    return fact.text or ""
