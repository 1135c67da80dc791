"""Facets are read tolerantly: what cannot be read is set aside, with its place, and the rest counts."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from headwater.interpret.gravitino.wire import GravitinoFacet
from headwater.openlineage import facets
from headwater.openlineage.event import EventWarning
from headwater.openlineage.facets import ColumnLineage, Schema, Statistics, read_facet, read_members
from tests.openlineage.test_decode import json_values


def read(kind, value, warnings=None):
    warnings = warnings if warnings is not None else []
    return read_facet(kind, {"f": msgspec.Raw(msgspec.json.encode(value))}, "f", "$.facets", warnings)


def test_null_and_missing_are_nothing() -> None:
    warnings: list[EventWarning] = []
    assert read(Schema, None, warnings) is None
    assert read_facet(Schema, {}, "schema", "$", warnings) is None
    assert warnings == []


def test_a_bad_member_does_not_spoil_its_neighbours() -> None:
    warnings: list[EventWarning] = []
    assert read(Statistics, {"rowCount": "abc", "size": 7, "fileCount": "3"}, warnings) == Statistics(
        size=7, fileCount=3
    )
    assert [warning.path for warning in warnings] == ["$.facets.f.rowCount"]


def test_a_bad_item_does_not_spoil_its_neighbours() -> None:
    warnings: list[EventWarning] = []
    found = read(ColumnLineage, {"fields": {"a": {"inputFields": [{"field": "x"}, 7]}, "b": "text"}}, warnings)
    assert found is not None
    assert list(found.fields) == ["a"]
    assert [source.field for source in found.fields["a"].inputFields] == ["x"]
    assert [warning.path for warning in warnings] == ["$.facets.f.fields.a.inputFields[1]", "$.facets.f.fields.b"]


def test_an_item_without_what_it_must_have_does_not_spoil_its_neighbours() -> None:
    """Whether that is missing, or there and of another kind; and members are called as they are sent."""
    warnings: list[EventWarning] = []
    columns = [{"name": "a"}, {"nullable": False}, {"name": [1]}, {"name": "b", "nullable": [], "autoIncrement": True}]
    found = read(GravitinoFacet, {"columns": columns}, warnings)
    assert found is not None
    assert [(column.name, column.auto_increment) for column in found.columns] == [("a", None), ("b", True)]
    assert {f"$.facets.f.columns[{place}]" for place in (1, 2)} <= {warning.path for warning in warnings}
    assert [warning.message for warning in warnings].count("set aside: `name` is missing or does not fit") == 2


def test_a_deleted_facet_is_an_empty_one() -> None:
    raw = {"documentation": msgspec.Raw(b'{"_producer": "p", "_deleted": true, "description": "old"}')}
    assert read_members(raw, "documentation", "$", []) == {}


def test_members_lose_what_says_who_sent_them() -> None:
    raw = {"catalog": msgspec.Raw(b'{"_producer": "p", "_schemaURL": "s", "framework": "iceberg", "name": null}')}
    assert read_members(raw, "catalog", "$", []) == {"framework": "iceberg"}


KINDS = [getattr(facets, name) for name in facets.__all__ if isinstance(getattr(facets, name), type)]


@given(st.sampled_from(KINDS), json_values)
def test_no_value_fails_in_any_other_way(kind, value) -> None:
    found = read(kind, value)
    assert found is None or isinstance(found, kind)
