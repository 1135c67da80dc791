"""Pictures in which an application stands in place of its parts."""

from __future__ import annotations

import pytest

from headwater.lineage.picture.answer import Picture
from headwater.lineage.picture.options import PictureOptions
from headwater.lineage.picture.picture import picture
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from tests.conftest import entry_of
from tests.lineage.flows.test_collapsed_jobs import DB, invocation


@pytest.fixture
def reader(store: SqlStore) -> Reader:
    store.write([entry_of(body) for body in invocation()])
    return Reader(store.engine)


def flows_of(shown: Picture) -> dict[tuple[str, str], list[str]]:
    """By flow, the jobs that it leads through."""
    names = {one.key: one.name for one in (*shown.nodes, *shown.jobs)}
    return {(names[flow.source], names[flow.target]): [names[job] for job in flow.via] for flow in shown.flows}


@pytest.mark.parametrize(("granularity", "fold"), [("APPLICATION", None), ("JOB", "applications")])
def test_an_application_is_one_node_and_no_dataset_is_joined_through_it(
    reader: Reader, granularity: str, fold: str | None
) -> None:
    options = PictureOptions(granularity=granularity, fold=fold)  # type: ignore[arg-type] -- words of a question
    shown = picture(reader, 1, f"dataset:{DB}:stg", options)
    assert {node.name for node in shown.nodes if node.kind == "job"} == {"dbt-run-shop"}
    assert set(flows_of(shown)) == {
        ("raw", "dbt-run-shop"),
        ("stg", "dbt-run-shop"),
        ("dbt-run-shop", "stg"),
        ("dbt-run-shop", "fct"),
    }
    assert shown.left_out.hidden == 0
    assert all(flow.current and flow.first_seen and flow.last_seen for flow in shown.flows)


def test_between_datasets_the_application_is_named_in_place_of_its_parts(reader: Reader) -> None:
    shown = picture(reader, 1, f"dataset:{DB}:stg", PictureOptions(fold="applications"))
    assert flows_of(shown) == {("raw", "stg"): ["dbt-run-shop"], ("stg", "fct"): ["dbt-run-shop"]}
