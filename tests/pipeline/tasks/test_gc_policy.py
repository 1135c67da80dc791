"""Python workers search for cycles seldom, but never stop doing so."""

from __future__ import annotations

import gc

from headwater.pipeline.tasks.gc_policy import search_seldom


def test_everything_is_searched_now_and_then() -> None:
    thresholds, passed_over = gc.get_threshold(), []
    try:
        for _ in range(100):
            search_seldom()
            passed_over.append(gc.get_freeze_count())
    finally:
        gc.unfreeze()
        gc.set_threshold(*thresholds)
    assert passed_over.count(0) == 2
