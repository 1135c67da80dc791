"""A picture that is compared says of everything whether it came, went or changed."""

from __future__ import annotations

from typing import Any

from headwater.lineage.picture.answer import Picture
from headwater.lineage.picture.options import PictureOptions
from headwater.lineage.picture.picture import compared_picture, picture
from tests.lineage.test_aliases import event

DB = "postgres://db:5432"
FIRST = 1_769_904_001_500_000  # 2026-02-01T00:00:01.5Z


def table(name: str, fields: dict[str, str], edges: dict[str, str] | None = None) -> tuple[str, str, dict[str, Any]]:
    """`edges`: by column, SOURCE.COLUMN."""
    facets: dict[str, Any] = {"schema": {"fields": [{"name": key, "type": kind} for key, kind in fields.items()]}}
    if edges:
        facets["columnLineage"] = {
            "fields": {
                column: {"inputFields": [dict(zip(("name", "field"), source.split("."), strict=True), namespace=DB)]}
                for column, source in edges.items()
            }
        }
    return DB, name, facets


LOG = [
    event("load", [(DB, "a"), (DB, "old")], [table("t", {"x": "int", "gone": "int"}, {"x": "a.x"})], 1),
    event("load", [(DB, "a"), (DB, "new")], [table("t", {"x": "text", "y": "int"}, {"x": "a.z"})], 3),
    event("report", [(DB, "t")], [(DB, "r")], 3, run=7),
]


def changes_of(shown: Picture) -> tuple[dict[str, str | None], dict[tuple[str, str], str | None]]:
    names = {node.key: node.name for node in shown.nodes}
    flows = {(names[flow.source], names[flow.target]): flow.change for flow in shown.flows}
    return {node.name: node.change for node in shown.nodes}, flows


def compared(reader: Any, name: str = "t", columns: str = "all", **options: Any) -> Picture:
    options = {"moment_before": FIRST, "run_before": None, **options}
    return compared_picture(reader, 1, name, PictureOptions(columns=columns), **options)  # type: ignore[arg-type]


def test_nodes_and_flows(filled: Any) -> None:
    nodes, flows = changes_of(compared(filled(LOG)))
    assert nodes == {"a": None, "old": "removed", "new": "added", "r": "added", "t": "changed"}
    assert flows == {
        ("a", "t"): "changed",
        ("old", "t"): "removed",
        ("new", "t"): "added",
        ("t", "r"): "added",
    }


def test_columns_and_their_edges(filled: Any) -> None:
    shown = compared(filled(LOG))
    fields = {column.name: column.change for node in shown.nodes if node.name == "t" for column in node.columns}
    assert fields == {"x": "changed", "y": "added", "gone": "removed"}
    edges = {(edge.source_column, edge.target_column): edge.change for edge in shown.columns}
    assert edges == {("z", "x"): "added", ("x", "x"): "removed"}


def test_without_columns_the_changes_are_the_same(filled: Any) -> None:
    reader = filled(LOG)
    plain = compared(reader, columns="none")
    assert changes_of(plain) == changes_of(compared(reader))
    assert plain.columns == []
    assert all(node.columns == [] for node in plain.nodes)


def test_nothing_changed_since(filled: Any) -> None:
    shown = compared(filled(LOG), moment_before=FIRST + 60_000_000)
    assert {*changes_of(shown)[0].values(), *changes_of(shown)[1].values()} == {None}
    assert shown.compared_to == "2026-02-01T00:01:01.500Z"


def test_two_runs_of_a_job(filled: Any) -> None:
    runs = [f"run:0190c0de-0000-7000-8000-0000000000{number:02d}" for number in (1, 3)]
    options = PictureOptions(granularity="RUN")
    shown = compared_picture(filled(LOG), 1, runs[1], options, moment_before=None, run_before=runs[0])
    names = {node.key: node.name for node in shown.nodes}
    assert shown.start == runs[1]
    assert names[shown.start] == "load"
    flows = {(names[flow.source], names[flow.target]): flow.change for flow in shown.flows}
    assert flows["a", "load"] is None
    assert flows["old", "load"] == "removed"
    assert flows["new", "load"] == "added"


def test_a_picture_of_runs(filled: Any) -> None:
    shown = picture(filled(LOG), 1, "t", PictureOptions(granularity="RUN"))
    kinds = sorted((node.kind, node.name, node.step) for node in shown.nodes)
    assert kinds == [
        ("dataset", "a", -2),
        ("dataset", "new", -2),
        ("dataset", "old", -2),
        ("dataset", "r", 2),
        ("dataset", "t", 0),
        ("run", "load", -1),
        ("run", "load", -1),
        ("run", "report", 1),
    ]
    assert [node.state for node in shown.nodes if node.kind == "run"] == ["SUCCEEDED"] * 3
    hidden = picture(filled([]), 1, "t", PictureOptions(granularity="RUN", hide=("o*",)))
    assert {node.name for node in hidden.nodes} == {"a", "new", "t", "r", "load", "report"}
    assert hidden.left_out.hidden == 1
    ends = picture(filled([]), 1, "t", PictureOptions(granularity="RUN", ends=True))
    assert {node.name for node in ends.nodes} == {"a", "new", "old", "t", "r"}


def test_columns_of_some_nodes(filled: Any) -> None:
    reader = filled(LOG)
    whole = picture(reader, 1, "t", PictureOptions(columns="all", steps=2))
    key = next(node.key for node in whole.nodes if node.name == "r")
    shown = picture(reader, 1, "t", PictureOptions(columns="all", steps=2, columns_of=(key,)))
    assert shown.columns == []
    assert all(node.columns == [] for node in shown.nodes if node.key != key)
    own = picture(reader, 1, "t", PictureOptions(columns="all", columns_of=(whole.start,)))
    assert {column.name for node in own.nodes for column in node.columns} >= {"x", "y"}
    assert own.columns
