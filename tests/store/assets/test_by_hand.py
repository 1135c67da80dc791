"""Charts and dashboards are nodes of the asset graph, and what people say of edges counts there, too."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

from headwater.store.assets.sql_graph import SqlAssetGraph
from headwater.store.sql_store import SqlStore
from tests.conftest import read_events
from tests.store.assets.test_late_changes import TABLE, catalog_event, columns
from tests.store.assets.test_projection import check

PRODUCER = "https://headwater.dev/edits"
CHART, DASHBOARD = "looker:chart.revenue", "looker:dashboard.sales"


def dataset_event(second: int, name: str, facets: dict[str, Any], namespace: str = "looker") -> bytes:
    dataset = {"namespace": namespace, "name": name, "facets": facets}
    return json.dumps(
        {"eventTime": f"2026-03-01T01:00:{second:02}Z", "producer": PRODUCER, "dataset": dataset}
    ).encode()


def thing(second: int, name: str, **information: str) -> bytes:
    kind = name.partition(".")[0].upper()
    return dataset_event(second, name, {"datasetType": {"datasetType": kind}, "headwater_information": information})


def edges(second: int, *ends: tuple[str, str], kind: str = "edge", value: dict[str, Any] | None = None) -> bytes:
    """Each end is a dataset, with a column behind #."""

    def end(text: str) -> dict[str, str]:
        name, _, column = text.partition("#")
        namespace, _, name = name.rpartition(":")
        return {"type": "DATASET", "namespace": namespace, "name": name, **({"column": column} if column else {})}

    said = [{"source": end(source), "target": end(target), "kind": kind, "value": value} for source, target in ends]
    facet = {"actor": "key:1", "by": "ann", "via": "CLI", "notes": [], "edges": said}
    job = {"namespace": "headwater", "name": "notes", "facets": {"headwater_notes": facet}}
    return json.dumps({"eventTime": f"2026-03-01T01:00:{second:02}Z", "producer": PRODUCER, "job": job}).encode()


def found(store: SqlStore) -> tuple[dict[str, tuple[str, Any]], set[tuple[str, str, str]]]:
    graph = SqlAssetGraph(store.engine)
    nodes = {node.id: (node.label, node.properties.get("name")) for node in graph.all_nodes(1)}
    return nodes, {(edge.source, edge.kind, edge.target) for edge in graph.all_edges(1)}


def test_charts_and_dashboards(embedded: SqlStore) -> None:
    stated = {"by": "ann", "created": "2026-03-01T01:00:00.000Z", "created_by": "ann", "via": "CLI"}
    check(
        embedded,
        [
            [edges(3, (TABLE, CHART), (CHART, DASHBOARD), value=stated)],
            [thing(2, "dashboard.sales", title="Sales", tool="looker", url="https://looker.example/d/1")],
            [catalog_event("create_table", "sales.orders", 1, columns("id"))],
            [thing(2, "chart.revenue")],
        ],
    )
    nodes, there = found(embedded)
    assert nodes[CHART] == ("Chart", "chart.revenue")
    assert nodes[DASHBOARD] == ("Dashboard", "Sales")
    assert not any(label == "Catalog" and "looker" in text for text, (label, _) in nodes.items())
    assert {(TABLE, "INPUT_OF", CHART), (CHART, "INPUT_OF", DASHBOARD)} <= there
    assert {("tenant", "OWNS_CHART", CHART), ("tenant", "OWNS_DASHBOARD", DASHBOARD)} <= there
    (shown,) = SqlAssetGraph(embedded.engine).get(1, [DASHBOARD])
    assert (shown.properties["tool"], shown.properties["url"]) == ("looker", "https://looker.example/d/1")
    renamed = columns("id", changes=[{"type": "RENAME_TABLE", "newName": "bills"}])
    check(embedded, [[catalog_event("alter_table", "sales.orders", 9, renamed)]])
    assert ("gravitino://lake/hive:sales.orders", "INPUT_OF", CHART) not in found(embedded)[1], "it came after the edge"
    check(embedded, [[edges(30, (CHART, DASHBOARD))]])
    assert (CHART, "INPUT_OF", DASHBOARD) not in found(embedded)[1], "taken back"


def test_derivations_by_hand(embedded: SqlStore) -> None:
    spark = read_events("written/spark.ndjson")
    check(embedded, [spark])
    known = {edge for edge in found(embedded)[1] if edge[1] == "DERIVES_FROM"}
    target, _, source = min(known)
    check(embedded, [[edges(3, (source, target), kind="edge_hidden", value={"by": "ann"})]])
    assert {edge for edge in found(embedded)[1] if edge[1] == "DERIVES_FROM"} == known - {
        (target, "DERIVES_FROM", source)
    }
    check(embedded, [[edges(4, (source, target), kind="edge_hidden")]])
    assert {edge for edge in found(embedded)[1] if edge[1] == "DERIVES_FROM"} == known
    stated = {"by": "ann", "transformation": {"type": "DIRECT", "subtype": "IDENTITY"}}
    check(embedded, [[edges(5, ("s3://made:a#x", "s3://made:b#y"), value=stated)]])
    nodes, there = found(embedded)
    assert ("s3://made:b#y", "DERIVES_FROM", "s3://made:a#x") in there
    assert nodes["s3://made:a#x"] == ("Column", "x")


def test_any_order(embedded: SqlStore) -> None:
    bodies = list(read_events("written/edits.ndjson"))
    check(embedded, [[body] for body in reversed(bodies)])
    for order in list(permutations(range(3)))[1:3]:
        check(embedded, [[bodies[place] for place in order]])
