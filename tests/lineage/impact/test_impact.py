"""What is told of each thing that is affected: its source, whether it is an end, and what its producer calls it."""

from __future__ import annotations

from typing import Any

from headwater.lineage.impact.impact import impact
from tests.lineage.picture.test_compare import DB, table
from tests.lineage.test_aliases import event

LOG = [
    event("one", [(DB, "a")], [table("t", {"x": "int"}, {"x": "a.id"})], 1),
    event("two", [(DB, "t")], [table("r", {"x": "int"}, {"x": "t.x"})], 2),
    event(
        "three",
        [(DB, "t")],
        [(DB, "board", {"datasetType": {"datasetType": "DASHBOARD"}})],
        3,
    ),
]


def entries_of(reader: Any, name: str, **options: Any) -> dict[str, dict[str, Any]]:
    found = impact(reader, 1, name, **options)
    return {entry["name"] if entry["column"] is None else entry["id"]: entry for entry in found["affected"]}


def test_ends_types_and_sources_of_datasets(filled: Any) -> None:
    entries = entries_of(filled(LOG), "a")
    assert {name: entry["is_end"] for name, entry in entries.items()} == {
        "one": False,
        "t": False,
        "two": False,
        "r": True,
        "three": False,
        "board": True,
    }
    assert entries["board"]["dataset_type"] == "DASHBOARD"
    assert entries["r"]["dataset_type"] is None
    assert {entry["source"] for entry in entries.values()} == {f"dataset:{DB}:a"}


def test_ends_and_sources_of_columns(filled: Any) -> None:
    entries = entries_of(filled(LOG), "a", by_column=True)
    told = {entry["name"]: (entry["is_end"], entry["source"]) for entry in entries.values()}
    assert told == {"t": (False, f"dataset:{DB}:a#id"), "r": (True, f"dataset:{DB}:a#id")}
