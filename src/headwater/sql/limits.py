"""Limits of one analysis: statements, tokens, depth, time."""

import time
from dataclasses import dataclass

__all__ = ["Budget", "Limits", "OverLimit"]


@dataclass(frozen=True, slots=True)
class Limits:
    """The defaults leave room for generated queries of thousands of lines."""

    script_characters: int = 2_000_000
    statement_tokens: int = 60_000
    statement_nodes: int = 400_000
    statement_steps: int = 2_000_000
    depth: int = 120
    columns: int = 20_000
    seconds: float = 20.0


class OverLimit(Exception):
    """A limit was reached; `limit` is its field in `Limits`."""

    def __init__(self, limit: str) -> None:
        super().__init__(limit)
        self.limit = limit


class Budget:
    """Counts steps of one statement; the only place of the package that looks at a clock."""

    __slots__ = ("deadline", "limits", "nodes", "steps")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.steps = 0
        self.nodes = 0
        self.deadline = time.monotonic() + limits.seconds

    def start_statement(self) -> None:
        self.steps = 0
        self.check_time()

    def spend(self, steps: int = 1) -> None:
        before = self.steps
        self.steps = before + steps
        if self.steps > self.limits.statement_steps:
            raise OverLimit("statement_steps")
        if before >> 10 != self.steps >> 10:
            self.check_time()

    def check_nodes(self) -> None:
        """Called by the parser every 64 nodes; some cost it milliseconds each."""
        self.check_time()
        if self.nodes > self.limits.statement_nodes:
            raise OverLimit("statement_nodes")

    def check_time(self) -> None:
        if time.monotonic() > self.deadline:
            raise OverLimit("seconds")
