"""Bounded cache by tenant and id, for rows that never change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable
from typing import Generic, TypeVar

__all__ = ["TenantCache"]

_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")


class TenantCache(Generic[_K, _V]):
    """A bounded map with batch lookup; drops entries not used since the last turn of generations.

    Two generations, as in `headwater.bounded_cache`; the bound is on all tenants together.

    >>> memory: TenantCache[str, int] = TenantCache(10)
    >>> memory.put(1, "a", 7, weight=1)
    >>> memory.known(1, ["a", "b"]), memory.known(2, ["a"])
    ({'a': 7}, {})
    """

    def __init__(self, weight_limit: int) -> None:
        self._limit = weight_limit // 2
        self._weight = 0
        self._young: dict[int, dict[_K, _V]] = defaultdict(dict)
        self._old: dict[int, dict[_K, _V]] = {}

    @property
    def is_nearly_full(self) -> bool:
        """Whether the next entries would soon push out the first ones."""
        return self._weight > self._limit * 0.8

    def known(self, tenant: int, keys: Collection[_K]) -> dict[_K, _V]:
        """Those of these things that are remembered."""
        young, old = self._young[tenant], self._old.get(tenant)
        found = {key: young[key] for key in keys if key in young}
        if old and len(found) < len(keys):
            for key in keys:
                value = old.pop(key, None) if key not in found else None
                if value is not None:
                    found[key] = young[key] = value
        return found

    def put(self, tenant: int, key: _K, value: _V, weight: int) -> None:
        if self._weight + weight > self._limit:
            self._old, self._young, self._weight = self._young, defaultdict(dict), 0
        self._young[tenant][key] = value
        self._weight += weight

    def forget(self, tenant: int) -> None:
        """Drop a tenant's entries."""
        self._young.pop(tenant, None)
        self._old.pop(tenant, None)

    def forget_all(self) -> None:
        self._young, self._old, self._weight = defaultdict(dict), {}, 0
