"""A full reading whose server fails in the middle: nothing is taken for gone that is there, and it goes on afterwards."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from headwater.pipeline.gravitino import rest
from headwater.pipeline.gravitino.rest import ApiOptions, GravitinoApi, GravitinoFailed
from headwater.pipeline.gravitino.sync import SyncReport, cutover_of, sync_metalake
from headwater.store.assets.sql_graph import SqlAssetGraph
from headwater.store.read.reader import Reader
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from tests.pipeline.gravitino.gravitino_server import GravitinoServer, generated

HTML = b"<html>this is a proxy</html>"
UNITS = [{"code": f"u{number}"} for number in range(45)]


@pytest.fixture
def server() -> Iterator[GravitinoServer]:
    with GravitinoServer(generated(tables=8, columns=3)) as found:
        found.terms["hive", "sales", "units"] = ("units", UNITS)
        yield found


def sync(store: SqlStore, server: GravitinoServer, renew: Any = None, **options: Any) -> SyncReport:
    api = GravitinoApi(ApiOptions(server.url, "lake", rate=0, **options), renew)
    report = sync_metalake(store, str(store.engine.url), DEFAULT_TENANT, "lake", api, lambda *_: None)
    store.projection.drain(1)
    return report


def counts(store: SqlStore) -> dict[str, int]:
    return SqlAssetGraph(store.engine).counts(1)


@pytest.mark.parametrize(
    ("end", "status", "body"),
    [
        ("hive/schemas/sales/tables", 404, HTML),
        ("hive/schemas/sales/tables/t1", 404, HTML),
        ("hive/schemas/sales/tables/t1", 200, b'{"code": 0}'),
        ("hive/schemas/sales", 200, b'{"code": 0}'),
        ("hive/schemas", 200, b'{"code": 0, "identifiers": null}'),
        ("units?offset=20&limit=100", 404, b'{"code": 1003, "type": "NoSuchSchemaException"}'),
        ("units?offset=20&limit=100", 200, b'{"code": 0, "units": [], "total": 45}'),
        ("catalogs?details=true", 200, b'{"code": 0, "identifiers": []}'),
        ("tags/pii/objects", 404, HTML),
    ],
)
def test_an_answer_in_the_middle_that_says_nothing(
    store: SqlStore, server: GravitinoServer, end: str, status: int, body: bytes
) -> None:
    """It is no reason to drop what is there; the next attempt reads all."""
    sync(store, server)
    before, cutover = counts(store), cutover_of(Reader(store.engine), 1, "lake")
    server.lake["tags"]["another"] = server.lake["tags"].pop("pii")  # so that the tag asked about is the last one
    server.lake["tags"]["pii"] = server.lake["tags"].pop("another")
    server.instead = lambda path: (status, body) if path.endswith(end) else None
    with pytest.raises(GravitinoFailed):
        sync(store, server)
    assert counts(store) == before
    assert cutover_of(Reader(store.engine), 1, "lake")[1] == cutover[1]
    server.instead = lambda _: None
    report = sync(store, server)
    assert (report.resumed, report.dropped) == (True, 0)
    assert counts(store) == before


@pytest.mark.alone
def test_a_server_that_does_not_answer_any_more(
    store: SqlStore, server: GravitinoServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Requests that wait beside it are given up, too."""
    monkeypatch.setattr(rest, "_TIMEOUT", 0.3)
    monkeypatch.setattr(rest, "_PATIENCE", 0.5)
    server.lake = generated(tables=400, columns=1)
    server.on_request = lambda path: time.sleep(0.8) if "/tables/" in path else None
    began = time.monotonic()
    with pytest.raises(GravitinoFailed, match="did not answer within"):
        sync(store, server)
    assert time.monotonic() - began < 30, "hundreds of tables, of which each would be waited for by itself"
    server.on_request = None
    assert sync(store, server).tables == 400


def test_what_was_read_is_not_read_again(store: SqlStore, server: GravitinoServer) -> None:
    server.lake = generated(tables=480, columns=2)
    stops = "/ice/schemas/ops/tables/t100"
    server.instead = lambda path: (400, b"{}") if path.endswith(stops) else None
    with pytest.raises(GravitinoFailed):
        sync(store, server)
    server.instead = lambda _: None
    server.requests.clear()
    report = sync(store, server)
    assert report.tables == counts(store)["Table"] == 480
    assert report.tables_read_before >= 420, "all but those behind the one that failed"
    assert sum("/tables/" in path for path in server.requests) == 480 - report.tables_read_before
    assert counts(store)["Column"] == 960


def test_a_list_that_changes_between_its_pages(store: SqlStore, server: GravitinoServer) -> None:
    """The 20th unit goes while the second page is read: the 21st would be missed."""

    def shorten(path: str) -> None:
        if path.endswith("units?offset=20&limit=100") and len(server.terms["hive", "sales", "units"][1]) == 45:
            server.terms["hive", "sales", "units"] = ("units", UNITS[:19] + UNITS[20:])

    server.on_request = shorten
    assert sync(store, server).terms == 44


def test_a_token_that_ends_in_the_middle(store: SqlStore, server: GravitinoServer) -> None:
    server.token = "first"
    given = {"token": "first"}

    def change(path: str) -> None:
        if path.endswith("/hive/schemas/sales/tables/t1"):
            server.token = given["token"] = "second"

    server.on_request = change
    assert sync(store, server, lambda: given["token"], token="first").tables == 8
    with pytest.raises(GravitinoFailed, match="refuses the credentials"):
        sync(store, server, lambda: "first", token="first")


def test_catalogs_that_hold_no_tables(store: SqlStore, server: GravitinoServer) -> None:
    """Their schemas are there all the same, and may have metrics."""
    server.types["ice"] = "FILESET"
    server.terms["ice", "ops", "metrics"] = ("metrics", [{"code": "GMV", "type": "ATOMIC", "currentVersion": None}])
    report = sync(store, server)
    assert (report.catalogs, report.schemas, report.tables) == (2, 4, 4)
    assert counts(store)["AtomicMetric"] == 1


def test_a_catalog_that_is_disabled(store: SqlStore, server: GravitinoServer) -> None:
    server.disabled.add("ice")
    report = sync(store, server)
    assert (report.catalogs, report.schemas, report.not_in_use) == (2, 2, ["ice"])
    assert counts(store)["Catalog"] == 2
