"""Summaries on this machine, made of the analysis of a statement."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.models.providers.outline import outline
from headwater.models.providers.provider import StatementToSummarize, Summarised

__all__ = ["OutlineSummarizer"]


class OutlineSummarizer:
    def summarize(self, statements: Sequence[StatementToSummarize]) -> Summarised:
        return Summarised([outline(statement.text, statement.dialect) for statement in statements], 0)
