from __future__ import annotations

from headwater.store.cache.tenant_cache import TenantCache


def test_tenants_do_not_share_what_is_remembered() -> None:
    memory: TenantCache[bytes, str] = TenantCache(100)
    memory.put(1, b"a", "of one", weight=1)
    memory.put(2, b"a", "of another", weight=1)
    assert memory.known(1, [b"a", b"b"]) == {b"a": "of one"}
    assert memory.known(2, [b"a"]) == {b"a": "of another"}
    assert memory.known(3, [b"a"]) == {}


def test_what_is_asked_for_stays_and_the_rest_is_forgotten() -> None:
    memory: TenantCache[int, int] = TenantCache(20)
    for number in range(100):
        memory.put(1, number, number, weight=1)
        assert memory.known(1, [0, number]) == {0: 0, number: number}
    assert len(memory.known(1, range(100))) <= 22
