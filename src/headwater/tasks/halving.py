"""Runs a batch; when it fails as a whole, runs its halves, so that one bad task does not fail its neighbours."""

from __future__ import annotations

import traceback
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from headwater.errors import HeadwaterError
from headwater.store.tasks.records import LONGEST_ERROR, TaskOutcome, Work
from headwater.tasks.handler import PauseModel

__all__ = ["Ran", "run_halved"]

Run = Callable[[Sequence[Work]], Sequence[TaskOutcome]]
_HOPELESS = 7
"""Failures of a batch, its halves and its quarters, without one success, after which the service counts as down."""


class WrongOutcomes(HeadwaterError):
    """A handler answered something else than one outcome for each task, in order."""

    code = "wrong_outcomes"


class Ran(Struct, frozen=True):
    """Result of a batch."""

    outcomes: tuple[TaskOutcome, ...]
    released: tuple[int, ...] = ()
    """Tasks that were not tried, and whose attempt does not count."""
    pause: PauseModel | None = None


def run_halved(run: Run, batch: Sequence[Work], goes_on: Callable[[], bool] = lambda: True) -> Ran:
    """Run a batch, or its parts, until each task has its outcome, the model pauses, or there is no more time."""
    parts: deque[Sequence[Work]] = deque([batch])
    outcomes: list[TaskOutcome] = []
    failures = 0
    has_worked = False
    while parts:
        part = parts.popleft()
        if not goes_on():
            return Ran(tuple(outcomes), _numbers([part, *parts]))
        try:
            found = _checked(run(part), part)
        except PauseModel as pause:
            done = {work.task for work in part}
            early = [outcome for outcome in pause.outcomes if outcome.task in done]
            outcomes += early
            settled = {outcome.task for outcome in early}
            rest = tuple(number for number in _numbers([part, *parts]) if number not in settled)
            return Ran(tuple(outcomes), rest, pause)
        except Exception as error:  # noqa: BLE001 - whatever a model or its answer does to us
            failures += 1
            if len(part) > 1 and (has_worked or failures < _HOPELESS):
                middle = len(part) // 2
                parts += (part[:middle], part[middle:])
            else:
                outcomes += _failed(part, error)
                if not has_worked and failures >= _HOPELESS:
                    for other in parts:
                        outcomes += _failed(other, error)
                    break
        else:
            outcomes += found
            has_worked = True
    return Ran(tuple(outcomes))


def _checked(outcomes: Sequence[TaskOutcome], part: Sequence[Work]) -> Sequence[TaskOutcome]:
    if [outcome.task for outcome in outcomes] != [work.task for work in part]:
        raise WrongOutcomes(f"{len(outcomes)} outcomes came for {len(part)} tasks, or in another order.")
    return outcomes


def _failed(part: Sequence[Work], error: Exception) -> list[TaskOutcome]:
    code, text = describe(error)
    return [TaskOutcome(work.task, ok=False, error_type=code, error=text) for work in part]


def describe(error: Exception) -> tuple[str, str]:
    """A failure as it is kept. Of errors that are not ours only the place: their text may hold bodies or secrets."""
    if isinstance(error, HeadwaterError):
        return error.code, error.message[:LONGEST_ERROR]
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return type(error).__name__, f"{type(error).__name__}{place}"


def _numbers(parts: Sequence[Sequence[Work]]) -> tuple[int, ...]:
    return tuple(work.task for part in parts for work in part)
