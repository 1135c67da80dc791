"""A full reading of a metalake over HTTP is the baseline of a tenant's assets, and live events count around it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from headwater.openlineage.times import format_time
from headwater.pipeline.gravitino.rest import ApiOptions, GravitinoApi, GravitinoFailed
from headwater.pipeline.gravitino.sync import cutover_of, sync_metalake
from headwater.pipeline.gravitino.tables import on_spark
from headwater.store.assets.compare import compare_with_facts
from headwater.store.assets.sql_graph import SqlAssetGraph
from headwater.store.read.reader import Reader
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from tests.conftest import entry_of
from tests.pipeline.gravitino.gravitino_server import GravitinoServer, generated

T0 = "gravitino://lake/hive:sales.t0"


@pytest.fixture
def small() -> Iterator[GravitinoServer]:
    with GravitinoServer(generated(tables=8, columns=3)) as server:
        yield server


def sync(store: SqlStore, server: GravitinoServer, **options: Any) -> Any:
    api = GravitinoApi(ApiOptions(server.url, "lake", token=server.token, rate=0))
    report = sync_metalake(store, str(store.engine.url), DEFAULT_TENANT, "lake", api, lambda *_: None, **options)
    store.projection.drain(1)
    return report


def live(operation: str, name: str, at: int, facets: dict[str, Any] | None = None) -> bytes:
    return json.dumps(
        {
            "eventTime": format_time(at),
            "eventType": "COMPLETE",
            "producer": "https://github.com/apache/gravitino/openlineage-listener",
            "run": {"runId": "00000000-0000-4000-8000-000000000000"},
            "job": {"namespace": "gravitino://tenant/1", "name": f"gravitino.{operation}"},
            "inputs": [],
            "outputs": [{"namespace": "gravitino://tenant/1/lake/hive", "name": name, "facets": facets or {}}],
        }
    ).encode()


def columns(*names: str) -> dict[str, Any]:
    return {"schema": {"fields": [{"name": name, "type": "int"} for name in names]}}


def take(store: SqlStore, *bodies: bytes) -> None:
    store.write([entry_of(body) for body in bodies])
    store.projection.drain(1)


def ids(store: SqlStore, label: str) -> set[str]:
    return {node.id for node in SqlAssetGraph(store.engine).all_nodes(1) if node.label == label}


def test_two_hundred_tables(store: SqlStore) -> None:
    with GravitinoServer(generated(), token="secret") as server:
        server.fail = [500, 429]
        report = sync(store, server)
    assert (report.catalogs, report.schemas, report.tables, report.columns) == (2, 4, 200, 5000)
    graph = SqlAssetGraph(store.engine)
    assert graph.counts(1) == {"Catalog": 2, "Schema": 4, "Table": 200, "Column": 5000, "Tag": 2}
    (catalog, table, column) = sorted(
        graph.get(1, ["gravitino://lake/hive", T0, f"{T0}#c0"]), key=lambda node: len(node.id)
    )
    assert catalog.properties["provider"] == "hive"
    assert catalog.properties["catalogType"] == "relational"
    assert (table.properties["description"], table.properties["creator"]) == ("table t0", "ann")
    assert (column.properties["dataType"], column.properties["nullable"]) == ("decimal(10,2)", False)
    tagged = graph.edges(1, ["tag:gravitino://lake:pii"], incoming=True, kinds=["HAS_TAG"])
    assert {edge.source for edge in tagged} == {f"{T0}#c1", "gravitino://lake/hive:sales.t1"}
    assert compare_with_facts(store.engine, 1, graph).is_none


def test_a_tenant_without_a_reading_is_not_held_back(store: SqlStore) -> None:
    take(store, live("create_table", "sales.t0", 1_000_000, columns("a")))
    assert ids(store, "Column") == {f"{T0}#a"}


def test_live_events_around_a_reading(store: SqlStore, small: GravitinoServer) -> None:
    take(store, live("create_table", "sales.before", 1_000_000, columns("a")))
    seen: list[set[str]] = []

    def meanwhile(path: str) -> None:
        if path.endswith("/hive/schemas/sales/tables/t0") and not seen:
            started, ready = cutover_of(Reader(store.engine), 1, "lake")
            assert started is not None
            assert ready is None
            take(
                store,
                live("create_table", "sales.during", started + 5_000_000, columns("b")),
                live("drop_table", "sales.t1", started + 6_000_000),
                live("create_table", "sales.old", started - 5_000_000, columns("c")),
            )
            seen.append(ids(store, "Table"))

    small.on_request = meanwhile
    report = sync(store, small)
    assert seen == [{"gravitino://lake/hive:sales.before"}], "until it is ready nothing changes"
    tables = ids(store, "Table")
    assert "gravitino://lake/hive:sales.during" in tables, "after the cut-over"
    assert "gravitino://lake/hive:sales.t1" not in tables, "dropped after the cut-over"
    assert "gravitino://lake/hive:sales.old" not in tables, "older than the cut-over"
    assert "gravitino://lake/hive:sales.before" not in tables, "not there any more"
    assert T0 in tables
    started, ready = cutover_of(Reader(store.engine), 1, "lake")
    assert started == ready
    take(store, live("create_table", "sales.late", ready - 1_000_000, columns("d")))
    assert "gravitino://lake/hive:sales.late" not in ids(store, "Table")
    take(store, live("create_table", "sales.new", ready + 9_000_000, columns("d")))
    assert "gravitino://lake/hive:sales.new" in ids(store, "Table")
    assert report.dropped == 1
    assert compare_with_facts(store.engine, 1, SqlAssetGraph(store.engine)).is_none


def test_one_that_was_cut_off_goes_on(store: SqlStore, small: GravitinoServer) -> None:
    small.fail = []
    cut = {"on": True}

    def fail(path: str) -> None:
        if path.endswith("/hive/schemas/sales/tables/t1") and cut["on"]:
            small.fail = [400]

    small.on_request = fail
    with pytest.raises(GravitinoFailed):
        sync(store, small)
    assert ids(store, "Table") == set()
    first, _ = cutover_of(Reader(store.engine), 1, "lake")
    cut["on"], small.fail = False, []
    report = sync(store, small)
    assert report.resumed
    assert cutover_of(Reader(store.engine), 1, "lake") == (first, first)
    assert len(ids(store, "Table")) == 8
    again = sync(store, small)
    assert not again.resumed
    assert len(ids(store, "Table")) == 8


def test_what_disappeared_is_dropped(store: SqlStore, small: GravitinoServer) -> None:
    sync(store, small)
    del small.lake["catalogs"]["ice"]
    del small.lake["catalogs"]["hive"]["sales"]["t0"]
    small.lake["tags"] = {}
    report = sync(store, small)
    assert report.dropped == 1 + 2 + 4 + 1
    assert ids(store, "Catalog") == {"gravitino://lake/hive"}
    assert T0 not in ids(store, "Table")
    assert ids(store, "Tag") == set()


def test_wrong_credentials(store: SqlStore) -> None:
    with GravitinoServer(generated(4, 1), token="secret") as server:
        server_token, server.token = server.token, "other"
        api = GravitinoApi(ApiOptions(server.url, "lake", token=server_token, rate=0))
        with pytest.raises(GravitinoFailed, match="401") as caught:
            api.get("catalogs")
        assert "secret" not in str(caught.value.message)


def test_the_rate_is_kept(small: GravitinoServer) -> None:
    import time

    api = GravitinoApi(ApiOptions(small.url, "lake", rate=20))
    began = time.monotonic()
    for _ in range(6):
        api.get("catalogs")
    assert time.monotonic() - began >= 0.24


def test_on_spark(store: SqlStore, small: GravitinoServer, spark: SparkSession) -> None:
    """Tasks read the same as threads do, and what fails in one is told as it is."""
    options = ApiOptions(small.url, "lake", rate=0)
    told: list[tuple[str, int, int]] = []

    def read(**given: Any) -> Any:
        api = GravitinoApi(options)
        tables = on_spark(spark, lambda: options)
        return sync_metalake(
            store,
            str(store.engine.url),
            DEFAULT_TENANT,
            "lake",
            api,
            lambda *at: told.append(at),
            tables=tables,
            **given,
        )

    sync(store, small)
    wanted = {node.id: node.properties for node in SqlAssetGraph(store.engine).all_nodes(1)}
    report = read()
    store.projection.drain(1)
    assert (report.tables, report.columns, report.dropped) == (8, 24, 0)
    assert ("tables", 8, 8) in told
    found = {node.id: node.properties for node in SqlAssetGraph(store.engine).all_nodes(1)}
    passing = ("createdAt", "updatedAt")
    assert [{key: value for key, value in found[one].items() if key not in passing} for one in sorted(found)] == [
        {key: value for key, value in wanted[one].items() if key not in passing} for one in sorted(wanted)
    ]
    small.instead = lambda path: (400, b"{}") if path.endswith("/tables/t1") else None
    with pytest.raises(GravitinoFailed, match="it answers 400"):
        read()


def test_by_command(tmp_path: Path, small: GravitinoServer) -> None:
    import subprocess
    import sys

    command = [sys.executable, "-m", "headwater", "pipeline", "sync", "gravitino", "--url", small.url]
    command += ["--metalake", "lake", "--data", str(tmp_path), "--format", "json", "--rate", "0"]
    command += ["--master", "local[1]"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["tables"] == 8
    assert "sync: tables" in done.stderr
    wrong = subprocess.run([*command, "--tenant", "nobody"], capture_output=True, text=True, timeout=120, check=False)
    assert wrong.returncode == 1
    assert "no tenant 'nobody'" in wrong.stderr
