"""Lineage by hand: edges a second one by one and from CSV, and reading the history of an edge that changed often.

python bench/edits.py [--edges 100000] [--single 300] [--changes 10000] [--store URL]
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from headwater.api.app import Application
from headwater.lineage.edits.event import EdgeStatement, Maker, notes_event
from headwater.settings import Settings
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edges", type=int, default=100_000)
    parser.add_argument("--single", type=int, default=300)
    parser.add_argument("--changes", type=int, default=10_000)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = {
            **_from_csv(Path(folder), wanted.edges),
            **asyncio.run(_one_by_one(Path(folder), wanted.single)),
            **asyncio.run(_history(Path(folder), wanted.changes)),
        }
    sys.stdout.write(json.dumps(figures, indent=2) + "\n")


def _from_csv(folder: Path, count: int) -> dict[str, Any]:
    """The command itself, as somebody would run it; all ends are new."""
    path = folder / "edges.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["source", "target"])
        writer.writerows(
            (f"dataset:lake:raw.t{number % (count // 10)}", f"dataset:lake:mart.t{number}") for number in range(count)
        )
    command = [sys.executable, "-m", "headwater", "edit", "add", "--from", str(path), "--create"]
    began = time.monotonic()
    subprocess.run([*command, "--data", str(folder / "data")], check=True, capture_output=True)
    seconds = time.monotonic() - began
    return {"csv_edges": count, "csv_seconds": round(seconds, 1), "csv_edges_a_second": round(count / seconds)}


async def _one_by_one(folder: Path, count: int) -> dict[str, Any]:
    application, _ = _open(folder)
    application.start()
    try:
        began = time.monotonic()
        for number in range(count):
            edge = {"source": f"dataset:lake:raw.t{number}", "target": f"dataset:lake:other.t{number}"}
            await _ask(application, "POST", "/api/v2/edits/lineage", {"add": [edge], "create": True})
        seconds = time.monotonic() - began
    finally:
        await application.stop()
    return {"single_edges": count, "single_edges_a_second": round(count / seconds)}


async def _history(folder: Path, count: int) -> dict[str, Any]:
    """An edge that was added and removed again and again."""
    ends = [{"type": "DATASET", "namespace": "lake", "name": f"raw.t{number}"} for number in (0, 1)]
    application, store = _open(folder)
    bodies = [
        notes_event(
            1_769_904_000_000_000 + number,
            [],
            Maker("bench"),
            edges=[EdgeStatement(ends[0], ends[1], "edge", {"by": "bench"} if number % 2 else None)],
        )
        for number in range(count)
    ]
    store.write([_entry(body) for body in bodies])
    application.start()
    try:
        listed = await _ask(application, "GET", "/api/v2/edits/edges?name=dataset:lake:raw.t1", None)
        edge = next(item["id"] for item in listed["items"] if item["source"].endswith("raw.t0"))
        began = time.monotonic()
        page = await _ask(application, "GET", f"/api/v2/edits?name={edge}&limit=100", None)
        first = time.monotonic() - began
        seen = len(page["items"])
        while page["next"]:
            page = await _ask(application, "GET", f"/api/v2/edits?name={edge}&limit=1000&cursor={page['next']}", None)
            seen += len(page["items"])
        whole = time.monotonic() - began
        began = time.monotonic()
        await _ask(application, "GET", "/api/v2/lineage?name=dataset:lake:raw.t1&as_of=2026-02-01T00:00:00.005Z", None)
        as_of = time.monotonic() - began
    finally:
        await application.stop()
    return {
        "history_changes": seen,
        "history_first_page_ms": round(1000 * first, 1),
        "history_whole_ms": round(1000 * whole, 1),
        "as_of_with_history_ms": round(1000 * as_of, 1),
    }


def _open(folder: Path) -> tuple[Application, SqlStore]:
    store = SqlStore(f"sqlite:///{folder / 'data' / 'headwater.db'}")
    store.open()
    return Application(Settings(data=str(folder / "data")), store), store


def _entry(body: bytes) -> Any:
    from headwater.interpret.interpret import interpret
    from headwater.openlineage.decode import decode_event
    from headwater.store.write.log import Entry

    event = decode_event(body)
    return Entry(DEFAULT_TENANT, event, interpret(event, DEFAULT_TENANT.id), 0)


async def _ask(application: Application, method: str, path: str, body: Any) -> Any:
    place, _, query = path.partition("?")
    query = f"{query}&tenant=default" if query else "tenant=default"
    content = json.dumps(body).encode() if body is not None else b""
    status, answer = await application.ask_as_operator(method, place, query, content)
    assert status == 200, answer
    return json.loads(answer)


if __name__ == "__main__":
    main()
