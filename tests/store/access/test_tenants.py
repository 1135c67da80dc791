"""Tenants are made once each, also by several at a time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from headwater.store.access.assertions import Assertions
from headwater.store.access.tenants import TenantExists, Tenants
from headwater.store.scope import EVERY_TENANT
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore


def test_made_at_once(store: SqlStore) -> None:
    def make(number: int) -> int:
        return Tenants(store.engine).create(f"t{number}", f"Ténant {number}").id

    with ThreadPoolExecutor(4) as pool:
        ids = list(pool.map(make, range(12)))
    assert sorted(ids) == list(range(2, 14))


def test_once_each(store: SqlStore) -> None:
    tenants = Tenants(store.engine)
    made = tenants.create("a", "A", 7)
    assert tenants.list(EVERY_TENANT) == [DEFAULT_TENANT, made]
    assert tenants.get(EVERY_TENANT, "A") is None  # codes are compared letter by letter
    for code, number in (("a", None), ("a", 8), ("b", 7)):
        with pytest.raises(TenantExists):
            tenants.create(code, "again", number)
    assert tenants.create("b", "B").id == 8


def test_an_assertion_is_used_once(store: SqlStore) -> None:
    """Whichever process it is shown to; after it expired its id is forgotten."""
    one, other = Assertions(store.engine), Assertions(store.engine)
    assert one.use("gateway\nid", 100, 50)
    assert not other.use("gateway\nid", 100, 50)
    assert not one.use("gateway\nid", 100, 50)
    assert one.use("gateway\nID", 100, 50)
    assert Assertions(store.engine).use("gateway\nid", 900, 800)
