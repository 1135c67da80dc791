"""What changed, when, and why: each sort of change once, in the order of time, page by page."""

from __future__ import annotations

from headwater.lineage.change_list.answer import ChangeItem
from headwater.lineage.change_list.changes import changes
from headwater.store.read.reader import Reader
from tests.lineage.test_aliases import event

DB = "postgres://db:5432"
SINCE, UNTIL = 1_769_900_000_000_000, 1_769_910_000_000_000  # around 2026-02-01T00:00


def with_columns(name: str, *columns: str) -> tuple:
    return (DB, name, {"schema": {"fields": [{"name": column, "type": "int"} for column in columns]}})


def dropped(name: str) -> tuple:
    return (DB, name, {"lifecycleStateChange": {"lifecycleStateChange": "DROP"}})


LOG = [
    event("load", [(DB, "a")], [with_columns("t", "x")], 1),
    event("load", [(DB, "a"), (DB, "b")], [with_columns("t", "x", "y")], 2),
    event("load", [(DB, "a")], [with_columns("t", "x", "y")], 3, state="FAIL"),
    event("clean", [], [dropped("old")], 4),
]


def all_of(reader: Reader, name: str | None = None) -> list[ChangeItem]:
    return changes(reader, 1, name, since=SINCE, until=UNTIL, now=UNTIL).items


def test_each_sort_of_change(filled) -> None:
    found = [(item.kind, item.what.code, item.of.name) for item in all_of(filled(LOG))]
    assert found[:2] == [("dropped", "dropped", "old"), ("failed", "run_failed", "load")]
    assert set(found[2:]) == {
        ("schema", "columns_changed", "t"),
        ("lineage", "more_flow", "load"),
        ("lineage", "first_flow", "load"),
    }
    times = [item.at for item in all_of(filled([]))]
    assert times == sorted(times, reverse=True)


def test_what_changed_and_who_did_it(filled) -> None:
    found = {item.what.code: item for item in all_of(filled(LOG))}
    schema = found["columns_changed"]
    assert schema.what.arguments == {"added": 1, "removed": 0, "changed": 0, "columns": "y"}
    assert schema.cause.job == "job:etl:load"
    assert schema.cause.run == "run:0190c0de-0000-7000-8000-000000000002"
    assert found["more_flow"].what.arguments["reads"] == "b"
    assert found["more_flow"].what.arguments["writes_total"] == 0
    assert found["run_failed"].cause.run == "run:0190c0de-0000-7000-8000-000000000003"


def test_of_one_thing(filled) -> None:
    reader = filled([*LOG, event("other", [(DB, "z")], [(DB, "y")], 5)])
    assert {item.of.name for item in all_of(reader, "t")} == {"t", "load"}
    assert {item.of.name for item in all_of(reader, "job:etl:clean")} == set()
    assert {item.what.code for item in all_of(reader, "job:etl:load")} == {"first_flow", "more_flow", "run_failed"}
    assert {item.of.name for item in all_of(reader, "job:etl:other")} == {"other"}
    assert [item.what.code for item in all_of(reader, f"dataset:{DB}:old")] == ["dropped"]


def test_pages(filled) -> None:
    reader = filled(LOG)
    whole, cursor, paged = all_of(reader), None, []
    while True:
        page = changes(reader, 1, None, since=SINCE, until=UNTIL, now=UNTIL, cursor=cursor, limit=2)
        assert page.total == len(whole)
        paged += page.items
        cursor = page.next
        if cursor is None:
            break
    assert paged == whole


def test_nothing_outside_of_the_window(filled) -> None:
    assert changes(filled(LOG), 1, None, since=UNTIL, until=UNTIL + 1, now=UNTIL).items == []


def test_a_run_s_first_words_are_no_change_of_schema(filled) -> None:
    reader = filled([event("load", [], [with_columns("t", "x")], 1), event("load", [], [with_columns("t", "x")], 2)])
    assert [item.what.code for item in all_of(reader)] == ["first_flow"]


def test_only_changes_of_some_kinds(filled) -> None:
    found = changes(filled(LOG), 1, None, since=SINCE, until=UNTIL, now=UNTIL, kinds=("schema", "dropped"))
    assert [item.kind for item in found.items] == ["dropped", "schema"]
    assert found.total == 2
