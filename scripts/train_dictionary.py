"""Make the dictionary with which events are compressed, from those recorded for the tests.

    python scripts/train_dictionary.py TARGET

What was compressed with a dictionary can be read with that one only. So one that was ever released is never changed:
a better one gets a file and a number of its own, and `store/compression.py` keeps reading with both.
"""

from __future__ import annotations

import sys
from pathlib import Path

import zstandard

RECORDED = Path(__file__).parents[1] / "tests" / "events" / "recorded"
SIZE = 32 << 10
NUMBER = 0x4EAD_0001


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    lines = [line for file in sorted(RECORDED.glob("*.ndjson")) for line in file.read_bytes().splitlines() if line]
    trained = zstandard.train_dictionary(SIZE, lines * 3, level=3, dict_id=NUMBER)
    Path(sys.argv[1]).write_bytes(trained.as_bytes())
    print(f"{len(trained.as_bytes()):,} bytes from {len(lines):,} events, number {trained.dict_id():#x}")


if __name__ == "__main__":
    main()
