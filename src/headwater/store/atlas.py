"""The lie of the land, remembered: who reads and writes a dataset, what a job does, which names are one thing.

Unlike what a shape says, these change. `store.changes` tells how: before each question it is asked what is new, and
what that touches is forgotten. Whatever nobody noted, such as the writes of an older version during an upgrade, is seen
after ten minutes at the latest.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from threading import Lock
from typing import Any, NamedTuple

from headwater.store.changes import EVERY_TENANT, LOOK_BACK, Change, changes_after
from headwater.store.lookup import Lookup
from headwater.store.shapes import ShapeBody, ShapeMemory

__all__ = ["ALONE", "AliasMemory", "Atlas", "Chart", "Place", "Sight"]

_SECONDS = 600
_MOST = 1_500_000
"""References that one tenant's chart may hold, some 100 bytes each."""
ALONE: tuple[bytes, ...] = (b"",)
"""Stands for a job that no other job is said to feed, or to be fed by: what it does is all there is to know."""
Place = tuple[bytes, bytes]
"""One id of a dataset, and a shape that names it."""


class AliasMemory:
    """Which names are one thing, as far as anybody asked."""

    def __init__(self) -> None:
        self.group: dict[bytes, frozenset[bytes]] = {}
        self.canonical: dict[bytes, bytes] = {}
        self.places: dict[str, list[str]] = {}
        self.kinds: tuple[bool, bool] | None = None
        """Whether there are symlinks, and renames."""


class Chart:
    """What is remembered of one tenant. All nodes by the ids under which they are shown."""

    def __init__(self) -> None:
        self.readers: dict[bytes, tuple[bytes, ...]] = {}
        """By dataset, jobs that may read it; or `ALONE`."""
        self.writers: dict[bytes, tuple[bytes, ...]] = {}
        self.reading: dict[bytes, tuple[Place, ...]] = {}
        """By dataset, where the shapes that count name it as read."""
        self.writing: dict[bytes, tuple[Place, ...]] = {}
        self.views: dict[bytes, Any] = {}
        """By job, what it does."""
        self.aliases = AliasMemory()
        self.version = 0
        self.born = time.monotonic()
        self._weight = 0
        self._lock = Lock()

    @property
    def is_full(self) -> bool:
        return self._weight + len(self.aliases.group) > _MOST

    def keep(self, version: int, memory: dict[bytes, Any], found: Mapping[bytes, Any], weight: int) -> None:
        """Remember what was found, unless something changed since the question began."""
        with self._lock:
            if version == self.version:
                memory.update(found)
                self._weight += weight

    def forget(self, bodies: Iterable[ShapeBody]) -> None:
        """Forget what these shapes may have changed."""
        with self._lock:
            self.version += 1
            for body in bodies:
                for node in _named(body):
                    shown = self.aliases.canonical.get(node, node)
                    for memory in (self.readers, self.writers, self.reading, self.writing, self.views):
                        memory.pop(shown, None)


class Sight(NamedTuple):
    """A chart as one question may use it."""

    chart: Chart
    version: int
    """The version that the question sees; -1 if it sees an older one, and so must not add to the chart."""


class Atlas:
    """The charts of all tenants, for all questions of a process."""

    def __init__(self, shapes: ShapeMemory) -> None:
        self._shapes = shapes
        self._charts: dict[int, Chart] = {}
        self._number: int | None = None
        self._applied: set[int] = set()
        self._lock = Lock()

    def sight(self, tenant: int, lookup: Lookup) -> Sight:
        """The tenant's chart, without what has changed."""
        with self._lock:
            is_newest = self._catch_up(lookup)
            chart = self._charts.get(tenant)
            if chart is None or chart.is_full or time.monotonic() - chart.born > _SECONDS:
                chart = self._charts[tenant] = Chart()
            return Sight(chart, chart.version if is_newest else -1)

    def _catch_up(self, lookup: Lookup) -> bool:
        """Reckon with all changes that can be seen; False if others have seen more."""
        one_writer = lookup.sees_one_moment
        last, changes = changes_after(lookup, self._number, one_writer=one_writer)
        if changes is None:
            self._forget_all()
            self._number = last
            return True
        for change in changes:
            if change.number not in self._applied:
                self._apply(change, lookup)
                if not one_writer:
                    self._applied.add(change.number)
        behind = self._number is not None and last < self._number
        self._number = max(last, self._number or 0)
        if len(self._applied) > 2 * LOOK_BACK:
            self._applied = {number for number in self._applied if number > self._number - LOOK_BACK}
        return not behind

    def _apply(self, change: Change, lookup: Lookup) -> None:
        if change.tenant == EVERY_TENANT:
            self._forget_all()
            return
        chart = self._charts.get(change.tenant)
        bodies = self._bodies(change, lookup) if chart is not None else None
        if chart is None or bodies is None or chart.aliases.places:
            # Where several places are one, a new name may mean a thing that is known already.
            self._charts.pop(change.tenant, None)
            if change.shapes is None:
                self._shapes.forget(change.tenant)
        else:
            chart.forget(bodies)

    def _bodies(self, change: Change, lookup: Lookup) -> Collection[ShapeBody] | None:
        if change.shapes is None:
            return None
        bodies = self._shapes.bodies(change.tenant, lookup, change.shapes)
        return bodies.values() if len(bodies) == len(change.shapes) else None

    def _forget_all(self) -> None:
        self._charts.clear()
        self._shapes.forget_all()


def _named(body: ShapeBody) -> set[bytes]:
    parts = (part.dataset for parts in (body.inputs, body.outputs, body.subjects) for part in parts)
    ends = (end for edge in body.edges for end in edge)
    own = (node for node in (body.job, body.subject) if node is not None)
    return {*parts, *ends, *own, *body.references, *body.jobs}
