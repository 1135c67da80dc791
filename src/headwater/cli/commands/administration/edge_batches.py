"""Sends edges of a file in batches, and collects the results."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from headwater.cli.commands.administration.edge_file import EdgeLine, WrongFile
from headwater.cli.options import ServerError

__all__ = ["Batches"]

_MOST_SHOWN = 20
"""Changes, and errors, that are printed one by one."""
_CHANGES = ("added", "changed", "removed", "hidden", "shown")
Send = Callable[[dict[str, list[dict[str, Any]]], bool], Any]
"""Sends edges by their operation; perhaps as a dry run."""


class Batches:
    """The batches of one file."""

    def __init__(self, file: Path, listed: Sequence[list[EdgeLine]], send: Send) -> None:
        self._file, self._listed, self._send = file, listed, send
        self._total = sum(map(len, listed))
        self.counts: Counter[str] = Counter()
        """Edges by result."""
        self.shown: list[dict[str, Any]] = []
        """The first changes."""
        self.made: set[str] = set()
        """Ends that did not exist."""

    @property
    def more(self) -> int:
        """Changes that are not among the first ones."""
        return sum(self.counts[word] for word in _CHANGES) - len(self.shown)

    def run(self, word: str, *, dry_run: bool, creates: bool) -> None:
        """Send all batches.

        A dry run continues after errors, to print all of them; otherwise the first error ends it.
        """
        self.counts.clear()
        self.shown.clear()
        self.made.clear()
        errors: list[str] = []
        wrong = missing = done = 0
        for batch in self._listed:
            try:
                answer = self._send(_of_batch(batch), dry_run)
            except ServerError as error:
                if not error.errors:
                    raise
                lines = _lines(batch)
                wrong += error.errors_total
                missing += sum(item.get("error") == "not_found" for item in error.errors)
                errors += [f"line {_line_of(item, lines)}: {item.get('message')}" for item in error.errors]
                if not dry_run:
                    break
            else:
                self._take(answer)
            done += len(batch)
            _tell(word, done, self._total)
        if wrong:
            before = f"the {done:,} edges before were changed" if done and not dry_run else "nothing was changed"
            told = errors[:_MOST_SHOWN]
            if wrong > len(told):
                told.append(f"... and {wrong - len(told):,} more")
            if missing and not creates:
                told.append("What does not exist is made with --create.")
            things = "thing is" if wrong == 1 else "things are"
            raise WrongFile(f"{self._file}: {wrong:,} {things} wrong; {before}.", hint="\n  ".join(told))

    def _take(self, answer: dict[str, Any]) -> None:
        self.counts.update(answer["counts"])
        self.made.update(answer["created"])
        room = _MOST_SHOWN - len(self.shown)
        if room:
            self.shown += [item for item in answer["edges"] if item["change"] in _CHANGES][:room]


def _of_batch(batch: list[EdgeLine]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for _, action, edge in batch:
        found.setdefault(action, []).append(edge)
    return found


def _lines(batch: list[EdgeLine]) -> dict[str, int]:
    """By place in the request, the line of the file."""
    counts: Counter[str] = Counter()
    found: dict[str, int] = {}
    for line, action, _ in batch:
        found[f"$.{action}[{counts[action]}]"] = line
        counts[action] += 1
    return found


def _line_of(problem: dict[str, Any], lines: dict[str, int]) -> str:
    """Where in the file something is wrong."""
    path = str(problem.get("path"))
    return str(lines.get(path) or lines.get(path.rpartition(".")[0]) or "?")


def _tell(word: str, done: int, total: int) -> None:
    """How far it is: a line that is written over, on a terminal."""
    if sys.stderr.isatty() and total > 1000:
        end = "\n" if done == total else ""
        sys.stderr.write(f"\r{word} {done:,} of {total:,} edges ({100 * done // total}%){end}")
        sys.stderr.flush()
