"""Runs parts of a job in order; reads the next while the previous is written.

Reading keeps every core busy, writing does not: a store takes one writer of a table at a time, SQLite one in all.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from headwater.pipeline.spark.session import is_remote, set_partitions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["in_order", "overlapped"]

_AT_ONCE = 2
_P = TypeVar("_P")
_R = TypeVar("_R")


def in_order(spark: SparkSession) -> SparkSession:
    """A session whose queries are one job of Spark's each, so that an older one goes first in all its stages.

    Adaptive execution makes a job of every stage, and the writing of one part would wait for the reading of the next.
    It has nothing to offer here: there are no joins, and the parts of a shuffle are as many as tasks run at once.
    """
    session = spark if is_remote(spark) else spark.newSession()  # a remote one is nobody else's, and has the package
    session.conf.set("spark.sql.adaptive.enabled", "false")
    set_partitions(session)  # nobody joins small parts of a shuffle then
    return session


def overlapped(work: Callable[[_P], _R], parts: Sequence[_P]) -> Generator[tuple[_P, _R], None, None]:
    """Each part with its result, in order. Close it: parts that have not begun by then never will.

    >>> list(overlapped(len, ["one", "three"]))
    [('one', 3), ('three', 5)]
    """
    pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="headwater-part")
    try:
        begun = [pool.submit(work, part) for part in parts]
        for part, future in zip(parts, begun, strict=True):
            yield part, future.result()
    finally:
        pool.shutdown(cancel_futures=True)
