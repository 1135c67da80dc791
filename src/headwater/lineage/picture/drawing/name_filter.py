"""Names that are hidden on request: temporary ones, those that tools make, and those that match a pattern. Pure."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable
from functools import lru_cache

__all__ = ["is_noise", "matcher"]

_LOOKED_AT = 2_000
"""Characters of a name."""
_TEMPORARY = re.compile(
    r"(?:^|[._/\-])_*(?:tmp|temp|temporary|global_temp|scratch)(?:$|[._/\-]|\d)|__dbt_(?:tmp|backup)|[._](?:tmp|temp)$"
)
_TOOL = re.compile(
    r"\.spark-?staging|_spark_metadata|_temporary(?:/|$)|_delta_log|\.hive-staging|__(?:magic|checkpoint)|_checkpoints?(?:/|$)"
    r"|(?:^|[./])(?:changelog|metadata|repartition)-topic$|-(?:changelog|repartition)$|(?:^|[._/])information_schema\."
)


def matcher(patterns: Iterable[str]) -> Callable[[str, str], bool]:
    """Whether (namespace, name) matches one of these: `temporary`, `tool`, or a pattern with `*` and `?`.

    >>> hides = matcher(["temporary", "stage.*"])
    >>> hides("postgres://db", "shop.tmp_orders"), hides("postgres://db", "STAGE.orders"), hides("s3://x", "orders")
    (True, True, False)
    """
    tests = [_test(pattern) for pattern in patterns]

    def hides(namespace: str, name: str) -> bool:
        name, whole = name[:_LOOKED_AT].lower(), f"{namespace}:{name}"[:_LOOKED_AT].lower()
        return any(test(name) or test(whole) for test in tests)

    return hides


def is_noise(kind: str, name: str) -> bool:
    return (_TEMPORARY if kind == "temporary" else _TOOL).search(name) is not None


@lru_cache(maxsize=256)
def _test(pattern: str) -> Callable[[str], bool]:
    if pattern in ("temporary", "tool"):
        return lambda name: is_noise(pattern, name)
    found = re.compile(fnmatch.translate(pattern[:_LOOKED_AT].lower()))
    return lambda name: found.match(name) is not None
