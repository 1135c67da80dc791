"""Waits for an unavailable database, then repeats the failed part."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TypeVar

import sqlalchemy as sa
from msgspec import Struct

from headwater.pipeline.spark.failure_cause import cause_of, is_store_outage
from headwater.store.dialects.failures import StoreUnavailable
from headwater.store.engine import make_engine

__all__ = ["SAFE", "Patience", "outlast"]

_log = logging.getLogger(__name__)
_T = TypeVar("_T")
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 15.0
_HEALTHY = 60.0
"""A part that ran so long before it failed meets another outage than the one before."""
SAFE = "It is safe to run it again: what is done stays done, and nothing is counted or written twice."


class Patience(Struct, frozen=True):
    """How long to wait for the database in total, and a callback that reports the wait."""

    seconds: float = 0.0
    tell: Callable[[str], None] = lambda _: None


def outlast(url: str, work: Callable[[int], _T], patience: Patience) -> _T:
    """Do work that may be done again, given the number of the attempt, until the database stays long enough for it.

    Raises `StoreUnavailable` when it is away for longer than the patience lasts.
    """
    attempt, deadline, pause = 0, 0.0, _FIRST_PAUSE
    while True:
        began = time.monotonic()
        try:
            return work(attempt)
        except Exception as error:
            if not is_store_outage(error):
                raise
            cause, now = cause_of(error), time.monotonic()
            if attempt == 0 or now - began > _HEALTHY:
                deadline, pause = now + patience.seconds, _FIRST_PAUSE
                patience.tell(f"the database does not answer ({cause}); trying again for {patience.seconds:.0f} s")
            _log.info("waiting for the database", extra={"cause": cause, "attempt": attempt})
            while True:
                if time.monotonic() + pause > deadline:
                    raise StoreUnavailable(
                        f"The database did not answer for {patience.seconds:.0f} seconds: {cause}", hint=SAFE
                    ) from None
                time.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)
                if _answers(url):
                    break
        attempt += 1


def _answers(url: str) -> bool:
    engine = make_engine(url)
    try:
        with engine.connect() as connection:
            connection.execute(sa.text("SELECT 1"))
    except sa.exc.SQLAlchemyError:
        return False
    else:
        return True
    finally:
        engine.dispose()
