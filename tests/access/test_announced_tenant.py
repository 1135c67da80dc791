"""Tenants that a trusted source names are created where that is wanted, and nowhere else."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from headwater.access.announced_tenant import AnnouncedTenants
from headwater.access.directory import Directory
from headwater.access.errors import TenantRefused, UnknownTenant
from headwater.access.identity import ANY, GRAVITINO, Identity, Role
from headwater.ingest.admission import Admission
from headwater.ingest.group_commit import GroupCommit
from headwater.store.access.keys import Keys
from headwater.store.access.tenants import Tenants
from headwater.store.scope import EVERY_TENANT
from headwater.store.sql_store import SqlStore
from tests.access.gravitino import gravitino_event

SERVICE = Identity(source=GRAVITINO, roles=frozenset((Role.WRITER,)))


def take(store: SqlStore, *events: tuple[Identity, bytes], create: bool = True) -> None:
    """Events one after the other, as a server takes them."""

    async def work() -> None:
        writer, tenants = GroupCommit(store), Tenants(store.engine)
        directory = Directory(tenants, Keys(store.engine))
        await directory.refresh()
        announcer = AnnouncedTenants(directory, tenants) if create else None
        admission = Admission(writer, lambda: directory.tenant_index, announcer=announcer)
        writer.start()
        try:
            for sender, body in events:
                await (await admission.admit(sender, body))
        finally:
            await writer.stop()

    asyncio.run(work())


def facet(name: str | None = "T7", code: Any = "t7", tenant: Any = 7) -> dict[str, Any]:
    return {"tenantId": tenant, "tenantCode": code, "tenantName": name}


def known(store: SqlStore) -> dict[int, tuple[str, str]]:
    return {item.id: (item.code, item.name) for item in Tenants(store.engine).list(EVERY_TENANT) if item.id != 1}


def test_it_is_created_and_takes_a_new_name(store: SqlStore) -> None:
    take(store, (SERVICE, gravitino_event(facet=facet(), name="a")))
    assert known(store) == {7: ("t7", "T7")}
    take(store, (SERVICE, gravitino_event(facet=facet("Seven"), name="b")), (SERVICE, gravitino_event(7, name="c")))
    assert known(store) == {7: ("t7", "Seven")}


def test_an_older_word_does_not_change_a_newer_name(store: SqlStore) -> None:
    older = gravitino_event(facet=facet("Old"), name="b").replace(b"2026-03-01", b"2026-02-01")
    take(store, (SERVICE, gravitino_event(facet=facet("New"), name="a")), (SERVICE, older))
    assert known(store) == {7: ("t7", "New")}


@pytest.mark.parametrize(
    ("sender", "body"),
    [
        (SERVICE, gravitino_event(7)),  # an id alone
        (SERVICE, gravitino_event(7, facet=facet(code="no spaces allowed"))),
        (SERVICE, gravitino_event(7, facet=facet(tenant=-7))),
        (SERVICE, gravitino_event(7, facet=facet(tenant=True))),
        (SERVICE, gravitino_event(7, facet=facet(code="default"))),  # that of another tenant
        (Identity(source="SPARK", roles=frozenset((Role.WRITER,))), gravitino_event(7, facet=facet())),
        (
            Identity(source=ANY, roles=frozenset((Role.WRITER,))),
            gravitino_event(7, facet=facet(), producer="x").replace(b"gravitino.create_table", b"load"),
        ),
    ],
)
def test_it_is_not_created(store: SqlStore, sender: Identity, body: bytes) -> None:
    with pytest.raises(TenantRefused):
        take(store, (sender, body))
    assert known(store) == {}


def test_it_is_not_created_where_tenants_are_managed_by_hand(store: SqlStore) -> None:
    with pytest.raises(UnknownTenant):
        take(store, (SERVICE, gravitino_event(facet=facet())), create=False)
    assert known(store) == {}


def test_whose_key_is_for_a_tenant_creates_no_other(store: SqlStore) -> None:
    own = Tenants(store.engine).create("own", "Own", 3)
    with pytest.raises(TenantRefused):
        take(store, (Identity(source=GRAVITINO, roles=SERVICE.roles, tenant=own), gravitino_event(facet=facet())))
    assert known(store) == {3: ("own", "Own")}
