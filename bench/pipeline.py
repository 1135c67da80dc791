"""What import and replay cost on Spark, on this machine.

    python bench/pipeline.py [--events 100000 1000000] [--cores 1 2] [--jobs 1000] [--store URL] [--keep FOLDER]

Generates logs (`headwater demo generate`), runs `headwater pipeline import` and `headwater pipeline replay` into SQLite
in a temporary folder, each in a process of its own, and prints one JSON object. CPU is that of all processes of a run
together: the command, Spark's JVM and its Python workers. What a run of next to no events takes is counted as start-up
and subtracted. Memory is the greatest sum of what all of them hold at one moment (PSS: shared pages count once).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HEADWATER = [sys.executable, "-m", "headwater"]
TICKS = os.sysconf("SC_CLK_TCK")
SMALL = 200
"""Events of a run that is all start-up."""
TARGETS = {"cpu_us_per_event": 200, "scaling": 1.6, "cost_ratio": 1.3, "peak_memory_mb": 4096}


class Watch:
    """Looks at a process and all below it, several times a second, until it ends."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._thread = threading.Thread(target=self._look, daemon=True)
        self.peak_memory_mb = 0.0
        self._thread.start()

    def _look(self) -> None:
        while self._process.poll() is None:
            self.peak_memory_mb = max(self.peak_memory_mb, sum(map(_memory, _tree(self._process.pid))) / 1024)
            time.sleep(0.25)


def measure(arguments: list[str]) -> dict:
    """Run a command of Headwater; what it took, and what it reported."""
    before = os.times()
    began = time.perf_counter()
    # A process group of its own; whatever it starts is waited for by it, so its CPU counts as that of our children.
    process = subprocess.Popen([*HEADWATER, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    watch = Watch(process)
    answer, errors = process.communicate()
    seconds = time.perf_counter() - began
    after = os.times()
    if process.returncode:
        raise SystemExit(f"headwater {' '.join(arguments)}: exit code {process.returncode}\n{errors[-4000:]}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return {
        "seconds": round(seconds, 1),
        "cpu_seconds": round(cpu, 1),
        "peak_memory_mb": round(watch.peak_memory_mb),
        "report": json.loads(answer.strip().splitlines()[-1]),
    }


def _tree(root: int) -> list[int]:
    """A process and all its descendants."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                stat = Path(f"/proc/{entry}/stat").read_text()
            except OSError:  # it has ended meanwhile
                continue
            children.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(entry))
    found, queue = [], [root]
    while queue:
        found.append(queue.pop())
        queue += children.get(found[-1], [])
    return found


def _memory(process: int) -> int:
    """What a process holds, in KB; pages that it shares with others count in part."""
    try:
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0
