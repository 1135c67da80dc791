"""What import and replay cost on Spark, on this machine.

    python bench/pipeline.py [--events 100000 1000000] [--cores 1 2] [--jobs 1000] [--folder FOLDER]

Generates logs (`headwater demo generate`), runs `headwater pipeline import` and `headwater pipeline replay` into SQLite
in a temporary folder, each in a process of its own, and prints one JSON object. CPU is that of all processes of a run
together: the command, Spark's JVM and its Python workers. What a run of next to no events takes is counted as start-up
and subtracted, its CPU and its seconds. On one core everything runs there: Java's own threads, too. Memory is the
greatest sum of what all of them hold at one moment (PSS: shared pages count once). `stolen` is the part of the cores'
time that the host of a virtual machine gave to others meanwhile: events per second suffer from it, CPU does not.
"""

from __future__ import annotations

import argparse
import ctypes
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
SMALL = 200
"""Events of a run that is all start-up."""
TARGETS = {"cpu_us_per_event": 200, "scaling": 1.6, "cost_ratio": 1.3, "peak_memory_mb": 4096}


class Watch:
    """Looks at all processes below this one, several times a second, until told to stop.

    What `os.times` says of children is not enough: Spark's workers are not always waited for by those above them.
    """

    def __init__(self) -> None:
        self.peak_memory_mb = 0.0
        self._cpu: dict[int, float] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look_again, daemon=True)
        self._thread.start()

    @property
    def cpu_seconds(self) -> float:
        """As last seen of each: what the last moments of a process took is missed."""
        return sum(self._cpu.values())

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()

    def _look_again(self) -> None:
        looks = 0
        while not self._stop.wait(0.25):
            below = _tree(os.getpid())[1:]
            self._cpu |= {process: seconds for process in below if (seconds := _cpu(process)) is not None}
            looks += 1
            if looks % 8 == 0:  # the system walks all pages for it, and the process waits meanwhile
                self.peak_memory_mb = max(self.peak_memory_mb, sum(map(_memory, below)) / 1024)


def adopt_orphans() -> None:
    """Become the parent of processes whose own parent ends first, so that they stay below this one."""
    set_child_subreaper = 36
    ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0)


def measure(arguments: list[str], cores: int) -> dict:
    """Run a command of Headwater on so many cores; what it took, and what it reported."""
    watch = Watch()
    stolen, passed = _stolen()
    began = time.perf_counter()
    process = subprocess.Popen(
        [*HEADWATER, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: os.sched_setaffinity(0, range(cores)),  # noqa: PLW1509 - no other thread holds a lock
    )
    answer, errors = process.communicate()
    seconds = time.perf_counter() - began
    while True:  # the JVM may outlive the command for a moment
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            break
    watch.stop()
    stolen_then, passed_then = _stolen()
    if process.returncode:
        raise SystemExit(f"headwater {' '.join(arguments)}: exit code {process.returncode}\n{errors[-4000:]}")
    return {
        "seconds": seconds,
        "cpu_seconds": watch.cpu_seconds,
        "peak_memory_mb": round(watch.peak_memory_mb),
        "stolen": round((stolen_then - stolen) / max(1, passed_then - passed), 3),
        "report": json.loads(answer.strip().splitlines()[-1]),
    }


def _stolen() -> tuple[int, int]:
    """Ticks that the host took from all cores, and all ticks that passed on them."""
    ticks = [int(field) for field in Path("/proc/stat").read_text().split(maxsplit=9)[1:9]]
    return ticks[7], sum(ticks)


def _tree(root: int) -> list[int]:
    """A process and all its descendants."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:  # it has ended meanwhile
                continue
            children.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(entry.name))
    found, queue = [], [root]
    while queue:
        found.append(queue.pop())
        queue += children.get(found[-1], [])
    return found


def _cpu(process: int) -> float | None:
    """Seconds that a process itself has worked; None once it is gone."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory(process: int) -> int:
    """What a process holds, in KB; pages that it shares with others count in part."""
    try:
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def run_both(log: Path, folder: Path, cores: int) -> dict[str, dict]:
    """Import a log into an empty store, then replay that store's log into another one."""
    shutil.rmtree(folder, ignore_errors=True)
    master = ["--master", f"local[{cores}]"]
    imported = measure(["pipeline", "import", str(log), "--data", str(folder / "a"), *master], cores)
    into = f"sqlite:///{folder / 'b.db'}"
    replayed = measure(
        ["pipeline", "replay", "--data", str(folder / "a"), "--into", into, "--no-derive", *master], cores
    )
    stored = sum(path.stat().st_size for path in (folder / "a").rglob("*.db"))
    shutil.rmtree(folder)
    return {"import": {**imported, "store_mb": round(stored / 1e6)}, "replay": replayed}


def rate(run: dict, start_up: dict, events: int) -> dict:
    """What an event costs once Spark runs."""
    cpu = run["cpu_seconds"] - start_up["cpu_seconds"]
    seconds = run["report"]["seconds"] - start_up["report"]["seconds"]  # a job's own, from when Spark was there
    return {
        "events": events,
        "events_per_second": round(events / seconds),
        "cpu_us_per_event": round(cpu / events * 1e6, 1),
        "seconds": round(run["seconds"], 1),
        "peak_memory_mb": run["peak_memory_mb"],
        "stolen": run["stolen"],
        **({"store_mb": run["store_mb"]} if "store_mb" in run else {}),
        "report": run["report"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--folder", help="where to put logs and stores; a temporary folder if not given")
    options = parser.parse_args()
    adopt_orphans()
    report: dict = {
        "machine": {"cores": os.cpu_count(), "python": platform.python_version(), "load_before": os.getloadavg()[0]},
        "targets": TARGETS,
    }
    with tempfile.TemporaryDirectory(prefix="headwater-bench-pipeline-", dir=options.folder) as name:
        folder = Path(name)
        runs: dict[tuple[str, int, int], dict] = {}
        start_ups = {}
        small = generate(folder, SMALL, options.jobs)
        for cores in options.cores:
            start_ups[cores] = run_both(small, folder / "run", cores)
        for events in sorted(options.events):
            log = generate(folder, events, options.jobs)
            for cores in options.cores:
                for job, run in run_both(log, folder / "run", cores).items():
                    runs[job, events, cores] = rate(run, start_ups[cores][job], events)
                    print(f"{job} of {events:,} on {cores}: {runs[job, events, cores]}", file=sys.stderr)
            shutil.rmtree(log)
    for job in ("import", "replay"):
        report[job] = {
            f"{events} events, {cores} cores": run for (kind, events, cores), run in runs.items() if kind == job
        }
        report[job]["start_up"] = {
            cores: {"cpu_seconds": round(found[job]["cpu_seconds"], 1), "seconds": round(found[job]["seconds"], 1)}
            for cores, found in start_ups.items()
        }
        report[job] |= compare(job, runs)
    report["machine"]["load_after"] = os.getloadavg()[0]
    print(json.dumps(report, indent=2))


def generate(folder: Path, events: int, jobs: int) -> Path:
    log = folder / f"log-{events}"
    command = ["demo", "generate", "--events", str(events), "--jobs", str(jobs), "--out", str(log)]
    subprocess.run([*HEADWATER, *command], check=True, stdout=subprocess.DEVNULL)
    return log


def compare(job: str, runs: dict[tuple[str, int, int], dict]) -> dict:
    """How much faster with more cores, and how much dearer with more events."""
    sizes = sorted({events for kind, events, _ in runs if kind == job})
    cores = sorted({count for kind, _, count in runs if kind == job})
    found: dict = {}
    if len(cores) > 1:
        found["scaling"] = {}
        for events in sizes:
            few, many = (runs[job, events, count]["events_per_second"] for count in (cores[0], cores[-1]))
            found["scaling"][events] = round(many / few, 2)
    if len(sizes) > 1:
        found["cost_ratio"] = {
            count: round(
                runs[job, sizes[-1], count]["cpu_us_per_event"] / runs[job, sizes[0], count]["cpu_us_per_event"], 2
            )
            for count in cores
        }
    return found


if __name__ == "__main__":
    main()
