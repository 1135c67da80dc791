"""Hostile input at random, for as long as you like: events, what they mean, the store, SQL, HTTP, and every question.

    python -m tests.fuzz [--minutes 10] [--seed 1] [--only sql protocol] [--case 1234]

Run by `make hostile`, not by `make test`. The seed is printed first. Every input follows from seed, target and number,
so `--seed S --only T --case N` makes the same one again. What fails is printed, with its input in a file, and the rest
goes on; the exit code is 1 then.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.fuzz.of_server import Protocol, Questions
from tests.fuzz.targets import Decode, Interpret, Sql, Store, Target
from tests.server import Server

NAMES = ("decode", "interpret", "store", "sql", "protocol", "questions")
_HANGS = 90
"""Seconds after which an input is given up."""
_SAY_EVERY = 5.0
_MOST_FAILURES = 10
"""Of one target: then it is not tried any further."""


def targets(names: tuple[str, ...], stack: ExitStack) -> dict[str, Target]:
    """Those with these names; what needs a server shares one."""
    made: dict[str, Callable[[], Target]] = {"decode": Decode, "interpret": Interpret, "store": Store, "sql": Sql}
    if {"protocol", "questions"} & set(names):
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = stack.enter_context(Server(folder))
        made |= {"protocol": lambda: Protocol(server, stack), "questions": lambda: Questions(server, stack)}
    return {name: made[name]() for name in names}


def made_again(target: Target, name: str, seed: int, number: int) -> Any:
    """The input with this number; a server that remembers what came before may make another one of it."""
    return target.make(random.Random(f"{seed}/{name}/{number}"))


def tried(target: Target, made: Any) -> tuple[str, str] | None:
    """What was wrong, if anything: in short, and where."""
    try:
        with _in_time():
            target.check(made)
    except Exception as error:  # noqa: BLE001 - whatever it is, it was found
        return f"{type(error).__name__}: {error}"[:500], traceback.format_exc(limit=-8)
    return None


@contextmanager
def _in_time() -> Iterator[None]:
    def over(*_: object) -> None:
        raise TimeoutError(f"not done after {_HANGS} s")

    before = signal.signal(signal.SIGALRM, over)
    signal.alarm(_HANGS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def run(
    chosen: dict[str, Target], seed: int, seconds: float, first: int = 0, *, only_one: bool = False
) -> dict[str, Any]:
    """Try all of them by turns; how many inputs each had, and what failed."""
    counts, failures = dict.fromkeys(chosen, 0), []
    ends, said = time.monotonic() + seconds, 0.0
    failed = dict.fromkeys(chosen, 0)
    number = first
    while time.monotonic() < ends:
        for name, target in chosen.items():
            if failed[name] >= _MOST_FAILURES:
                continue
            made = made_again(target, name, seed, number)
            wrong = tried(target, made)
            counts[name] += 1
            if wrong is not None:
                failed[name] += 1
                failures.append(_note(name, seed, number, made, wrong))
        number += 1
        if only_one or all(count >= _MOST_FAILURES for count in failed.values()):
            break
        if sys.stderr.isatty() and time.monotonic() - said > _SAY_EVERY:
            said = time.monotonic()
            sys.stderr.write(f"\r{ends - said:5.0f} s left, {sum(counts.values()):,} inputs, {len(failures)} failed ")
    return {"seed": seed, "inputs": counts, "failed": failures}


def _note(name: str, seed: int, number: int, made: Any, wrong: tuple[str, str]) -> dict[str, Any]:
    with tempfile.NamedTemporaryFile("w", prefix=f"fuzz-{name}-{number}-", suffix=".txt", delete=False) as file:
        file.write(ascii(made))
    again = f"python -m tests.fuzz --seed {seed} --only {name} --case {number}"
    short, whole = wrong
    sys.stderr.write(f"\n{again}\n{whole}\n")
    return {"again": again, "input": file.name, "error": short}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4)))
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, help="all by default")
    parser.add_argument("--case", type=int, help="only the input with this number")
    options = parser.parse_args()
    sys.stderr.write(f"seed {options.seed}\n")
    with ExitStack() as stack:
        chosen = targets(tuple(options.only), stack)
        is_one = options.case is not None
        report = run(chosen, options.seed, options.minutes * 60, options.case or 0, only_one=is_one)
    sys.stdout.write(json.dumps(report, indent=2) + "\n")
    raise SystemExit(1 if report["failed"] else 0)


if __name__ == "__main__":
    main()
