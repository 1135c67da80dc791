"""What each stage between the bytes of an event and its commit costs, without HTTP and without a second thread.

    python bench/fold.py [--rounds 5] [--jobs 500]

Prints one JSON object: microseconds of CPU per event by stage and batch size, the best of several rounds, since others
share the machine; `calibration` is a fixed piece of work, by which two runs can be compared. `repeating` is for jobs
that were seen before, `every facet new` for such jobs with facets that were not, `every name new` for datasets that
were not either. The stages are those of `Admission` and `SqlStore.write`; the store is SQLite with synchronous=FULL on
a temporary folder.
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
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).parent))
import events

from headwater.bounded_cache import BoundedCache
from headwater.graph.fold import Graph, fold_into
from headwater.interpret.interpret import interpret
from headwater.openlineage.decode import decode_event
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from headwater.store.write.log import Entry, log_rows

_T = TypeVar("_T")
BATCHES = (32, 256)
KINDS = {"repeating": events.New.NOTHING, "every facet new": events.New.FACETS, "every name new": events.New.NAMES}


class Clock:
    """CPU seconds by stage of one round."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}

    def time(self, stage: str, work: Callable[[], _T]) -> _T:
        began = time.process_time()
        result = work()
        self.spent[stage] = self.spent.get(stage, 0) + time.process_time() - began
        return result


def measure(stream: Iterator[bytes], batch: int, count: int, rounds: int) -> dict[str, float]:
    """Each round takes the next events of the stream through all stages, into one store; the first does not count."""
    best: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="headwater-bench-") as folder:
        store, cache = SqlStore(f"sqlite:///{folder}/headwater.db"), BoundedCache(64 << 20)
        store.open()
        take_round(store, cache, list(itertools.islice(stream, count)), batch)  # from here on the jobs are known
        for _ in range(rounds):
            clock = take_round(store, cache, list(itertools.islice(stream, count)), batch)
            spent = {stage: seconds / count * 1e6 for stage, seconds in clock.spent.items()}
            spent = {"all": sum(spent.values()), **spent}
            best = {stage: min(spent[stage], best.get(stage, spent[stage])) for stage in spent}
        store.close()
    return {stage: round(seconds, 1) for stage, seconds in best.items()}


def take_round(store: SqlStore, cache: BoundedCache, bodies: list[bytes], batch: int) -> Clock:
    clock = Clock()
    for start in range(0, len(bodies), batch):
        _batch(clock, store, cache, bodies[start : start + batch])
    return clock


def _batch(clock: Clock, store: SqlStore, cache: BoundedCache, bodies: list[bytes]) -> None:
    """As `SqlStore.write` does it, which is why it looks inside."""
    decoded = clock.time("decode", lambda: [decode_event(body) for body in bodies])
    said = clock.time("interpret", lambda: [interpret(event, 1, cache) for event in decoded])
    entries = [Entry(DEFAULT_TENANT, event, item, 0) for event, item in zip(decoded, said, strict=True)]
    graph: Graph = {}
    new = clock.time("new facts", lambda: [fact for item in said for fact in store.known.new_facts(item)])
    clock.time("fold", lambda: fold_into(graph, new))
    facts = clock.time(
        "rows",
        lambda: [*store.search.notes(graph), *store._rows(graph)],  # noqa: SLF001 - a stage of a public function
    )
    log = clock.time("compress", lambda: log_rows(entries))
    clock.time("SQL and commit", lambda: store._transact(log, facts, graph))  # noqa: SLF001 - a stage of a public function
    clock.time("learn", lambda: store.known.learn(said, new))


def calibration() -> float:
    """Microseconds of CPU that counting to ten thousand takes here and now."""
    best = 1e9
    for _ in range(50):
        began = time.process_time()
        for _ in range(10_000):
            pass
        best = min(best, time.process_time() - began)
    return round(best * 1e6, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=500)
    options = parser.parse_args()
    count = options.jobs * 2
    gc.set_threshold(200_000, 50, 50)  # as the server does
    report: dict = {"calibration": calibration()}
    for batch in BATCHES:
        for name, new in KINDS.items():
            stream = events.stream(options.jobs, seed=7, new=new)
            report[f"{name}, {batch} a commit"] = measure(stream, batch, count, options.rounds)
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
