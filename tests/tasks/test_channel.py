"""The channel: bounded, and fair between tenants."""

from __future__ import annotations

from collections import Counter

from headwater.store.tasks.models import ModelKey
from headwater.tasks.channel import Channel


def model(tenant: int, fingerprint: str = "m", task_type: str = "EMBEDDING") -> ModelKey:
    return ModelKey(tenant, task_type, fingerprint)


def channel(threads: int = 4, most: int = 1000, most_of_tenant: int = 500, size: int = 10) -> Channel:
    return Channel(lambda _: size, most=most, most_of_tenant=most_of_tenant, threads=threads)


def test_a_flood_does_not_delay_a_small_tenant() -> None:
    it = channel()
    it.push(model(1), range(500))
    first = [it.take(0), it.take(0)]
    it.push(model(2), [9001, 9002])
    small = it.take(0)
    assert small is not None
    assert (small.model.tenant, small.numbers) == (2, (9001, 9002))
    assert all(turn is not None and turn.model.tenant == 1 for turn in first)


def test_one_tenant_leaves_a_thread_to_the_others() -> None:
    it = channel(threads=3)
    it.push(model(1), range(100))
    turns = [it.take(0) for _ in range(3)]
    assert [turn is not None for turn in turns] == [True, True, False]
    it.done(turns[0], has_more=False)
    assert it.take(0) is not None
    alone = channel(threads=1)
    alone.push(model(1), [1])
    assert alone.take(0) is not None


def test_turns_go_round() -> None:
    it = channel(threads=2, size=1)
    for tenant in (1, 2, 3):
        it.push(model(tenant), range(30))
    served: list[int] = []
    for _ in range(30):
        turn = it.take(0)
        assert turn is not None
        served.append(turn.model.tenant)
        it.done(turn, has_more=False)
    assert Counter(served) == {1: 10, 2: 10, 3: 10}
    assert all(len(set(served[place : place + 3])) == 3 for place in range(0, 30, 3))


def test_models_of_a_tenant_take_turns() -> None:
    it = channel(threads=2, size=1)
    it.push(model(1, "a"), range(5))
    it.push(model(1, "b"), range(5))
    served = []
    for _ in range(4):
        turn = it.take(0)
        served.append(turn.model.fingerprint)
        it.done(turn, has_more=False)
    assert served == ["a", "b", "a", "b"]


def test_what_finds_no_place_is_pulled() -> None:
    it = channel(most=15, most_of_tenant=12)
    assert it.push(model(1), range(20)) == 12
    assert it.push(model(2), range(20)) == 3
    assert it.push(model(3), range(20)) == 0
    assert len(it) == 15
    pulled = Counter()
    for _ in range(20):
        turn = it.take(0)
        if turn is None:
            break
        pulled[turn.model.tenant, turn.numbers is None] += 1
        it.done(turn, has_more=False)
    assert pulled == {(1, False): 2, (1, True): 1, (2, False): 1, (2, True): 1, (3, True): 1}
    assert len(it) == 0
    assert it._tenants == {}, "nothing is kept of tenants of whom nothing waits"


def test_more_in_the_table_is_pulled_until_there_is_none() -> None:
    it = channel()
    it.note_more([model(1)])
    turn = it.take(0)
    assert turn is not None
    assert turn.numbers is None
    assert it.take(0) is None
    it.done(turn, has_more=True)
    again = it.take(0)
    assert again is not None
    it.done(again, has_more=False)
    assert it.take(0) is None


def test_what_did_not_fit_comes_back_in_its_order() -> None:
    it = channel()
    it.push(model(1), [1, 2, 3, 4])
    turn = it.take(0)
    it.done(turn, has_more=False, back=[4, 3])
    assert it.take(0).numbers == (3, 4)
    assert len(it) == 0


def test_closed_gives_nothing() -> None:
    it = channel()
    it.push(model(1), [1])
    it.close()
    assert it.take(10) is None
