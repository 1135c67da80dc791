"""Column edges without a stated transformation are completed from the SQL of their job; rows are never values."""

from __future__ import annotations

import json

import pytest
from msgspec import Raw

from headwater.graph.assets.column_kinds import how_of
from headwater.interpret.facets.columns import read_column_lineage
from headwater.lineage.impact.impact import impact
from headwater.lineage.walk.lineage import lineage
from headwater.lineage.walk.paths import paths
from tests.lineage.walk.test_lineage import DB, column, edge_of, event, of_columns, tagged

HASHED = "select id, md5(email) as email_hash, lower(name) as name from shop.customers"


def bare(source: str, field: str) -> dict:
    """A source column as dbt reports it: without a word on what is done to it."""
    return {"namespace": DB, "name": source, "field": field}


def sql(text: str, dialect: str = "postgres") -> dict:
    return {"sql": {"query": text, "dialect": dialect}}


def hashed(**more: list) -> dict:
    found = {"id": "id", "email_hash": "email", "name": "name"}
    return of_columns(**{target: [bare("shop.customers", source)] for target, source in found.items()}, **more)


def at(table: str, name: str = "") -> str:
    return f"dataset:{DB}:{table}" + (f"#{name}" if name else "")


def way_of(answer: dict, side: str, source: str, target: str) -> dict:
    edge = edge_of(answer, side, source, target)
    (way,) = edge["transformations"]
    return {**way, "masked": edge["masked"]}


@pytest.fixture
def dbt(filled):
    """One model that hashes e-mails, and one of whose SQL nothing is known."""
    inputs = {"shop.customers": tagged("pii", "email")}
    return filled(
        [
            event("hash", inputs, {"mart.hashed": hashed()}, 1, job_facets=sql(HASHED)),
            event("dark", inputs, {"mart.dark": of_columns(mail=[bare("shop.customers", "email")])}, 2),
        ]
    )


@pytest.mark.parametrize(("start", "side"), [("shop.customers", "downstream"), ("mart.hashed", "upstream")])
def test_what_is_not_stated_is_taken_from_the_sql(dbt, start, side) -> None:
    found = lineage(dbt, 1, at(start), granularity="COLUMN", direction=side)
    assert way_of(found, side, "customers#email", "hashed#email_hash") == {
        "type": "DIRECT",
        "subtype": "TRANSFORMATION",
        "masking": True,
        "expression": "MD5(email)",
        "masked": True,
    }
    assert way_of(found, side, "customers#id", "hashed#id") == {
        "type": "DIRECT",
        "subtype": "IDENTITY",
        "masking": False,
        "masked": False,
    }
    assert way_of(found, side, "customers#name", "hashed#name")["expression"] == "LOWER(name)"


def test_what_stays_unknown_is_neither_masked_nor_unmasked(dbt) -> None:
    found = lineage(dbt, 1, at("shop.customers", "email"), direction="downstream")["downstream"]
    nodes = {node["name"]: node for node in found["nodes"]}
    assert (nodes["mart.hashed"]["masked"], nodes["mart.dark"]["masked"]) == (True, None)
    assert ("masking_unknown" in nodes["mart.hashed"], nodes["mart.dark"]["masking_unknown"]) == (False, True)
    (edge,) = [edge for edge in found["edges"] if edge["to"].endswith("dark#mail")]
    assert (edge["masked"], edge["transformations"][0]["masking"]) == (None, None)
    for masked, shown in ((False, set()), (True, {"mart.hashed"})):
        side = lineage(dbt, 1, at("shop.customers", "email"), direction="downstream", masked=masked)["downstream"]
        assert {node["name"] for node in side["nodes"] if node["depth"]} == shown
        assert side["masking_unknown"] == 1


def test_impact_says_of_how_many_columns_it_is_not_known(dbt) -> None:
    found = impact(dbt, 1, tag="pii", masked=False)
    assert (found["affected"], found["masking_unknown"]) == ([], 1)
    found = impact(dbt, 1, tag="pii")
    entries = {entry["name"]: entry for entry in found["affected"]}
    assert (entries["mart.hashed"]["masked"], entries["mart.hashed"]["masking_unknown"]) == (True, False)
    assert (entries["mart.dark"]["masked"], entries["mart.dark"]["masking_unknown"]) == (None, True)
    assert entries["mart.hashed"]["masking_seen"]
    by_node = {entry["name"]: entry for entry in impact(dbt, 1, at("shop.customers"))["affected"]}
    assert by_node["mart.hashed"]["masking_seen"]
    assert "TRANSFORMATION" in by_node["mart.hashed"]["transformations"]


def test_paths_and_column_lineage_of_datasets_are_completed_too(dbt) -> None:
    found = paths(dbt, 1, at("shop.customers", "email"), at("mart.hashed", "email_hash"))
    (path,) = found["paths"]
    assert (path["masked"], path["edges"][0]["masked"]) == (True, True)
    listed = lineage(dbt, 1, at("mart.hashed"), direction="upstream", columns=True)["column_lineage"]
    (pair,) = [item for item in listed if item["to"].endswith("mart.hashed")]
    (field,) = pair["fields"]["email_hash"]
    assert (field["field"], field["types"], field["current"]) == ("email", ["TRANSFORMATION_MASKING"], True)


def test_once_unknown_always_unknown_beyond(filled) -> None:
    later = of_columns(
        contact=[column("mart.dark", "mail", "TRANSFORMATION", masking=True)], raw=[column("mart.dark", "mail")]
    )
    reader = filled(
        [
            event("dark", {"shop.customers": {}}, {"mart.dark": of_columns(mail=[bare("shop.customers", "email")])}, 1),
            event("next", {"mart.dark": {}}, {"mart.next": later}, 2),
        ]
    )
    found = lineage(reader, 1, at("shop.customers", "email"), direction="downstream")["downstream"]
    masked = {node["column"]: (node["masked"], node.get("masking_unknown", False)) for node in found["nodes"]}
    assert masked == {"email": (False, False), "mail": (None, True), "contact": (True, False), "raw": (None, True)}


def test_sql_that_came_with_another_event_of_the_run_counts(filled) -> None:
    other = event("other", {"shop.customers": {}}, {"mart.other": {}}, 9, job_facets=sql("select 1"))
    start = event("hash", {"shop.customers": {}}, {}, 1, 0, job_facets=sql(HASHED), eventType="START")
    reader = filled([other, event("hash", {}, {"mart.hashed": hashed()}, 1, 5), start])
    found = lineage(reader, 1, at("mart.hashed", "email_hash"), direction="upstream")
    assert found["upstream"]["edges"][0]["masked"] is True


def test_the_stated_edge_tells_whose_column_is_meant(filled) -> None:
    joined = "select md5(email) as h from shop.customers c join shop.orders o on o.customer = c.id"
    outputs = {"mart.h": of_columns(h=[bare("shop.customers", "email")])}
    reader = filled([event("j", {"shop.customers": {}, "shop.orders": {}}, outputs, 1, job_facets=sql(joined))])
    assert lineage(reader, 1, at("mart.h", "h"), direction="upstream")["upstream"]["edges"][0]["masked"] is True


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("select md5(email) as email_hash from {{ ref('customers') }}", "a template"),
        ("select md5(email as email_hash from", "not SQL"),
        ("select md5(phone) as email_hash from shop.customers", "another column"),
        ("select md5(email) as email_hash from shop.suppliers", "another table"),
    ],
)
def test_sql_that_does_not_show_the_edge_leaves_it_unknown(filled, text, why) -> None:
    outputs = {"mart.h": of_columns(email_hash=[bare("shop.customers", "email")])}
    reader = filled([event("j", {"shop.customers": {}, "shop.suppliers": {}}, outputs, 1, job_facets=sql(text))])
    edge = lineage(reader, 1, at("mart.h", "email_hash"), direction="upstream")["upstream"]["edges"][0]
    assert (edge["masked"], edge["transformations"][0]["subtype"]) == (None, "UNKNOWN"), why


def test_what_is_stated_is_not_taken_from_the_sql(filled) -> None:
    stated = of_columns(email_hash=[column("shop.customers", "email")])
    reader = filled([event("j", {"shop.customers": {}}, {"mart.h": stated}, 1, job_facets=sql(HASHED))])
    found = lineage(reader, 1, at("mart.h", "email_hash"), direction="upstream")
    assert way_of(found, "upstream", "#email", "#email_hash") == {
        "type": "DIRECT",
        "subtype": "IDENTITY",
        "masking": False,
        "masked": False,
    }


@pytest.mark.parametrize(
    ("kind", "subtype", "shown"),
    [
        ("DIRECT", "SQUEEZE", ("DIRECT", "UNKNOWN", "SQUEEZE")),
        ("DIRECT", "FILTER", ("DIRECT", "UNKNOWN", "FILTER")),
        ("INDIRECT", "CONDITION", ("INDIRECT", "CONDITIONAL", "CONDITION")),
        ("INDIRECT", "WHIM", ("INDIRECT", "UNKNOWN", "WHIM")),
        ("DIRECT", "aggregation", ("DIRECT", "AGGREGATION", None)),
        ("INDIRECT", "WINDOW", ("INDIRECT", "WINDOW", None)),
    ],
)
def test_subtypes_that_are_none_of_ours_are_kept_beside(filled, kind, subtype, shown) -> None:
    reader = filled(
        [event("j", {"a": {}}, {"b": of_columns(x=[column("a", "x", subtype, kind=kind)], y=[column("a", "y")])}, 1)]
    )
    way = way_of(lineage(reader, 1, at("b", "x"), direction="upstream"), "upstream", "a#x", "b#x")
    assert (way["type"], way["subtype"], way.get("stated"), way["masking"]) == (
        *shown,
        None if shown[:2] == ("DIRECT", "UNKNOWN") else False,
    ), "what is done to values by a word that we do not know may be masking or not"


@pytest.mark.parametrize("kind", ["DIRECT", "INDIRECT", None])
def test_what_concerns_every_row_is_indirect_from_either_side(filled, kind) -> None:
    source = column("orders", "net", "AGGREGATION", kind=kind or "DIRECT")
    if kind is None:
        del source["transformations"]
    facet = of_columns(country=[column("orders", "country")])
    facet["columnLineage"]["dataset"] = [source]
    reader = filled([event("j", {"orders": {}}, {"enriched": facet}, 1)])
    up = lineage(reader, 1, at("enriched", "country"), direction="upstream")
    way = way_of(up, "upstream", "orders#net", "enriched#country")
    assert way["type"] == "INDIRECT"
    assert way.get("stated") == (None if kind is None else "AGGREGATION")
    down = lineage(reader, 1, at("orders", "net"), direction="downstream")
    assert way_of(down, "downstream", "orders#net", "enriched#")["type"] == "INDIRECT"
    bare_only = lineage(reader, 1, at("orders", "net"), direction="downstream", indirect=False)
    assert not bare_only["downstream"]["edges"]
    assert not lineage(reader, 1, at("enriched", "country"), direction="upstream", indirect=False)["upstream"]["edges"][
        1:
    ]
    found = paths(reader, 1, at("orders", "net"), at("enriched", "country"))
    assert (found["direction"], found["paths"][0]["nodes"][-1]) == ("downstream", at("enriched", "country"))
    assert found["paths"][0]["edges"][0]["transformations"][0]["type"] == "INDIRECT"
    affected = impact(reader, 1, at("orders", "net"))["affected"]
    assert [(entry["kind"], entry["masked"], entry["masking_unknown"]) for entry in affected] == [("rows", None, False)]


def test_statements_are_read_within_limits(filled) -> None:
    deep = "select " + "(" * 3_000 + "md5(email)" + ")" * 3_000 + " as email_hash from shop.customers"
    outputs = {"mart.h": of_columns(email_hash=[bare("shop.customers", "email")])}
    reader = filled([event("j", {"shop.customers": {}}, outputs, 1, job_facets=sql(deep))])
    edge = lineage(reader, 1, at("mart.h", "email_hash"), direction="upstream")["upstream"]["edges"][0]
    assert edge["masked"] in (True, None)


def test_json_of_an_answer_is_plain(dbt) -> None:
    assert json.loads(json.dumps(lineage(dbt, 1, at("mart.hashed"), granularity="COLUMN")))


def test_rows_are_indirect_as_stored_and_as_read() -> None:
    """Read too, for the sake of what was stored before that was so."""
    how = {"type": "DIRECT", "subtype": "AGGREGATION"}
    source = {"namespace": "n", "name": "t", "field": "c", "transformations": [how]}
    raw = json.dumps({"fields": {}, "dataset": [source]}).encode()
    ((edge,),) = read_column_lineage({"columnLineage": Raw(raw)}, "$", "", []).values()
    assert edge[:4] == ("c", "", "INDIRECT", "AGGREGATION")
    assert how_of("DIRECT", "FILTER", False, "", whole_row=True)[:2] == ("INDIRECT", "FILTER")
