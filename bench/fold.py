"""What each stage between the bytes of an event and its commit costs, without HTTP and without a second thread.

    python bench/fold.py [--rounds 5] [--jobs 500] [--batch 32]

Prints one JSON object: microseconds of CPU per event by stage, the best of several rounds (others share the machine).
`repeating` is for jobs that were seen before, `every_facet_new` for events of which no facet was. The stages are
those of `Admission` and `SqlStore.write`; the store is SQLite with synchronous=FULL on a temporary folder.
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

from headwater.graph.fold import Graph, fold_into
from headwater.interpret.interpret import Interpretation, interpret
from headwater.interpret.memo import Memo
from headwater.openlineage.decode import decode_event
from headwater.store.log import Entry, log_rows
from headwater.store.sql import DEFAULT_TENANT, SqlStore

_T = TypeVar("_T")
BATCHES = (32, 256)


class Clock:
    """CPU seconds by stage; of several rounds the best counts."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._best: dict[str, float] = {}

    def time(self, stage: str, work: Callable[[], _T]) -> _T:
        began = time.process_time()
        result = work()
        spent = (time.process_time() - began) / self._count * 1e6
        self._best[stage] = min(spent, self._best.get(stage, spent))
        return result

    def report(self) -> dict[str, float]:
        return {stage: round(spent, 1) for stage, spent in self._best.items()}


def measure(stream: Iterator[bytes], count: int, rounds: int, *, fresh: bool) -> dict:
    """Each round takes the next events of the stream through all stages, into one store."""
    clock = Clock(count)
    for batch in BATCHES:
        with tempfile.TemporaryDirectory(prefix="headwater-bench-") as folder:
            store = SqlStore(f"sqlite:///{folder}/headwater.db")
            store.open()
            memo: Memo = Memo(64 << 20)
            if not fresh:
                for body in itertools.islice(stream, count):  # every job once: from here on they repeat
                    _write_all(store, [_entry(body, memo)], 1)
            for _ in range(rounds):
                _round(clock, store, memo, list(itertools.islice(stream, count)), batch)
            store.close()
    return clock.report()


def _round(clock: Clock, store: SqlStore, memo: Memo, bodies: list[bytes], batch: int) -> None:
    decoded = clock.time("decode", lambda: [decode_event(body) for body in bodies])
    said = clock.time("interpret", lambda: [interpret(event, 1, memo) for event in decoded])
    entries = [Entry(DEFAULT_TENANT, event, item, 0) for event, item in zip(decoded, said, strict=True)]
    groups = [entries[start : start + batch] for start in range(0, len(entries), batch)]
    clock.time("compress", lambda: [log_rows(group) for group in groups])
    clock.time(f"new facts, fold, rows at {batch}", lambda: [_fold(store, group) for group in groups])
    clock.time(f"write at {batch}", lambda: _write_all(store, entries, batch))


def _fold(store: SqlStore, group: list[Entry]) -> object:
    graph: Graph = {}
    for entry in group:
        assert isinstance(entry.interpretation, Interpretation)
        fold_into(graph, store.known.new_facts(entry.interpretation))
    return store._rows(graph)  # noqa: SLF001 - one stage of a public function


def _write_all(store: SqlStore, entries: list[Entry], batch: int) -> None:
    for start in range(0, len(entries), batch):
        store.write(entries[start : start + batch])


def _entry(body: bytes, memo: Memo) -> Entry:
    event = decode_event(body)
    return Entry(DEFAULT_TENANT, event, interpret(event, 1, memo), 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=500)
    options = parser.parse_args()
    count = options.jobs * 2
    gc.set_threshold(50_000, 20, 50)  # as the server does
    report = {
        "repeating": measure(events.stream(options.jobs), count, options.rounds, fresh=False),
        "every_facet_new": measure(events.stream(options.jobs, seed=7, fresh=True), count, options.rounds, fresh=True),
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
