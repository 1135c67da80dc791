"""What single tricks for speed save: CPU of an event from bytes to commit with all of them, and without one at a time.

    python bench/savings.py [--rounds 5] [--jobs 200]

Prints one JSON object: microseconds of CPU per repeating event at 256 a commit, the best of several rounds. Variants
take turns, so that all of them meet the same moods of the machine. The stages are those of `bench/fold.py`.
`docs/performance.md` quotes these figures.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import events
import fold
from pymysql.converters import conversions, escape_item

from headwater.bounded_cache import BoundedCache
from headwater.store.dialects.mysql_literals import statements_of
from headwater.store.sql_store import SqlStore

BATCH = 256
_GENERATIONS = (700, 10, 10)
"""Garbage-collection thresholds of Python itself."""


class NoCache(BoundedCache[Any]):
    """A cache that remembers nothing."""

    def put(self, key: Any, value: Any, weight: int = 1) -> None:
        pass


@contextmanager
def without_gc_thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(*_GENERATIONS)
    yield
    gc.set_threshold(*before)


@contextmanager
def nothing_less() -> Iterator[None]:
    yield


VARIANTS: dict[str, Callable[[], Any]] = {
    "all tricks": nothing_less,
    "without the cache of descriptions": nothing_less,
    "without gc thresholds": without_gc_thresholds,
}


def measure(rounds: int, jobs: int) -> dict[str, float]:
    best: dict[str, float] = {}
    stream = events.stream(jobs, seed=7, new=events.New.NOTHING)
    with tempfile.TemporaryDirectory(prefix="headwater-bench-") as folder:
        store, cache = SqlStore(f"sqlite:///{folder}/headwater.db"), BoundedCache[Any](64 << 20)
        store.open()
        fold.take_round(
            store, cache, list(itertools.islice(stream, jobs * 2)), BATCH
        )  # from here on the jobs are known
        for _ in range(rounds):
            for name, variant in VARIANTS.items():
                bodies = list(itertools.islice(stream, jobs * 2))
                used = NoCache(0) if "descriptions" in name else cache
                with variant():
                    spent = sum(fold.take_round(store, used, bodies, BATCH).spent.values()) / len(bodies) * 1e6
                best[name] = min(spent, best.get(name, spent))
        store.close()
    return {name: round(spent, 1) for name, spent in best.items()}


def literals(rows: int = 20_000) -> dict[str, float]:
    """Microseconds a row: text of rows for MySQL by hand, and by the driver's own functions."""
    data = [(1, b"0123456789abcdef", b"0123456789abcdef", None, f"text {row}", row) for row in range(rows)]
    template, escape = f"({', '.join(['%s'] * 6)})", partial(escape_item, charset="utf8mb4", mapping=conversions)
    found = {}
    for name, work in (
        ("by hand", lambda: sum(map(len, statements_of("VALUES ", data, "", lambda value: f"'{value}'")))),
        ("by the driver", lambda: sum(len(template % tuple(map(escape, row))) for row in data)),
    ):
        spent = []
        for _ in range(3):
            began = time.process_time()
            work()
            spent.append((time.process_time() - began) / rows * 1e6)
        found[name] = round(min(spent), 2)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=200)
    options = parser.parse_args()
    gc.set_threshold(200_000, 50, 50)  # as the server does
    spent = measure(options.rounds, options.jobs)
    whole = spent["all tricks"]
    saved = {name: f"{1 - whole / cost:.0%}" for name, cost in spent.items() if name != "all tricks"}
    report = {"calibration": fold.calibration(), "cpu_us_per_event": spent, "saved": saved, "mysql_row_us": literals()}
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
