"""Refused lines of a split: the first from the task's report, the rest read again.

A task's record of a line takes more memory than most lines do, so it keeps some thousands only. Which of the other
lines are no events follows from the lines themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from headwater.errors import HeadwaterError
from headwater.openlineage.decode import decode_event
from headwater.openlineage.errors import RefusedEvent
from headwater.openlineage.policy.apply import under_policy
from headwater.openlineage.policy.withheld import kept_form
from headwater.pipeline.errors import UnreadableSource
from headwater.pipeline.sources.lines import read_lines
from headwater.pipeline.sources.splits import Split
from headwater.pipeline.tasks.fold import RefusedLine, refusal

__all__ = ["MOST", "RefusedLines", "all_refused"]

MOST = 10_000
"""Refused lines of a split that a task reports in full; of more it reports the number."""


class RefusedLines:
    """The refused lines of one task."""

    def __init__(self) -> None:
        self.count = 0
        self.reported: list[RefusedLine] = []
        self._of_lines = 0

    def add(self, line: int, error: HeadwaterError, body: bytes) -> None:
        """Always record a line that was refused for another reason than its content:

        reading it again would not show it.
        """
        self.count += 1
        if isinstance(error, RefusedEvent):
            self._of_lines += 1
            if self._of_lines > MOST:
                return
        self.reported.append(refusal(line, error, body))


def all_refused(
    split: Split, reported: Sequence[RefusedLine], count: int, policy: str | None = None
) -> Iterator[RefusedLine]:
    """Refused lines of a split in their order, from the task's records and their number.

    `policy` is the facet policy of the tenant, under which they are read again.
    """
    ordered = sorted(reported, key=lambda line: line.line)
    if len(ordered) == count:
        yield from ordered
        return
    found = 0
    for line in _read_again(split, ordered, policy):
        found += 1
        yield line
    if found < count:
        error = UnreadableSource(
            f"{count - found} more lines were refused, and could not be found again: {split.path} is another now.",
            hint="Import the file again.",
        )
        yield refusal(0, error, b"")


def _read_again(split: Split, reported: Sequence[RefusedLine], policy: str | None) -> Iterator[RefusedLine]:
    known = {line.line: line for line in reported}
    try:
        for number, body, _ in read_lines(split):
            line = known.pop(number + 1, None)
            if line is None and body and not body.isspace():
                try:
                    under_policy(decode_event(body), policy)
                except RefusedEvent as error:
                    line = refusal(number + 1, *kept_form(error, body, policy))
            if line is not None:
                yield line
    except UnreadableSource:
        pass  # where the damage begins is among what was said
    yield from known.values()
