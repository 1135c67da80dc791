"""Kills workers of tasks at random moments, a hundred times on each store: each task has one result, or is DEAD.

    python -m tests.task_faults [--kills 100] [--seed 1] [--store sqlite|mariadb|postgresql]

Run by `make faults`, not by `make test`, which has five kills on each store. The seed is printed first.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from contextlib import ExitStack

from headwater.store.sql_store import SqlStore
from tests.servers import SERVERS
from tests.tasks.crashes import crash


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    parser.add_argument("--store", choices=["sqlite", *SERVERS])
    options = parser.parse_args()
    _say(f"--seed {options.seed} --kills {options.kills}")
    for kind in [options.store] if options.store else ["sqlite", *SERVERS]:
        with ExitStack() as stack:
            if kind == "sqlite":
                url = f"sqlite:///{stack.enter_context(tempfile.TemporaryDirectory())}/headwater.db"
            else:
                url = stack.enter_context(SERVERS[kind]()).make_database()
            store = SqlStore(url)
            stack.callback(store.close)
            store.open()
            began = time.monotonic()
            states = crash(store, url, options.kills, options.seed)
            _say(f"{kind}: {dict(states)} after {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
