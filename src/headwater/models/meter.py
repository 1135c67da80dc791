"""Calls of models, each taken out of the tenant's budget of the day before it is made."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from headwater.models.configuration import ModelConfiguration
from headwater.models.errors import BudgetSpent
from headwater.store.models.configurations import Kind
from headwater.store.models.usage import UsageBook

__all__ = ["DAY_SECONDS", "ModelMeter", "estimated_tokens"]

DAY_SECONDS = 86_400
_T = TypeVar("_T")


def estimated_tokens(characters: int, texts: int) -> int:
    """About how many tokens texts have: one for four characters, and a few for each text."""
    return characters // 4 + 4 * texts


class ModelMeter:
    def __init__(self, book: UsageBook, clock: Callable[[], float] = time.time) -> None:
        self._book, self._clock = book, clock

    def call(
        self,
        tenant: int,
        kind: Kind,
        configuration: ModelConfiguration,
        *,
        texts: int,
        characters: int,
        ask: Callable[[], tuple[_T, int]],
    ) -> _T:
        """Make a call that gives its answer and the tokens that it took. Raises `BudgetSpent` before it is made."""
        day = int(self._clock() // DAY_SECONDS)
        estimate = estimated_tokens(characters, texts)
        is_left = self._book.reserve(
            tenant,
            kind,
            day,
            texts=texts,
            tokens=estimate,
            most_calls=configuration.daily_calls,
            most_tokens=configuration.daily_tokens,
        )
        if not is_left:
            raise BudgetSpent(
                f"The budget of today for the {kind.lower()} model is spent: {configuration.daily_tokens or 'any'} "
                f"tokens, {configuration.daily_calls or 'any'} calls.",
                hint="It goes on after midnight (UTC), or with a larger daily_tokens or daily_calls.",
            )
        try:
            answer, tokens = ask()
        except BaseException:
            # Nobody knows what a failed call cost; the estimate stays counted, so that failures end, too.
            self._book.settle(tenant, kind, day, tokens=0, price=_price(estimate, configuration), failures=1)
            raise
        self._book.settle(tenant, kind, day, tokens=tokens - estimate, price=_price(tokens, configuration))
        return answer


def _price(tokens: int, configuration: ModelConfiguration) -> int:
    """In millionths: a million tokens cost `price`."""
    return round(tokens * configuration.price)
