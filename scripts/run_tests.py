"""Runs all tests, or those that the arguments name, in two parts.

    python scripts/run_tests.py
    python scripts/run_tests.py tests/interpret -k spark

First come those that may run side by side, on two cores. Then those marked `alone`, which measure time, one after the
other with nothing beside them. Arguments are pytest's. The last line counts the tests of both parts; the result is that
of the first part that failed, or 5 if there was nothing to run.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

PASSED, FAILED, INTERRUPTED, NOTHING = 0, 1, 2, 5
"""What pytest ends with."""
_ENDS_EARLY = ("-x", "--exitfirst", "--maxfail")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("-m", dest="marks", default="")
    given, rest = parser.parse_known_args(arguments)
    began, results, counts = time.monotonic(), [], Counter[str]()
    beside = ["-n", "2", "--dist", "loadgroup", *rest]
    for mark, words in (("not alone", beside), ("alone", [*rest, "-n", "0", "--dist", "no"])):
        marks = f"({given.marks}) and {mark}" if given.marks else mark
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.xml"
            command = [sys.executable, "-m", "pytest", *words, "-m", marks, f"--junitxml={report}"]
            results.append(subprocess.run(command, check=False).returncode)
            if report.exists():
                counts += counted(report)
        is_over = results[-1] not in (PASSED, FAILED, NOTHING)
        if is_over or (results[-1] == FAILED and any(word.startswith(_ENDS_EARLY) for word in rest)):
            break
    print(summary(counts, time.monotonic() - began), flush=True)
    return next((result for result in results if result not in (PASSED, NOTHING)), min(results))


def counted(report: Path) -> Counter[str]:
    """How many tests passed, failed and so on, of a report of pytest's."""
    found: Counter[str] = Counter()
    for suite in ET.parse(report).getroot().iter("testsuite"):
        number = {name: int(suite.get(name, "0")) for name in ("tests", "failures", "errors", "skipped")}
        found["failed"] += number["failures"]
        found["passed"] += number["tests"] - number["failures"] - number["errors"] - number["skipped"]
        found["skipped"] += number["skipped"]
        found["errors"] += number["errors"]
    return found


def summary(counts: Counter[str], seconds: float) -> str:
    """As pytest's own last line.

    >>> summary(Counter(passed=9, skipped=1), 75.04)
    '9 passed, 1 skipped in 75.04s (0:01:15)'
    """
    parts = [f"{counts[name]} {name}" for name in ("failed", "passed", "skipped", "errors") if counts[name]]
    minutes, rest = divmod(round(seconds), 60)
    return f"{', '.join(parts) or 'no tests ran'} in {seconds:.2f}s ({minutes // 60}:{minutes % 60:02}:{rest:02})"


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
