"""Limit of events in progress per sender, so that no sender delays the others.

A sender alone works on as many events at once as it sends. As soon as there is another, each works on a few at a time
and the rest waits outside, undecoded: so a newcomer has little in front of it beside a flood. Waiting events and
those in progress are bounded, by number and bytes. A sender gets at most as much of that room as remains free, so one
alone gets half, two a third each, and there is always some for the next.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable

from headwater.ingest.errors import Overloaded

__all__ = ["ConcurrencyLimit"]

_INSIDE_WHEN_SHARED = 2
"""Events of one sender in progress at once when there are others. Commits stay small and frequent then, which costs
a flood little, and the others wait for a commit.
"""
_ACTIVE_SECONDS = 1.0
"""Seconds a sender stays active after its last event."""


class _Sender:
    """One sender."""

    __slots__ = ("bytes", "events", "inside", "last_event", "waiting")

    def __init__(self) -> None:
        self.waiting: deque[asyncio.Future[None]] = deque()
        self.inside = 0
        self.events = 0
        self.bytes = 0
        self.last_event = 0.0


class ConcurrencyLimit:
    """Used from the event loop."""

    def __init__(self, events: int = 4096, size: int = 64 << 20, clock: Callable[[], float] = time.monotonic) -> None:
        self._most_events, self._most_bytes = events, size
        self._clock = clock
        self._senders: dict[Hashable, _Sender] = {}
        self._swept_at = 0.0
        self.events = 0
        self.bytes = 0

    def enter_at_once(self, sender: Hashable, size: int) -> bool:
        """Let in an event of this size if it need not wait; the caller must `leave` afterwards."""
        state = self._state(sender)
        if state.waiting or state.inside >= self._allowed() or not self._has_room(state, size):
            return False
        self._count(state, 1, size)
        state.inside += 1
        return True

    async def enter(self, sender: Hashable, size: int) -> None:
        """Wait for one's turn with an event of this size; the caller must `leave` afterwards."""
        if self.enter_at_once(sender, size):
            return
        state = self._senders[sender]
        if not self._has_room(state, size):
            waiting = f"{self.events} events ({self.bytes >> 20} MiB)"
            raise Overloaded(
                f"{waiting} are waiting to be written, {state.events} of them this sender's.",
                hint="Send it again after the time in Retry-After. If this stays, the store is too slow for the load.",
            )
        self._count(state, 1, size)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        state.waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # let in at the very moment
                self.leave(sender, size)
            else:
                state.waiting.remove(turn)
                self._count(state, -1, -size)
            raise

    def follow(self, sender: Hashable, sizes: Iterable[int]) -> int:
        """After one that was let in: let in as many of the next events as need not wait. Gives how many these are."""
        state, followed = self._senders[sender], 0
        for size in sizes:
            if state.waiting or state.inside >= self._allowed() or not self._has_room(state, size):
                break
            self._count(state, 1, size)
            state.inside += 1
            followed += 1
        return followed

    def leave(self, sender: Hashable, size: int, events: int = 1) -> None:
        """Done with an event, or with several of that size in all, well or not: let the next ones in."""
        state = self._senders[sender]
        state.inside -= events
        self._count(state, -events, -size)
        while state.waiting and state.inside < self._allowed():
            turn = state.waiting.popleft()
            state.inside += 1
            turn.set_result(None)

    def _state(self, sender: Hashable) -> _Sender:
        now = self._clock()
        state = self._senders.get(sender)
        if state is None:
            state = self._senders[sender] = _Sender()
        state.last_event = now
        if now - self._swept_at > _ACTIVE_SECONDS:
            self._sweep(now)
        return state

    def _has_room(self, state: _Sender, size: int) -> bool:
        room = self._most_bytes - self.bytes
        is_full = self.events >= self._most_events or (self.bytes > 0 and size > room)
        over_share = state.events >= self._most_events - self.events or (state.bytes > 0 and state.bytes + size > room)
        return not is_full and not (state.events > 0 and over_share)

    def _count(self, state: _Sender, events: int, size: int) -> None:
        state.events += events
        state.bytes += size
        self.events += events
        self.bytes += size

    def _allowed(self) -> int:
        return self._most_events if len(self._senders) < 2 else _INSIDE_WHEN_SHARED

    def _sweep(self, now: float) -> None:
        """Forget senders that have nothing here and sent nothing lately."""
        self._swept_at = now
        gone = [
            sender
            for sender, state in self._senders.items()
            if not state.events and now - state.last_event > _ACTIVE_SECONDS
        ]
        for sender in gone:
            del self._senders[sender]
