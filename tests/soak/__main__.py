"""Good and hostile traffic of five tenants at once, for a long time; then the graph is held against the log.

    python -m tests.soak [--minutes 20] [--seed 1] [--only slow_bodies bombs]

Run by `make soak`, not by `make test`. Starts a real server with keys for five tenants. Three of them send events and
ask questions at a steady rate. The keys of the other two, and no key at all, are in the hands of attackers. Quiet time
and hostile time take turns, so that the unsteady machine is the same for both.

Prints one JSON object. `failed` has what is wrong: an answer other than 200 and 201 to the well-behaved, a p99 beside
hostile traffic of more than twice the quiet one, memory or descriptors that grow, an event that was taken and is not
in the log, a graph that is not the fold of its log, a failure in the server's log. The exit code is 1 then.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import multiprocessing
import os
import re
import sys
import tempfile
import time
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

import httpx

from headwater.graph.fold import fold
from headwater.interpret.interpret import interpret
from headwater.openlineage.decode import decode_event
from headwater.store.engine import make_engine
from headwater.store.read.dump import dump_facts, dump_graph
from headwater.store.read.reader import Reader
from headwater.store.write.log import Tenant as Known
from tests.application import InProcess
from tests.server import Server
from tests.soak.attacks import ATTACKS, Attacker
from tests.soak.traffic import Phase, Tenant, drive, every_job
from tests.soak.verdict import ratios, verdict
from tests.soak.watch import Watch, now

GOOD, HOSTILE = ("a", "b", "c"), ("x", "y")
EVENT_RATE, QUESTION_RATE = 8.0, 3.0
"""A second, of each good tenant."""
_ROUND = 120.0
_QUIET_SHARE = 0.3
_SETTLE = 4.0
"""Seconds after the attackers left until the quiet time is measured."""


def make_tenants(folder: Path, seed: int) -> dict[str, Tenant]:
    found = {}
    with InProcess(folder) as app:
        app.key = app.make_key(roles=["admin"])
        for number, code in enumerate((*GOOD, *HOSTILE), 11):
            app.make_tenant(code, number)
            key = app.make_key(tenant=code, roles=["writer", "reader", "editor"])
            found[code] = Tenant(code, number, key, seed)
    return found


def attack(url: str, tenants: list[Tenant], only: list[str], seed: str, ends: Connection) -> None:
    """In a process of its own, behind all others in the queue for the processor, until it is told to end."""
    os.nice(19)
    answered: dict[str, Counter[int]] = {name: Counter() for name in only}

    async def again_and_again(name: str, client: int) -> None:
        number, pauses = 0, Random(f"{seed}/{name}/{client}")
        while True:
            attacker = Attacker(url, tenants, f"{seed}/{name}/{client}/{number}")
            await ATTACKS[name](attacker)
            answered[name].update(attacker.statuses)
            number += 1
            await asyncio.sleep(pauses.random())

    async def all_at_once() -> None:
        running = [asyncio.ensure_future(again_and_again(name, client)) for name in only for client in range(2)]
        ended = asyncio.get_running_loop().run_in_executor(None, ends.recv)
        await asyncio.wait([*running, ended], return_when=asyncio.FIRST_COMPLETED)
        broken = [task.exception() for task in running if task.done()]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        if broken:
            raise RuntimeError("an attack cannot be made") from broken[0]

    asyncio.run(all_at_once())
    ends.send((answered, {tenant.code: tenant.taken for tenant in tenants}))


def introduce(server: Server, tenant: Tenant) -> None:
    """Send every job of a tenant once, so that all that is asked about is there."""
    bodies = every_job(tenant.code)
    with httpx.Client(base_url=server.url, headers=tenant.headers, timeout=60) as client:
        for body in bodies:
            client.post("/api/v1/lineage", content=body).raise_for_status()
            tenant.note_taken(body)


class Attackers:
    """The hostile half of one round."""

    def __init__(self, url: str, tenants: list[Tenant], only: list[str], seed: str) -> None:
        fork = multiprocessing.get_context("fork")
        self._here, there = fork.Pipe()
        self._process = fork.Process(target=attack, args=(url, tenants, only, seed, there), daemon=True)
        self._tenants = tenants
        self._process.start()

    def end(self) -> dict[str, Counter[int]]:
        """What each attack was answered with. What they were told was taken is noted with their tenants."""
        self._here.send(None)
        answered, taken = self._here.recv()
        self._process.join(30)
        for tenant in self._tenants:
            tenant.taken |= taken[tenant.code]
        return answered


def compare(folder: Path, tenant: Tenant) -> dict[str, Any]:
    """Log and graph of a tenant: is all there that was taken, and is the graph the fold of the log?"""
    engine = make_engine(f"sqlite:///{folder / 'headwater.db'}")
    try:
        reader = Reader(engine)
        known: Known | None = reader.tenant(tenant.code)
        assert known is not None
        bodies = [item.body for item in reader.log(known.id)]
        with reader.snapshot(known.id) as read:
            found = list(dump_facts(read))
    finally:
        engine.dispose()
    kept = {hashlib.blake2b(body, digest_size=16).digest() for body in bodies}
    expected = list(
        dump_graph(fold(fact for body in bodies for fact in interpret(decode_event(body), known.id).facts()))
    )
    wrong = sorted(set(found) ^ set(expected))
    return {
        "events": len(bodies),
        "facts": len(found),
        "lost": len(tenant.taken - kept),
        "is_fold": found == expected,
        "difference": wrong[0][:300] if wrong else "",
    }


def soak(seconds: float, seed: int, only: list[str], folder: Path) -> dict[str, Any]:
    tenants = make_tenants(folder, seed)
    good, hostile = [tenants[code] for code in GOOD], [tenants[code] for code in HOSTILE]
    quiet, beside = Phase(), Phase()
    attacks: dict[str, Counter[int]] = {name: Counter() for name in only}
    rounds = max(1, round(seconds / _ROUND))
    with Server(folder) as server:

        def work(taken: float) -> Phase:
            found = Phase()
            phases = asyncio.run(drive(server.url, good, taken, events=EVENT_RATE, questions=QUESTION_RATE))
            for phase in phases.values():
                found.add(phase)
            return found

        for tenant in good:
            introduce(server, tenant)
        work(min(20.0, seconds / 6))  # so that all is warm
        before, watches = now(server)[1], []
        for number in range(rounds):
            quiet.add(work(seconds / rounds * _QUIET_SHARE))
            attackers = Attackers(server.url, hostile, only, f"{seed}/{number}")
            with Watch(server) as watch:
                beside.add(work(seconds / rounds * (1 - _QUIET_SHARE)))
            watches.append(watch)
            for name, statuses in attackers.end().items():
                attacks[name].update(statuses)
            work(_SETTLE)
            _say(f"round {number + 1} of {rounds}: p99 {ratios(quiet, beside)} times the quiet one")
        after = _files_when_calm(server, before)
        began = time.monotonic()
        code = server.stop()
        log = [
            line
            for line in server.log().splitlines()
            if re.search(r"Traceback|a request failed|ended its process", line)
        ]
    _say(f"the server ended with {code} after {time.monotonic() - began:.1f} s; log and graph are compared")
    return {
        "seed": seed,
        "seconds": seconds,
        "quiet": quiet.summary(),
        "beside": beside.summary(),
        "ratio": ratios(quiet, beside),
        "wrong": dict((quiet.wrong + beside.wrong).most_common(10)),
        "attacks": {
            name: {str(status): count for status, count in sorted(statuses.items())}
            for name, statuses in attacks.items()
        },
        "memory_mib": {"rounds": [watch.usual for watch in watches], "most": max(watch.most for watch in watches)},
        "descriptors": {"before": before, "most": max(max(watch.files) for watch in watches), "after": after},
        "tenants": {code: compare(folder, tenant) for code, tenant in tenants.items()},
        "log": log,
    }


def _files_when_calm(server: Server, before: int) -> int:
    """What clients left behind is closed within the time that an idle or stalled connection may stay open."""
    ends = time.monotonic() + 45
    while (found := now(server)[1]) > before and time.monotonic() < ends:
        time.sleep(0.5)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4)))
    parser.add_argument(
        "--only", nargs="+", choices=sorted(ATTACKS), default=list(ATTACKS), help="these attacks; all by default"
    )
    options = parser.parse_args()
    _say(f"seed {options.seed}")
    with tempfile.TemporaryDirectory() as folder:
        report = soak(options.minutes * 60, options.seed, options.only, Path(folder))
    report["failed"] = verdict(report)
    sys.stdout.write(json.dumps(report, indent=2) + "\n")
    raise SystemExit(1 if report["failed"] else 0)


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
