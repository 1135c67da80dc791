"""The steps of a version that events are made of: a function of the overlay's answers and the settings alone.

A version is published; reorgs make it unstable and stable again, or end it; it may be recalled. The same answers give
the same steps with the same times, however often and in which order they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import UNSET, Struct
from msgspec.structs import replace

from headwater.emit.answers import Bundle, Ready, VersionState
from headwater.emit.configuration import Overlay
from headwater.openlineage.times import parse_time

__all__ = ["Course", "Step", "course_of"]

_APART = 1_000
"""Microseconds between two events of a version whose states have the same time."""
_SECOND = 1_000_000
Kind = Literal["start", "publish", "unstable", "stable", "abort", "recall"]


class Step(Struct, frozen=True):
    key: str
    """Unique within the version: publish, unstable.1, stable.1, recall ..."""
    kind: Kind
    time: int
    confs: int = 0
    decision: str | None = None
    reasons: tuple[str, ...] = ()


class Course(Struct, frozen=True):
    """State of a version, and the steps that follow."""

    steps: tuple[Step, ...]
    """None while the version waits for confirmations."""
    states: tuple[VersionState, ...]
    """Input of the next call, for overlays with only the present state."""
    confs: int
    is_waiting: bool
    is_settled: bool
    """Whether nothing but a recall can follow."""


def course_of(
    overlay: Overlay, bundle: Bundle, ready: Ready | None, known: Sequence[VersionState], seen_confs: int, now: int
) -> Course:
    """The steps of a version. `now` only decides whether a lost transaction has been away for too long."""
    states = _states(overlay, ready, known, seen_confs)
    confs = ready.confs if ready is not None else 0
    # While a version is unstable, what it has now may be taken away again, and no state would tell of it.
    counted = 0 if states[-1].state in ("unstable", "dropped") else confs
    reached = max(
        (counted, *((state.confs or 0) for state in states), *((state.confs_before or 0) for state in states))
    )
    if reached < overlay.min_confs:
        return Course((), states, confs, is_waiting=True, is_settled=False)
    created = parse_time(bundle.created_at) or 0
    first = states[0]
    steps: list[Step] = [Step("start", "start", created)] if overlay.start else []
    steps.append(Step("publish", "publish", created, overlay.min_confs, first.decision, first.reasons))
    later, ending = _later(overlay, states, confs, now)
    steps = list(_increasing([*steps, *later]))
    if bundle.recall is not None:
        steps = _with_recall(steps, Step("recall", "recall", parse_time(bundle.recall.at) or 0, overlay.min_confs))
    is_settled = ending == "abort" or (ending != "unstable" and confs >= overlay.stable_confs)
    return Course(tuple(steps), states, confs, is_waiting=False, is_settled=is_settled or ready is None)


def _states(
    overlay: Overlay, ready: Ready | None, known: Sequence[VersionState], seen_confs: int
) -> tuple[VersionState, ...]:
    """All states so far: those that the overlay sends, or the known ones and the present one."""
    if ready is None:
        return tuple(known) or (VersionState("published"),)
    if ready.history is not UNSET and ready.history:
        return ready.history
    states = list(known) or [VersionState("published", confs=0, decision=ready.decision, reasons=ready.reasons)]
    present = VersionState(ready.state, ready.at, ready.confs, None, ready.decision, ready.reasons)
    if ready.state == "published":
        if states[-1].state == "unstable" and ready.confs >= overlay.stable_confs:
            states.append(replace(present, state="stable"))
        elif states[-1].state != "unstable" and ready.confs < seen_confs:
            states.append(replace(present, state="unstable", confs_before=seen_confs))  # it lost its block
    elif ready.state != states[-1].state and not (ready.state == "stable" and states[-1].state != "unstable"):
        states.append(replace(present, confs_before=seen_confs if ready.state == "unstable" else None))
    return tuple(states)


def _later(overlay: Overlay, states: Sequence[VersionState], confs: int, now: int) -> tuple[list[Step], str]:
    """Steps of reorgs, and how they end: normal, unstable or abort."""
    steps: list[Step] = []
    is_unstable, count, lost_at = False, 0, 0
    for place, state in enumerate(states[1:], start=1):
        at = parse_time(state.at) or 0
        if is_unstable and at and at - lost_at >= overlay.give_up_seconds * _SECOND:
            break
        if state.state == "dropped":
            steps.append(_step("abort", "abort", at, state))
            return steps, "abort"
        if state.state == "unstable" and not is_unstable:
            is_unstable, count = True, count + 1
            steps.append(_step(f"unstable.{count}", "unstable", at, state))
            lost_at = at or (steps[-2].time if len(steps) > 1 else 0)
        elif is_unstable and state.state in ("stable", "published"):
            following = states[place + 1] if place + 1 < len(states) else None
            reached = confs if following is None else following.confs_before or 0
            if state.state == "stable":
                deep = min(state.confs or overlay.stable_confs, overlay.stable_confs)
            elif reached >= overlay.stable_confs:  # back in a block, and deep enough before anything else happened
                deep = overlay.stable_confs
            else:
                continue
            is_unstable = False
            steps.append(_step(f"stable.{count}", "stable", at, replace(state, confs=deep)))
    else:
        at = now
    if is_unstable and lost_at and at - lost_at >= overlay.give_up_seconds * _SECOND:
        steps.append(Step("abort", "abort", lost_at + overlay.give_up_seconds * _SECOND))
        return steps, "abort"
    return steps, "unstable" if is_unstable else "normal"


def _step(key: str, kind: Kind, at: int, state: VersionState) -> Step:
    return Step(key, kind, at, state.confs or 0 if kind == "stable" else 0, state.decision, state.reasons)


def _with_recall(steps: Sequence[Step], recall: Step) -> list[Step]:
    """The steps with a recall among them, in the order of their times.

    It comes after the publish and moves no other step, since these may have been emitted before it was known.
    """
    published = next(step.time for step in steps if step.kind == "publish")
    taken = {step.time for step in steps}
    time = max(recall.time, published + _APART)
    while time in taken:
        time += 1
    return sorted([*steps, replace(recall, time=time)], key=lambda step: step.time)


def _increasing(steps: Iterable[Step]) -> Iterable[Step]:
    """The same steps, each later than the one before."""
    last: int | None = None
    for step in steps:
        time = step.time if last is None else max(step.time, last + _APART)
        yield replace(step, time=time)
        last = time
