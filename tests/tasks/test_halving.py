"""Batches that fail: halved, until each task has an outcome of its own."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from headwater.errors import HeadwaterError
from headwater.store.tasks.records import TaskOutcome, Work
from headwater.tasks.halving import describe, run_halved
from headwater.tasks.handler import PauseModel


def works(count: int) -> list[Work]:
    return [Work(number, "Table", str(number), "0") for number in range(count)]


class Model:
    def __init__(self, bad: set[int], error: Exception | None = None) -> None:
        self.bad, self.error = bad, error or ValueError("a body with a secret")
        self.calls = 0

    def __call__(self, batch: Sequence[Work]) -> list[TaskOutcome]:
        self.calls += 1
        if self.bad & {work.task for work in batch}:
            raise self.error
        return [TaskOutcome(work.task, ok=True) for work in batch]


@pytest.mark.parametrize("bad", range(16))
def test_one_bad_task_fails_alone(bad: int) -> None:
    model = Model({bad})
    ran = run_halved(model, works(16))
    assert sorted(outcome.task for outcome in ran.outcomes) == list(range(16))
    assert [outcome.task for outcome in ran.outcomes if not outcome.ok] == [bad]
    assert model.calls == 9
    assert "secret" not in repr(ran)


def test_a_model_that_is_away_is_not_asked_for_each() -> None:
    model = Model(set(range(64)), HeadwaterError("It is away."))
    ran = run_halved(model, works(64))
    assert model.calls == 7
    assert sorted(outcome.task for outcome in ran.outcomes) == list(range(64))
    assert {(outcome.ok, outcome.error_type, outcome.error) for outcome in ran.outcomes} == {
        (False, "error", "It is away.")
    }


def test_a_pause_releases_what_was_not_tried() -> None:
    def run(batch: Sequence[Work]) -> list[TaskOutcome]:
        tasks = [work.task for work in batch]
        if len(tasks) == 8:
            raise ValueError
        if 0 in tasks:
            return [TaskOutcome(task, ok=True) for task in tasks]
        outcomes = [TaskOutcome(4, ok=True), TaskOutcome(77, ok=True)]
        raise PauseModel("Enough.", reason="rate_limited", until=5, outcomes=outcomes)

    ran = run_halved(run, works(8))
    assert [outcome.task for outcome in ran.outcomes] == [0, 1, 2, 3, 4]
    assert ran.released == (5, 6, 7)
    assert ran.pause is not None
    assert (ran.pause.reason, ran.pause.until) == ("rate_limited", 5)


def test_no_more_time_releases_the_rest() -> None:
    answers = iter([True, True, False])
    ran = run_halved(Model({0}), works(4), lambda: next(answers))
    assert ran.outcomes == ()
    assert sorted(ran.released) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "answer",
    [[], [TaskOutcome(1, ok=True), TaskOutcome(0, ok=True)], [TaskOutcome(0, ok=True)] * 2, [TaskOutcome(0, ok=True)]],
)
def test_outcomes_of_other_tasks_are_none(answer: list[TaskOutcome]) -> None:
    ran = run_halved(lambda _: answer, works(2))
    wrong = [outcome for outcome in ran.outcomes if outcome.error_type == "wrong_outcomes"]
    assert len(ran.outcomes) == 2
    assert len(wrong) >= 1


def test_errors_that_are_not_ours_are_named_by_kind_and_place() -> None:
    try:
        {}["secret"]
    except KeyError as error:
        code, text = describe(error)
    assert code == "KeyError"
    assert text.startswith("KeyError at test_halving.py:")
    assert "secret" not in text
    assert len(describe(HeadwaterError("x" * 5000))[1]) == 1024
