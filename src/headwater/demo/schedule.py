"""Schedule: every application once a round, its jobs one after the other, some of which fail or never end."""

from __future__ import annotations

import heapq
import random
from collections.abc import Iterator
from typing import NamedTuple

from headwater.demo.world import World

__all__ = ["ScheduledStep", "schedule"]

BEGIN = 1_767_225_600_000
"""2026-01-01, in milliseconds."""
ROUND = 4 * 3_600_000
_FAILS, _VANISHES = 0.03, 0.02


class ScheduledStep(NamedTuple):
    """One event to be made. `job` is None for the application itself."""

    time: int
    order: int
    type: str
    application: int
    job: int | None
    run: bytes
    parent: bytes
    round: int


def schedule(world: World, chance: random.Random) -> Iterator[ScheduledStep]:
    """Steps in the order of their time, without end."""
    waiting: list[ScheduledStep] = []
    order = 0
    round_number = 0
    while True:
        applications = list(range(len(world.applications)))
        chance.shuffle(applications)
        pause = ROUND / len(applications)
        for index, application in enumerate(applications):
            begin = BEGIN + round_number * ROUND + int(pause * index)
            while waiting and waiting[0].time < begin:
                yield heapq.heappop(waiting)
            for step in _run(world, application, begin, round_number, order, chance):
                heapq.heappush(waiting, step)
                order = step.order + 1
        round_number += 1


def _run(
    world: World, application: int, begin: int, round_number: int, order: int, chance: random.Random
) -> Iterator[ScheduledStep]:
    """One run of an application. An engine often sends COMPLETE after FAIL, and nothing after it is killed."""
    parent = _run_id(begin, chance)
    time = begin
    ends = ["COMPLETE"]

    def step(kind: str, job: int | None, run: bytes) -> ScheduledStep:
        nonlocal order
        order += 1
        return ScheduledStep(time, order, kind, application, job, run, parent, round_number)

    yield step("START", None, parent)
    for job in world.applications[application]:
        time += chance.randrange(200, 3_000)
        run = _run_id(time, chance)
        yield step("START", job, run)
        time += chance.randrange(2_000, 90_000)
        fate = chance.random()
        if fate < _FAILS:
            ends = ["FAIL", "COMPLETE"] if fate < _FAILS / 2 else ["FAIL"]
        elif fate < _FAILS + _VANISHES:
            ends = []
        for kind in ends:
            yield step(kind, job, run)
            time += 5
        if ends != ["COMPLETE"]:
            break
    time += 500
    for kind in ends:
        yield step(kind, None, parent)
        time += 5


def _run_id(millis: int, chance: random.Random) -> bytes:
    """A UUID of version 7, as text."""
    value = millis << 80 | chance.getrandbits(80)
    value = value & ~(0xF << 76) | 7 << 76
    text = b"%032x" % (value & ~(0b11 << 62) | 0b10 << 62)
    return b"-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
