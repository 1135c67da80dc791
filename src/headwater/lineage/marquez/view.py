"""Data for the rendering functions: the stores, for one tenant and one request."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, TypeVar

from headwater.graph.annotations.described import newest_notes
from headwater.graph.annotations.notes import NO, TAKEN_BACK
from headwater.graph.fact import Fact
from headwater.graph.facts import Note, Seen
from headwater.lineage.marquez.logged_event import DecodedEvent, decode_logged
from headwater.openlineage.identity import stamp_time
from headwater.store.read.aliases import Aliases
from headwater.store.read.lists.newest_jobs import OWN
from headwater.store.read.lists.nodes import Listing
from headwater.store.read.reader import LoggedEvent, Name, Reader
from headwater.store.read.runs.activity import ActivityReader

if TYPE_CHECKING:
    from headwater.lineage.marquez.version.event_datasets import EventDataset
    from headwater.lineage.marquez.version.versions import VersionHistory

__all__ = ["View"]

_F = TypeVar("_F", bound=Fact)


class View:
    """One tenant's facts, names and events."""

    def __init__(self, reader: Reader, listing: Listing, activity: ActivityReader, tenant: int) -> None:
        self.reader, self.listing, self.activity, self.tenant = reader, listing, activity, tenant
        self._aliases = Aliases(reader, tenant, renames=False)  # to Marquez the old name and the new are two datasets
        self._shown: dict[bytes, bytes] = {}
        self._of_runs: dict[bytes, list[DecodedEvent]] = {}
        self._decoded: dict[int, DecodedEvent] = {}
        self._facts: dict[tuple[type[Fact], str], dict[Any, list[Any]]] = {}
        self.mentioned: dict[int, dict[bytes, list[tuple[int, EventDataset]]]] = {}
        """By event and dataset, the dataset's entry in the event."""
        self.histories: dict[bytes, VersionHistory] = {}

    def facts(self, kind: type[_F], **where: Any) -> list[_F]:
        """As `Reader.facts`; lookups by ids alone are made once per request."""
        ((name, ids), *others) = where.items()
        if others or not isinstance(ids, (set, frozenset, list, tuple)):
            return self.reader.facts(self.tenant, kind, **where) if ids else []
        known = self._facts.setdefault((kind, name), {})
        unknown = set(ids) - known.keys()
        known |= {value: [] for value in unknown}
        for fact in self.reader.facts(self.tenant, kind, **{name: unknown}):
            known[getattr(fact, name)].append(fact)
        return [fact for value in sorted(set(ids)) for fact in known[value]]

    def names(self, ids: Collection[bytes]) -> dict[bytes, Name]:
        return self.reader.names(self.tenant, ids) if ids else {}

    def members(self, datasets: Collection[bytes]) -> dict[bytes, bytes]:
        """All ids under which these datasets are known, each with the one of these that it belongs to."""
        self._aliases.learn(datasets)
        return {member: dataset for dataset in datasets for member in self._aliases.group(dataset)}

    def shown(self, datasets: Collection[bytes]) -> dict[bytes, bytes]:
        """The id under which each of these datasets is shown: the first name under which it was read or written."""
        unknown = {dataset for dataset in datasets if dataset not in self._shown}
        self._aliases.learn(unknown)
        groups = {dataset: self._aliases.group(dataset) for dataset in unknown}
        names = self.names({member for group in groups.values() if len(group) > 1 for member in group})
        for dataset, group in groups.items():
            own = [names[member] for member in group if member in names and names[member].seen & OWN]
            first = min(own, key=_age, default=None)
            self._shown[dataset] = first.id if first is not None else dataset
        return {dataset: self._shown[dataset] for dataset in datasets}

    def stated_at(self, stamps: Collection[bytes]) -> dict[bytes, DecodedEvent]:
        """The events that stamps point to, by stamp."""
        pairs = {(stamp_time(stamp), stamp[8:]): stamp for stamp in stamps}
        found = self.activity.events_at(self.tenant, list(pairs)) if pairs else {}
        return {pairs[pair]: self._decode(event) for pair, event in found.items()}

    def events_by_run(self, runs: Collection[bytes]) -> dict[bytes, list[DecodedEvent]]:
        """All events of these runs, oldest first; each is read and decoded once."""
        unknown = [run for run in runs if run not in self._of_runs]
        found = self.activity.events_of_runs(self.tenant, unknown) if unknown else {}
        self._of_runs |= {run: [self._decode(event) for event in found.get(run, ())] for run in unknown}
        return {run: self._of_runs[run] for run in runs}

    def _decode(self, logged: LoggedEvent) -> DecodedEvent:
        """Each event once, by whichever way it is found."""
        if logged.id not in self._decoded:
            self._decoded[logged.id] = decode_logged(logged)
        return self._decoded[logged.id]

    def notes(self, about: Collection[bytes]) -> dict[bytes, list[Note]]:
        """Current notes by hand about these things."""
        found: dict[bytes, list[Note]] = {}
        for note in self.facts(Note, about=set(about)):
            found.setdefault(note.about, []).append(note)
        newest = {thing: newest_notes(notes).values() for thing, notes in found.items()}
        return {
            thing: holding
            for thing, notes in newest.items()
            if (holding := [note for note in notes if note.value and note.value[1] not in (TAKEN_BACK, NO)])
        }


def _age(name: Name) -> tuple[int, bool, bytes]:
    """Of names that came up at once, the one that a symlink leads to is the younger."""
    return name.first_seen or 0, bool(name.seen & Seen.SYMLINK), name.id
