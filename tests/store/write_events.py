"""One writer process of several: `write_events.py URL SEED` writes all events of tests/events, shuffled and doubled."""

from __future__ import annotations

import random
import sys

from headwater.bounded_cache import BoundedCache
from headwater.store.sql_store import SqlStore
from tests.conftest import EVENTS, entry_of


def main(url: str, seed: str) -> None:
    paths = sorted(path for path in EVENTS.glob("*/*.ndjson") if path.stem != "refused")
    bodies = [line for path in paths for line in path.read_bytes().splitlines() if line.strip()]
    chance, cache = random.Random(int(seed)), BoundedCache(1 << 20)
    mixed = bodies + chance.sample(bodies, len(bodies) // 2)
    chance.shuffle(mixed)
    store = SqlStore(url)
    store.open()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    new = 0
    while mixed:
        size = chance.randint(1, 25)
        new += store.write([entry_of(body, cache) for body in mixed[:size]])
        del mixed[:size]
    store.close()
    sys.stdout.write(f"{new}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
