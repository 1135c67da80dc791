"""How long people wait for the lineage canvas, in a real Chromium: first picture, expansion, frames while panning.

    python bench/web.py [--edges 20000] [--nodes 100 500 2000]

Builds a graph (see `graphs`), finds starts whose picture has about so many nodes, starts `headwater up` on it, and
opens each picture three times with an empty browser cache. `near` is panning at the size at which it begins, `all`
with all of it in view. Needs the built page (`make web`), npm's packages of the page and Chromium. Prints one JSON
object.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import graphs
from lineage import sample

from headwater.lineage.picture.options import PictureOptions
from headwater.lineage.picture.picture import picture
from headwater.store.engine import make_engine
from headwater.store.read.reader import Reader

TRIED, DEEPEST = 60, 20


def start_of(reader: Reader, names: list[str], nodes: int) -> dict:
    """The start and steps whose picture is nearest to so many nodes."""
    best: tuple[float, dict] = (float("inf"), {})
    for name in names:
        start = f"dataset:{graphs.PLACE}:{name}"
        for steps in range(1, DEEPEST + 1):
            count = len(picture(reader, 1, start, PictureOptions(steps=steps, limit=2_000)).nodes)
            best = min(
                best, (abs(count - nodes) / nodes, {"nodes": count, "id": start, "steps": steps}), key=lambda x: x[0]
            )
            if count >= nodes or best[0] < 0.05:
                break
        if best[0] < 0.05:
            break
    return best[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edges", type=int, default=20_000)
    parser.add_argument("--nodes", type=int, nargs="+", default=[100, 500, 2_000])
    chosen = parser.parse_args()
    node = shutil.which("node") or str(Path(__file__).parent.parent / "web/.node/bin/node")
    folder = Path(tempfile.mkdtemp())
    server = None
    try:
        file = graphs.build(folder, chosen.edges)
        reader = Reader(make_engine(f"sqlite:///{file}"))
        names = sample(file, TRIED)
        asked = [start_of(reader, names, nodes) for nodes in chosen.nodes]
        (folder / "data").mkdir()
        file.rename(folder / "data" / "headwater.db")
        command = [
            sys.executable,
            "-m",
            "headwater",
            "up",
            "--port",
            "0",
            "--no-pipeline",
            "--data",
            str(folder / "data"),
        ]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        url = next(found[1] for line in server.stdout if (found := re.search(r"listens on (https?://[^\s,]+)", line)))
        done = subprocess.run(
            [node, str(Path(__file__).parent / "web.mjs"), url, json.dumps(asked)],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        print(json.dumps(json.loads(done.stdout), indent=1))
    finally:
        if server is not None:
            server.terminate()
            server.wait()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
