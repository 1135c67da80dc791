"""Roles that count as reading and as writing."""

from __future__ import annotations

from collections.abc import Iterable

from headwater.graph.facts import OutputType, Role, Sides

__all__ = ["is_written", "sides_of"]

_NOT_WRITING = int(OutputType.DROP | OutputType.ALTER | OutputType.TRUNCATE | OutputType.RENAME)
_SIDES = {
    (False, False): None,
    (True, False): Sides.READS,
    (False, True): Sides.WRITES,
    (True, True): Sides.READS | Sides.WRITES,
}
_INPUT, _OUTPUT = int(Role.INPUT), int(Role.OUTPUT)


def is_written(types: int) -> bool:
    """Whether an output of these types gets data: it does unless it is only dropped, altered, truncated or renamed.

    >>> is_written(0), is_written(OutputType.DROP), is_written(OutputType.DROP | OutputType.CREATE)
    (True, False, True)
    """
    return not types or bool(types & ~_NOT_WRITING)


def sides_of(parts: Iterable[tuple[int, int]]) -> Sides | None:
    """The flags of `Sides` of a shape, from the role and output types of each of its datasets; None for neither.

    >>> sides_of([(Role.INPUT, 0), (Role.OUTPUT, OutputType.DROP)])
    <Sides.READS: 1>
    """
    reads = writes = False
    for role, types in parts:
        if role == _INPUT:
            reads = True
        elif role == _OUTPUT and is_written(types):
            writes = True
    return _SIDES[reads, writes]
