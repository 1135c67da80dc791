"""The figures are those of the last minute."""

from __future__ import annotations

from headwater.ingest.request_times import RequestTimes


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_quantiles_and_rate() -> None:
    clock = Clock()
    recent = RequestTimes(clock)
    assert recent.summary() == {
        "requests_per_second": 0.0,
        "p50_seconds": None,
        "p95_seconds": None,
        "p99_seconds": None,
    }
    for number in range(100):
        clock.now += 0.125
        recent.add((number + 1) / 1000)
    found = recent.summary()
    assert found == {"requests_per_second": 8.0, "p50_seconds": 0.051, "p95_seconds": 0.096, "p99_seconds": 0.1}
    clock.now += 55
    assert recent.summary()["p50_seconds"] == 0.08, "those of more than a minute ago do not count"
    clock.now += 100
    assert recent.summary()["p99_seconds"] is None


def test_more_than_can_be_held() -> None:
    clock = Clock()
    recent = RequestTimes(clock)
    for _ in range(25_000):
        clock.now += 0.001
        recent.add(0.002)
    rate = recent.summary()["requests_per_second"]
    assert rate is not None
    assert 990 < rate < 1010
