"""How much there was: by hour for a day, by day for a week."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from itertools import pairwise
from typing import Any

from headwater.graph.facts import NodeKind
from headwater.lineage.entities.hidden import hidden_nodes
from headwater.lineage.marquez.instants import instant
from headwater.lineage.marquez.sources import sources
from headwater.lineage.marquez.view import View
from headwater.store.read.lists.nodes import NodeFilter

__all__ = ["event_stats", "intervals", "node_stats", "source_stats"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TYPES = {"FAIL": "fail", "START": "start", "COMPLETE": "complete", "ABORT": "abort"}
_Interval = tuple[int, int]


def intervals(period: str, zone: tzinfo, now: int) -> list[_Interval]:
    """The last 24 hours or 7 days up to the one that runs, by the clock of a time zone.

    >>> len(intervals("DAY", UTC, 0)), len(intervals("WEEK", UTC, 0))
    (24, 7)
    """
    moment = (_EPOCH + timedelta(microseconds=now)).astimezone(zone)
    if period == "DAY":
        start = moment.replace(minute=0, second=0, microsecond=0).astimezone(UTC)
        edges = [start + timedelta(hours=step) for step in range(-23, 2)]
    else:
        today = moment.replace(hour=0, minute=0, second=0, microsecond=0)
        # Steps by the calendar: a day with a change of the clock has 23 or 25 hours.
        edges = [(today.replace(tzinfo=None) + timedelta(days=step)).replace(tzinfo=zone) for step in range(-6, 2)]
    times = [(edge - _EPOCH) // timedelta(microseconds=1) for edge in edges]
    return list(pairwise(times))


def event_stats(view: View, spans: list[_Interval]) -> list[dict[str, Any]]:
    """Events by their type."""
    found = view.listing.event_types(view.tenant, spans[0][0], spans[-1][1])
    answer = []
    for start, end in spans:
        counts = dict.fromkeys(_TYPES.values(), 0)
        for time, kind in found:
            if start <= time < end and kind in _TYPES:
                counts[_TYPES[kind]] += 1
        answer.append({"startInterval": instant(start), "endInterval": instant(end), **counts})
    return answer


def node_stats(view: View, kind: NodeKind, spans: list[_Interval]) -> list[dict[str, Any]]:
    """How many datasets or jobs there were at the end of each interval."""
    wanted = NodeFilter(kind=kind, without=hidden_nodes(view.reader, view.tenant))
    before, times = view.listing.nodes_since(view.tenant, wanted, spans[0][0])
    return _cumulative(before, times, spans)


def source_stats(view: View, spans: list[_Interval]) -> list[dict[str, Any]]:
    return _cumulative(0, [note.first_seen or 0 for note in sources(view)], spans)


def _cumulative(before: int, times: list[int], spans: list[_Interval]) -> list[dict[str, Any]]:
    return [
        {
            "startInterval": instant(start),
            "endInterval": instant(end),
            "count": before + sum(1 for time in times if time < end),
        }
        for start, end in spans
    ]
