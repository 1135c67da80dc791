"""Steps of a version: the same however often, in whichever order and when the overlay is asked."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from headwater.demo.overlay.history import OverlayHistory
from headwater.emit.answers import Bundle, Ready, Recall, VersionState, read_bundle, read_ready
from headwater.emit.configuration import Overlay
from headwater.emit.events import event_body, hash_of
from headwater.emit.steps import course_of
from headwater.openlineage.times import parse_time

OVERLAY = Overlay(name="prod", url="https://o.example", producer_host="h.example", stable_confs=3)
BUNDLE = Bundle("v", "2026-01-01T00:00:00Z", txid="ab")
DAY = 86_400_000_000


def answers(history: OverlayHistory, version_id: str) -> tuple[Bundle, dict, Ready]:
    bundle, members = read_bundle(json.dumps(history.bundle(version_id)).encode(), version_id)
    return bundle, members, read_ready(json.dumps(history.ready(version_id)).encode())


def events(overlay: Overlay, history: OverlayHistory, version_id: str) -> dict[str, bytes]:
    bundle, members, ready = answers(history, version_id)
    course = course_of(overlay, bundle, ready, (), 0, 0)
    return {step.key: event_body(overlay, bundle, hash_of(overlay, members), step) for step in course.steps}


@example(["mine", "reorg", "mine", "mine", "reorg"], 2, False)
@given(st.lists(st.sampled_from(["mine", "reorg", "recall", "publish"]), max_size=20), st.integers(0, 4), st.booleans())
def test_an_event_once_made_never_changes(steps: list[str], min_confs: int, start: bool) -> None:
    """Whenever the overlay is asked on its way, what was emitted is the beginning of what is emitted at the end."""
    overlay, history = replace(OVERLAY, min_confs=min_confs, start=start), OverlayHistory()
    history.mine(3)
    version_id = history.publish("v")
    seen: dict[str, bytes] = {}
    for step in ["look", *steps, "mine"]:
        if step == "mine":
            history.mine()
        elif step == "reorg":
            history.reorg(min(2, history.confs(version_id) or 1))
        elif step == "publish":
            history.publish()
        elif step == "recall" and history.bundle(version_id)["recall"] is None:
            history.recall(version_id)
        now = events(overlay, history, version_id)
        assert {key: now.get(key) for key in seen} == seen
        seen = now
        times = [json.loads(body)["eventTime"] for body in now.values()]
        assert times == sorted(set(times))
    keys = list(seen)
    assert all(not key.startswith("stable") or keys.index(key) > keys.index("un" + key) for key in keys)


def test_waiting_for_confirmations() -> None:
    overlay, history = replace(OVERLAY, min_confs=2), OverlayHistory()
    version_id = history.publish("v")
    for confs in range(4):
        bundle, _, ready = answers(history, version_id)
        course = course_of(overlay, bundle, ready, (), 0, 0)
        assert (ready.confs, course.is_waiting, len(course.steps)) == (confs, confs < 2, int(confs >= 2))
        assert course.is_settled == (confs >= 3)
        assert not course.steps or (course.steps[0].confs, course.steps[0].time) == (
            2,
            parse_time(bundle.created_at),
        )
        history.mine()


@pytest.mark.parametrize("tells_history", [True, False])
def test_a_reorg_from_publish_to_stable(tells_history: bool) -> None:
    """The same steps from an overlay that tells its history, and from one that is asked often enough."""
    history = OverlayHistory()
    version_id, known, seen, keys = history.publish("v"), (), 0, []
    for step in (lambda: None, history.mine, history.mine, lambda: history.reorg(2), history.mine, *[history.mine] * 3):
        step()
        bundle, _, ready = answers(history, version_id)
        ready = ready if tells_history else replace(ready, history=())
        course = course_of(OVERLAY, bundle, ready, known, seen, 0)
        known, seen = course.states, course.confs
        keys.append([item.key for item in course.steps])
    assert keys[0] == keys[2] == ["publish"]
    assert keys[3] == ["publish", "unstable.1"]
    assert keys[-1] == ["publish", "unstable.1", "stable.1"]
    assert course.is_settled


def test_confirmations_that_fall_are_a_reorg_even_if_nobody_says_so() -> None:
    course = course_of(OVERLAY, BUNDLE, Ready(confs=2), (), 0, 0)
    fallen = course_of(OVERLAY, BUNDLE, Ready(confs=0), course.states, course.confs, 0)
    assert [step.key for step in fallen.steps] == ["publish", "unstable.1"]
    back = course_of(OVERLAY, BUNDLE, Ready(confs=3), fallen.states, fallen.confs, 0)
    assert [step.key for step in back.steps] == ["publish", "unstable.1", "stable.1"]
    assert [one.time < other.time for one, other in pairwise(back.steps)] == [True, True]


@pytest.mark.parametrize("returns", [None, 0, 2])
def test_a_transaction_that_is_away_for_too_long(returns: int | None) -> None:
    """The event is the same, whether the version was looked at in time or only after the transaction returned."""
    overlay = replace(OVERLAY, give_up_seconds=86_400)
    lost = VersionState("unstable", "2026-01-02T00:00:00Z", 0, 3)
    back = () if returns is None else (VersionState("stable", f"2026-01-0{2 + returns}T12:00:00Z", 3),)
    ready = Ready(0, state="unstable", history=(VersionState("published", "2026-01-01T00:00:00Z"), lost, *back))
    lost_at = parse_time(lost.at) or 0
    course = course_of(overlay, BUNDLE, ready, (), 0, lost_at + 3 * DAY)
    last = course.steps[-1]
    if returns == 0:
        assert last.key == "stable.1"
    else:
        assert (last.key, last.time, course.is_settled) == ("abort", lost_at + DAY, True)
    early = course_of(overlay, BUNDLE, ready, (), 0, lost_at + DAY // 2)
    assert (early.steps[-1].key == "abort") == (returns == 2)


def test_equal_times_are_put_apart_and_a_recall_never_comes_before_the_publish() -> None:
    at = "2026-01-01T00:00:00Z"
    history = (VersionState("published", at), VersionState("unstable", at), VersionState("stable", at))
    bundle = replace(BUNDLE, recall=Recall("2025-12-31T00:00:00Z"))
    course = course_of(OVERLAY, bundle, Ready(9, history=history), (), 0, 0)
    assert [step.key for step in course.steps] == ["publish", "unstable.1", "recall", "stable.1"]
    assert [other.time - one.time for one, other in pairwise(course.steps)] == [1_000, 1, 999]


def test_a_recall_that_is_heard_of_later_moves_no_event_that_was_emitted() -> None:
    """Even if it lies less than a millisecond before one."""
    history = (
        VersionState("published", "2026-01-01T00:00:00Z"),
        VersionState("unstable", "2026-01-02T00:00:00.000500Z"),
    )
    ready = Ready(0, state="unstable", history=history)
    before = course_of(OVERLAY, BUNDLE, ready, (), 0, 0).steps
    for at in ("2026-01-02T00:00:00Z", "2026-01-02T00:00:00.000500Z", "2026-01-03T00:00:00Z"):
        steps = course_of(OVERLAY, replace(BUNDLE, recall=Recall(at)), ready, (), 0, 0).steps
        assert tuple(step for step in steps if step.kind != "recall") == before
        assert all(one.time < other.time for one, other in pairwise(steps))


@pytest.mark.parametrize(("before", "keys"), [(3, ["stable.1", "unstable.2"]), (2, [])])
def test_an_overlay_that_calls_a_transaction_that_returned_published(before: int, keys: list[str]) -> None:
    """It is stable once it was deep enough, also when the next reorg came before anybody looked."""
    lost, back = (
        VersionState("unstable", "2026-01-02T00:00:00Z", 0, 3),
        VersionState("published", "2026-01-02T06:00:00Z", 1),
    )
    history = (VersionState("published", "2026-01-01T00:00:00Z"), lost, back)
    looked = course_of(OVERLAY, BUNDLE, Ready(before, history=history), (), 0, 0)
    again = VersionState("unstable", "2026-01-02T12:00:00Z", 0, before)
    later = course_of(OVERLAY, BUNDLE, Ready(0, state="unstable", history=(*history, again)), (), 0, 0)
    assert [step.key for step in later.steps] == ["publish", "unstable.1", *keys]
    assert later.steps[: len(looked.steps)] == looked.steps
