"""What a soak found, held against what it should."""

from __future__ import annotations

from typing import Any

from tests.soak.traffic import Phase

__all__ = ["MOST_RATIO", "ratios", "verdict"]

MOST_RATIO = 2.0
"""By which the p99 of the well-behaved may grow beside hostile traffic."""
_GROWTH, _GROWTH_MIB = 1.25, 48
"""Of memory, from the second round (the first fills caches) to the last: the graphs of good tenants grow a little."""
_FILES = 40
"""Descriptors more than before: connections to the database, and those of the process for large events, are opened when
they are first needed, and stay. What leaks is far more, since there are thousands of connections."""


def ratios(quiet: Phase, beside: Phase) -> dict[str, float | None]:
    """p99 beside hostile traffic over that without, by kind."""
    before, after = quiet.summary(), beside.summary()
    found = {}
    for kind in before:
        one, other = before[kind]["p99_ms"], after[kind]["p99_ms"]
        found[kind] = round(other / one, 2) if isinstance(one, float) and isinstance(other, float) and one else None
    return found


def verdict(report: dict[str, Any]) -> list[str]:
    """What is wrong, in words; nothing if all is well."""
    wrong = [f"a well-behaved client was answered {what} ({count} times)" for what, count in report["wrong"].items()]
    for kind, ratio in report["ratio"].items():
        if ratio is None or ratio > MOST_RATIO:
            wrong.append(
                f"p99 of {kind} beside hostile traffic is {ratio} times the quiet one; {MOST_RATIO} is the most"
            )
    memory = report["memory_mib"]["rounds"]
    early, late = memory[min(1, len(memory) - 1)], memory[-1]
    if late > early * _GROWTH + _GROWTH_MIB:
        wrong.append(f"memory grew from {early} to {late} MiB")
    files = report["descriptors"]
    if files["after"] > files["before"] + _FILES:
        wrong.append(f"{files['after']} descriptors are open at the end, {files['before']} before")
    for code, found in report["tenants"].items():
        if found["lost"]:
            wrong.append(f"{found['lost']} events of {code} were answered 201 and are not in its log")
        if not found["is_fold"]:
            wrong.append(f"the graph of {code} is not the fold of its log: {found['difference']}")
    for name, statuses in report["attacks"].items():
        if statuses.get("500"):
            wrong.append(f"the attack {name} was answered 500 ({statuses['500']} times)")
    if report["log"]:
        wrong.append(f"the server's log tells of {len(report['log'])} failures, the first: {report['log'][0][:500]}")
    return wrong
