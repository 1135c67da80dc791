"""Two parts of a job at once, and what comes of them in order."""

from __future__ import annotations

import threading
import time
from contextlib import closing

import pytest

from headwater.pipeline.spark.overlapped_parts import overlapped


def test_the_next_part_begins_before_the_one_before_is_done() -> None:
    second_has_begun = threading.Event()

    def work(part: int) -> bool:
        if part == 2:
            second_has_begun.set()
        return second_has_begun.wait(60)

    assert list(overlapped(work, [1, 2])) == [(1, True), (2, True)]


def test_what_comes_after_a_part_that_failed_is_neither_told_nor_begun() -> None:
    begun: list[int] = []

    def work(part: int) -> int:
        begun.append(part)
        if part == 1:
            raise ValueError("the disk is full")
        return part

    done = overlapped(work, list(range(100)))
    assert next(done) == (0, 0)
    with pytest.raises(ValueError, match="the disk is full"):
        next(done)
    assert len(begun) < 100


def test_who_stops_listening_stops_what_has_not_begun() -> None:
    begun: list[int] = []

    def work(part: int) -> None:
        begun.append(part)

    with closing(overlapped(work, list(range(1000)))) as done:
        for _ in done:
            break
    at_the_end = len(begun)
    assert at_the_end < 1000
    time.sleep(0.05)
    assert len(begun) == at_the_end
