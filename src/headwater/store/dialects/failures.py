"""Meaning of a database's errors: outage, conflict, or defect."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable
from typing import TypeVar

import sqlalchemy as sa

from headwater.errors import HeadwaterError

__all__ = ["StoreUnavailable", "TooLargeForStore", "is_conflict", "is_lost", "is_outage", "reason_of", "retried"]

_log = logging.getLogger(__name__)
_T = TypeVar("_T")

_MYSQL_CONFLICTS = {1020, 1205, 1213}
"""Changed since it was read, waited too long for a lock, deadlock."""
_POSTGRESQL_CONFLICTS = {"40001", "40P01", "55P03"}
"""Serialization failure, deadlock, lock not available."""
_CONFLICT_RETRIES = 20
_LOST_RETRIES = 2


class StoreUnavailable(HeadwaterError):
    code = "store_unavailable"


class TooLargeForStore(HeadwaterError):
    """The database is set up to refuse a statement of this size."""

    code = "too_large_for_store"


def is_conflict(error: BaseException) -> bool:
    """Two transactions were in each other's way; the database undid this one, and it may be tried again at once."""
    if not isinstance(error, sa.exc.DBAPIError) or error.orig is None:
        return False
    if getattr(error.orig, "sqlstate", None) in _POSTGRESQL_CONFLICTS:
        return True
    arguments = error.orig.args
    return bool(arguments) and arguments[0] in _MYSQL_CONFLICTS


def is_lost(error: BaseException) -> bool:
    """The connection broke."""
    return isinstance(error, sa.exc.DBAPIError) and error.connection_invalidated


def is_outage(error: BaseException) -> bool:
    """The database is away, full or overloaded; the statement itself is fine."""
    return isinstance(error, (sa.exc.OperationalError, sa.exc.TimeoutError)) or is_lost(error)


def reason_of(error: BaseException) -> str:
    """Message of the driver, in one line and without the statement."""
    cause = error.orig if isinstance(error, sa.exc.DBAPIError) and error.orig is not None else error
    arguments = cause.args
    reason = arguments[1] if len(arguments) > 1 and isinstance(arguments[0], int) else cause
    lines = str(reason).strip().splitlines()
    return lines[0] if lines else type(cause).__name__


def retried(work: Callable[[], _T], on_lost: Callable[[], None] = lambda: None) -> _T:
    """Run a whole transaction, again after a conflict or a broken connection.

    Only for transactions that may run twice: after a broken connection nobody knows whether the commit succeeded.
    """
    conflicts = lost = 0
    while True:
        try:
            return work()
        except sa.exc.DBAPIError as error:
            if is_conflict(error) and conflicts < _CONFLICT_RETRIES:
                conflicts += 1
                _log.debug("writing again after a conflict", extra={"reason": reason_of(error), "attempt": conflicts})
                time.sleep(random.uniform(0, 0.005 * min(conflicts, 10)))  # noqa: S311
            elif is_lost(error) and lost < _LOST_RETRIES:
                lost += 1
                on_lost()
                _log.warning("the connection to the database was lost", extra={"reason": reason_of(error)})
            else:
                raise
