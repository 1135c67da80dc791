"""What a small tenant notices of another one that floods the server.

    python bench/fairness.py [--store sqlite|mariadb|postgresql] [--seconds 15] [--rate 40] [--times 20]

Starts a real server with keys for two tenants. The small one sends at a fixed rate (open loop: lateness counts), first
alone, then while the other sends at so many times that rate, then while the other sends as fast as it is answered on
many connections, and alone once more, since the machine itself is not steady. Prints one JSON object; `ratio` is the
small tenant's p99 with the flood over that without.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import events
import load
import store_limit
from ingest import Server, _prepare, _run


def administer(store: str, data: str, *arguments: str) -> dict:
    command = [sys.executable, "-m", "headwater", *arguments, "--data", data, "--format", "json"]
    environment = {**os.environ, **({"HEADWATER_STORE": store} if store else {})}
    return json.loads(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def make_keys(store: str, data: str) -> dict[str, str]:
    keys = {}
    for code in ("small", "flood"):
        administer(store, data, "tenant", "create", code)
        keys[code] = administer(store, data, "key", "create", "--tenant", code, "--source", "SPARK")["key"]
    return keys


async def side_by_side(port: int, seconds: float, small: dict, flood: dict | None) -> dict[str, load.Result]:
    drives = {"small": load.drive("127.0.0.1", port, seconds=seconds, **small)}
    if flood is not None:
        drives["flood"] = load.drive("127.0.0.1", port, seconds=seconds, **flood)
    results = await asyncio.gather(*drives.values())
    return dict(zip(drives, results, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", choices=store_limit.STORES, default="sqlite")
    parser.add_argument("--seconds", type=float, default=15, help="length of each measurement")
    parser.add_argument("--rate", type=float, default=40, help="events a second of the small tenant")
    parser.add_argument("--times", type=float, default=20, help="how many times as many the other sends")
    parser.add_argument("--connections", type=int, default=32, help="of the flood; the small tenant has 4")
    parser.add_argument("--rounds", type=int, default=3, help="each measurement so often; the median counts")
    options = parser.parse_args()
    report: dict = {"cores": os.cpu_count(), "store": options.store, "small_rate": options.rate}
    with store_limit.durable_store(options.store) as (data, url, _):
        store = "" if options.store == "sqlite" else url
        keys = make_keys(store, data)
        server = Server(data, store)
        streams = {"small": events.stream(50, seed=3), "flood": events.stream(1000, seed=4)}

        def sending(code: str, count: int, **more) -> dict:
            return {"bodies": iter(_prepare(streams[code], count)), "key": keys[code], **more}

        def measure(flood_rate: float | None, *, alone: bool) -> dict[str, load.Result]:
            small = sending("small", int(options.rate * options.seconds) + 100, rate=options.rate, connections=4)
            flood = None
            if not alone:
                count = int(options.seconds * (flood_rate or 4000)) + 100
                flood = sending("flood", count, rate=flood_rate, connections=options.connections)
            return _run(side_by_side(server.port, options.seconds, small, flood))

        _run(load.drive("127.0.0.1", server.port, seconds=600, **sending("flood", 2000)))  # every job once
        _run(load.drive("127.0.0.1", server.port, seconds=600, **sending("small", 100)))
        found: dict[str, list[dict[str, load.Result]]] = {"alone": [], "with_flood": [], "with_endless_flood": []}
        for _ in range(options.rounds):
            found["alone"].append(measure(None, alone=True))
            found["with_flood"].append(measure(options.rate * options.times, alone=False))
            found["with_endless_flood"].append(measure(None, alone=False))
        server.stop()
    for name, rounds in found.items():
        report[name] = {code: shown([one[code] for one in rounds]) for code in rounds[0]}
    for name in ("with_flood", "with_endless_flood"):
        report[name]["ratio"] = round(report[name]["small"]["p99_ms"] / report["alone"]["small"]["p99_ms"], 2)
        report[name]["times"] = round(
            report[name]["flood"]["events_per_second"] / report[name]["small"]["events_per_second"], 1
        )
    print(json.dumps(report, indent=2))


def shown(rounds: list[load.Result]) -> dict:
    """The median of the rounds, and all answers."""
    summaries = [result.summary() for result in rounds]
    summary: dict = {
        name: statistics.median(one[name] for one in summaries) for name in ("events_per_second", "p50_ms", "p99_ms")
    }
    summary["p99_ms_of_each"] = [one["p99_ms"] for one in summaries]
    summary["statuses"] = {
        status: sum(one["statuses"].get(status, 0) for one in summaries)
        for status in sorted({status for one in summaries for status in one["statuses"]} | {429, 503})
    }
    return summary


if __name__ == "__main__":
    main()
