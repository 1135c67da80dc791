"""Looks up every dependency of requirements.lock in a public database of known holes (`pip-audit`).

A known hole is a failure, with what to do about it. Where the database is out of reach, or knows nothing of what is
asked, that is said, and is no failure: whether this machine may use the network is not what is checked.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
ACCEPTED: dict[str, str] = {}
"""Holes that do not concern us, by id, each with the reason."""
_SECONDS = 240


class Verdict(NamedTuple):
    text: str
    is_failure: bool


def verdict(output: str, problem: str = "") -> Verdict:
    """What the output of `pip-audit --format json` comes to."""
    try:
        listed = json.loads(output)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return Verdict(f"NOT AUDITED: the database of known holes is out of reach ({problem or 'no answer'}).", False)
    audited = [item for item in listed if "skip_reason" not in item]
    if not audited:
        reason = listed[0]["skip_reason"] if listed else "nothing was asked"
        return Verdict(f"NOT AUDITED: the database of known holes knows none of the dependencies ({reason}).", False)
    found = [
        f"{item['name']} {item['version']}: {hole['id']}, repaired in {', '.join(hole['fix_versions']) or 'no version'}"
        for item in audited
        for hole in item["vulns"]
        if hole["id"] not in ACCEPTED and not set(hole.get("aliases", ())) & ACCEPTED.keys()
    ]
    left = len(listed) - len(audited)
    counted = f"{len(audited)} dependencies audited" + (f", {left} are not known to the database" if left else "")
    if not found:
        return Verdict(f"{counted}: no known holes.", False)
    hint = "`make lock` takes newer versions; a hole that does not concern us goes into ACCEPTED in scripts/audit.py."
    return Verdict("\n".join([*found, f"{counted}: {len(found)} known holes. {hint}"]), True)


def audit() -> Verdict:
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(ROOT / "requirements.lock"), "--require-hashes"]
    command += ["--disable-pip", "--format", "json", "--progress-spinner", "off", "--timeout", "10"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return verdict("", f"no answer within {_SECONDS} seconds")
    lines = done.stderr.strip().splitlines()
    return verdict(done.stdout, lines[-1][:200] if lines else "")


if __name__ == "__main__":
    said = audit()
    print(said.text)
    sys.exit(1 if said.is_failure else 0)
