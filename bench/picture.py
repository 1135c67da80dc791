"""How long pictures and explained edges take, and how large they are.

    python bench/picture.py [--edges 20000] [--nodes 100] [--questions 30] [--folder FOLDER]

Builds a graph of so many dataset edges (see `graphs`), finds starts around which a picture of three steps has about so
many nodes, and asks for it again and again, as a server would: rendered to JSON. `cold` is the first time, `warm` once
the graph is remembered. Prints one JSON object: milliseconds of work, and bytes plain and gzipped.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

sys.path.insert(0, str(Path(__file__).parent))
import graphs
from lineage import sample, summary

from headwater.lineage.edge.edge import explained_edge
from headwater.lineage.picture.options import PictureOptions
from headwater.lineage.picture.picture import picture
from headwater.store.engine import make_engine
from headwater.store.read.reader import Reader

STEPS, ROUNDS = 3, 10


def timed(ask: Callable[[], Any]) -> tuple[float, bytes]:
    began = time.thread_time()
    body = msgspec.json.encode(ask())
    return time.thread_time() - began, body


def starts(reader: Reader, file: Path, nodes: int, count: int) -> list[str]:
    """Datasets whose picture has from nine tenths of so many nodes on; the limit cuts those that have more."""
    found = []
    for name in sample(file, count * 40):
        shown = picture(reader, 1, f"dataset:{graphs.PLACE}:{name}", PictureOptions(steps=STEPS + 5, limit=nodes))
        if len(shown.nodes) >= nodes * 0.9:
            found.append(f"dataset:{graphs.PLACE}:{name}")
        if len(found) == count:
            break
    return found


def measure(reader: Reader, file: Path, names: list[str], **options: Any) -> dict:
    cold, warm, sizes, packed, shown = [], [], [], [], []
    for name in names:
        wanted = PictureOptions(steps=STEPS + 5, **options)
        fresh = Reader(make_engine(f"sqlite:///{file}"))
        cold.append(timed(lambda: picture(fresh, 1, name, wanted))[0])  # noqa: B023 - called at once
        for _ in range(ROUNDS):
            seconds, body = timed(lambda: picture(reader, 1, name, wanted))  # noqa: B023 - called at once
            warm.append(seconds)
        sizes.append(len(body))
        packed.append(len(gzip.compress(body, 6)))
        answer = msgspec.json.decode(body)
        shown.append((len(answer["nodes"]), len(answer["flows"]), len(answer["columns"])))
    return {
        "cold": summary(cold),
        "warm": summary(warm),
        "bytes": max(sizes),
        "gzipped": max(packed),
        "largest": dict(zip(("nodes", "flows", "columns"), max(shown), strict=True)),
    }


def edges(reader: Reader, names: list[str]) -> dict:
    seconds = []
    for name in names:
        shown = picture(reader, 1, name, PictureOptions())
        for flow in shown.flows[:5]:
            taken, _ = timed(lambda: explained_edge(reader, 1, flow.source, flow.target))  # noqa: B023 - at once
            seconds.append(taken)
    return summary(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edges", type=int, default=20_000)
    parser.add_argument("--nodes", type=int, default=100)
    parser.add_argument("--questions", type=int, default=30)
    parser.add_argument("--folder", type=Path)
    chosen = parser.parse_args()
    folder = chosen.folder or Path(tempfile.mkdtemp())
    try:
        file = graphs.build(folder, chosen.edges)
        reader = Reader(make_engine(f"sqlite:///{file}"))
        names = starts(reader, file, chosen.nodes, chosen.questions)
        report = {
            "edges": chosen.edges,
            "starts": len(names),
            "plain": measure(reader, file, names, limit=chosen.nodes),
            "by_job": measure(reader, file, names[:5], limit=chosen.nodes, granularity="JOB"),
            "all_columns": measure(reader, file, names[:5], limit=chosen.nodes, columns="all"),
            "lit": measure(reader, file, names[:5], limit=chosen.nodes, columns="lit", column="id"),
            "edge": edges(reader, names),
        }
    finally:
        if chosen.folder is None:
            shutil.rmtree(folder)
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
