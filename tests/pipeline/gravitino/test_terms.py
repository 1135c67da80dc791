"""A full reading brings metrics with formula and parents, word roots, modifiers, units and value domains."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from headwater.pipeline.gravitino.rest import ApiOptions, GravitinoApi, GravitinoFailed
from headwater.pipeline.gravitino.sync import SyncReport, sync_metalake
from headwater.pipeline.gravitino.terms import terms_of
from headwater.store.assets.compare import compare_with_facts
from headwater.store.assets.sql_graph import SqlAssetGraph
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from tests.pipeline.gravitino.gravitino_server import AUDIT, GravitinoServer, generated
from tests.pipeline.gravitino.test_sync import T0, live, take

SALES = "gravitino://lake/hive:sales"
ATOMIC = {
    "calculationFormula": "sum(c1)",
    "refCatalogName": "hive",
    "refSchemaName": "sales",
    "refTableName": "t0",
    "measureColumnIds": "[123]",
    "filterColumnIds": None,
}
METRICS: list[dict[str, Any]] = [
    {"code": "GMV", "name": "Gross value", "type": "ATOMIC", "unit": "EUR", "currentVersion": 3, "inside": ATOMIC},
    {
        "code": "GMV_EU",
        "name": "Of Europe",
        "type": "DERIVED",
        "currentVersion": 1,
        "inside": {"calculationFormula": "GMV where region = 'EU'", "parentMetricCodes": ["GMV"]},
    },
    {
        "code": "RATIO",
        "name": "Share of Europe",
        "type": "COMPOSITE",
        "currentVersion": 1,
        "inside": {"calculationFormula": "GMV_EU / GMV", "parentMetricCodes": ["GMV_EU", "GMV"]},
    },
]
DOMAIN = {
    "domainCode": "STATUS",
    "domainName": "States",
    "domainType": "ENUM",
    "domainLevel": "BUSINESS",
    "items": [{"value": "1", "label": "new"}, {"value": "2"}],
    "comment": "states of an order",
    "audit": AUDIT,
}


@pytest.fixture
def server() -> Iterator[GravitinoServer]:
    with GravitinoServer(generated(tables=4, columns=2)) as found:
        found.terms = {
            ("hive", "sales", "metrics"): ("metrics", METRICS),
            ("hive", "sales", "wordroots"): ("roots", [{"code": f"r{n}", "name": f"R{n}"} for n in range(45)]),
            ("hive", "sales", "metrics/modifiers"): ("modifiers", [{"code": "EU", "name": "E", "modifierType": "A"}]),
            ("hive", "sales", "units"): ("units", [{"code": "EUR", "name": "Euro", "symbol": "€"}]),
            ("hive", "sales", "valuedomains"): ("valueDomains", [DOMAIN]),
        }
        found.lake["tags"] = {
            "vd:STATUS": [("COLUMN", "hive.sales.t0.c1")],
            "gold": [("METRIC", "hive.sales.GMV"), ("TOPIC", "x.y")],
        }
        yield found


def sync(store: SqlStore, server: GravitinoServer) -> SyncReport:
    api = GravitinoApi(ApiOptions(server.url, "lake", tenant=(1, "default"), rate=0))
    report = sync_metalake(store, str(store.engine.url), DEFAULT_TENANT, "lake", api, lambda *_: None)
    store.projection.drain(1)
    return report


def test_all_of_them(store: SqlStore, server: GravitinoServer) -> None:
    report = sync(store, server)
    assert report.terms == 3 + 45 + 1 + 1 + 1
    graph = SqlAssetGraph(store.engine)
    counts = graph.counts(1)
    assert counts["WordRoot"] == 45, "the server gives 20 at a time, whatever is asked for"
    assert (counts["AtomicMetric"], counts["DerivedMetric"], counts["CompositeMetric"]) == (1, 1, 1)
    assert (counts["Modifier"], counts["Unit"], counts["ValueDomain"]) == (1, 1, 1)
    named = {node.id: node.properties for node in graph.all_nodes(1)}
    assert named[f"metric:{SALES}.RATIO"]["calculationFormula"] == "GMV_EU / GMV"
    assert named[f"metric:{SALES}.GMV"]["unresolvedColumns"] == [123]
    assert named[f"valuedomain:{SALES}.STATUS"]["items"] == "1:new,2"
    assert named[f"valuedomain:{SALES}.STATUS"]["domainLevel"] == "BUSINESS"
    assert named[f"unit:{SALES}.EUR"]["symbol"] == "€"
    edges = {(edge.source, edge.kind, edge.target) for edge in graph.all_edges(1)}
    assert (f"metric:{SALES}.GMV_EU", "DERIVED_FROM", f"metric:{SALES}.GMV") in edges
    assert (f"metric:{SALES}.RATIO", "COMPUTED_FROM", f"metric:{SALES}.GMV_EU") in edges
    assert (f"{T0}#c1", "HAS_VALUE_DOMAIN", f"valuedomain:{SALES}.STATUS") in edges
    assert (f"metric:{SALES}.GMV", "HAS_TAG", "tag:gravitino://lake:gold") in edges
    assert compare_with_facts(store.engine, 1, graph).is_none


def test_what_was_known_before_stays(store: SqlStore, server: GravitinoServer) -> None:
    """A term that is still there is not lost by the reading, and one that is gone is."""
    fields = {"schema": {"fields": [{"name": "code", "type": "STRING", "description": "EUR"}]}}
    take(store, live("create_unit", "sales.EUR", 1_000_000, fields))
    take(store, live("create_unit", "sales.OLD", 1_000_000, fields))
    sync(store, server)
    units = {node.id for node in SqlAssetGraph(store.engine).all_nodes(1) if node.label == "Unit"}
    assert units == {f"unit:{SALES}.EUR"}


def test_the_tenant_is_named_to_the_server(store: SqlStore, server: GravitinoServer) -> None:
    sync(store, server)
    assert {(headers.get("x-tenant-id"), headers.get("x-tenant-code")) for headers in server.headers} == {
        ("1", "default")
    }


def test_a_server_without_terms(server: GravitinoServer) -> None:
    server.terms = {}
    assert list(terms_of(GravitinoApi(ApiOptions(server.url, "lake", rate=0)), "hive", "sales")) == []


def test_answers_of_other_shapes(store: SqlStore, server: GravitinoServer) -> None:
    """What is no object, or has no name, is left out; the rest is read."""
    server.terms["hive", "sales", "units"] = ("units", [{"code": 7}, {}, {"code": "EUR"}])
    server.terms["hive", "sales", "wordroots"] = ("roots", [])
    server.lake["catalogs"]["hive"]["sales"]["t0"] += [{"name": 5}, "no column"]
    assert sync(store, server).terms == 3 + 1 + 1 + 1


def test_credentials_do_not_follow_a_redirect(server: GravitinoServer) -> None:
    with GravitinoServer(generated(tables=4, columns=1)) as elsewhere:
        server.redirect = f"{elsewhere.url}/api/metalakes/lake/catalogs"
        with pytest.raises(GravitinoFailed, match="redirect"):
            GravitinoApi(ApiOptions(server.url, "lake", token="secret", rate=0)).get("catalogs")
        assert elsewhere.requests == []
