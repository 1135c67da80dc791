"""Results of a provider: vectors of texts, or summaries of statements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from headwater.models.providers.outline import Summary

__all__ = ["Embedded", "Embedder", "StatementToSummarize", "Summarised", "Summarizer"]


class StatementToSummarize(Struct, frozen=True):
    """A statement that is to be summarised."""

    text: str
    """As the model is given it: without literals and cut, where it leaves this machine."""
    dialect: str


class Embedded(Struct, frozen=True):
    vectors: list[bytes | None]
    """In the order of the texts; None for one that the answer has nothing for."""
    tokens: int


class Summarised(Struct, frozen=True):
    summaries: list[Summary | None]
    tokens: int


class Embedder(Protocol):
    def embed(self, texts: Sequence[str]) -> Embedded:
        """Vectors of these texts, of the dimension that is configured."""


class Summarizer(Protocol):
    def summarize(self, statements: Sequence[StatementToSummarize]) -> Summarised:
        """Summaries of these statements."""
