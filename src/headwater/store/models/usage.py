"""Costs of models by tenant and day, and the budget from which a call is deducted before it is made."""

from __future__ import annotations

from functools import partial

import sqlalchemy as sa
from msgspec import Struct

from headwater.store.dialects.failures import retried
from headwater.store.engine import WRITING
from headwater.store.models.configurations import Kind
from headwater.store.models.tables import model_usage
from headwater.store.write.upsert import insert_statement

__all__ = ["Usage", "UsageBook"]

_usage = model_usage


class Usage(Struct, frozen=True):
    """Use of a kind of model on a day (days since 1970, UTC); `price` in millionths."""

    day: int
    kind: Kind
    calls: int
    failures: int
    texts: int
    tokens: int
    price: int


class UsageBook:
    """Counts use. Of two processes that want the rest of a budget one gets it."""

    def __init__(self, reading: sa.Engine, writing: sa.Engine) -> None:
        self._reading, self._writing = reading, writing

    def read(self, tenant: int, since_day: int) -> list[Usage]:
        columns = (_usage.c.day, _usage.c.kind, _usage.c.calls, _usage.c.failures, _usage.c.texts)
        query = sa.select(*columns, _usage.c.tokens, _usage.c.price).where(
            _usage.c.tenant == tenant, _usage.c.day >= since_day
        )
        with self._reading.connect() as connection:
            return [Usage(*row) for row in connection.execute(query.order_by(_usage.c.day.desc(), _usage.c.kind))]

    def reserve(
        self, tenant: int, kind: Kind, day: int, *, texts: int, tokens: int, most_calls: int, most_tokens: int
    ) -> bool:
        """Take one call with an estimate of its tokens out of the day's budget, if there is so much (0: any number)."""
        return retried(partial(self._reserve, tenant, kind, day, texts, tokens, most_calls, most_tokens))

    def _reserve(
        self, tenant: int, kind: Kind, day: int, texts: int, tokens: int, most_calls: int, most_tokens: int
    ) -> bool:
        row = (_usage.c.tenant == tenant, _usage.c.day == day, _usage.c.kind == kind)
        change = _usage.update().where(*row)
        if most_calls:
            change = change.where(_usage.c.calls < most_calls)
        if most_tokens:
            change = change.where(_usage.c.tokens + tokens <= most_tokens)
        change = change.values(calls=_usage.c.calls + 1, texts=_usage.c.texts + texts, tokens=_usage.c.tokens + tokens)
        with self._writing.connect().execution_options(**WRITING) as connection, connection.begin():
            insert_statement(_usage, connection.dialect).run(connection, [(tenant, day, kind, 0, 0, 0, 0, 0)])
            return connection.execute(change).rowcount == 1

    def settle(
        self, tenant: int, kind: Kind, day: int, *, tokens: int, price: int, failures: int = 0, texts: int = 0
    ) -> None:
        """After a call: add the difference from the estimate, the price, and whether it failed."""
        change = (
            _usage.update()
            .where(_usage.c.tenant == tenant, _usage.c.day == day, _usage.c.kind == kind)
            .values(
                tokens=_usage.c.tokens + tokens,
                price=_usage.c.price + price,
                failures=_usage.c.failures + failures,
                texts=_usage.c.texts + texts,
            )
        )

        def write() -> None:
            with self._writing.connect().execution_options(**WRITING) as connection, connection.begin():
                connection.execute(change)

        retried(write)
