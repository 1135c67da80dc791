"""Every call of Marquez' own Python client, unchanged, against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import pytest
from marquez_client import MarquezClient
from marquez_client.errors import APIError
from marquez_client.models import DatasetId, DatasetType, JobType

from tests.api.marquez.events import DB, JOBS, LAKE, run_id
from tests.server import Server

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(scope="module")
def client(shop: Server) -> MarquezClient:
    return MarquezClient(shop.url, timeout_ms=30_000)


@contextmanager
def refused(message: str) -> Iterator[None]:
    """The client keeps the server's words in the cause of its error."""
    with pytest.raises(APIError) as raised:
        yield
    cause = raised.value.__cause__ or raised.value.__context__
    assert message in cause.response.json()["message"]


def test_every_call_is_made(client: MarquezClient) -> None:
    """The tests below name each public method, so a new one of the client is noticed."""
    text = Path(__file__).read_text()
    methods = [name for name in dir(client) if not name.startswith("_") and callable(getattr(client, name))]
    assert len(methods) >= 29
    assert [name for name in methods if f".{name}(" not in text] == []


def test_namespaces(client: MarquezClient) -> None:
    made = client.create_namespace("by hand", "ann", "Made by hand.")
    assert (made["name"], made["ownerName"], made["description"]) == ("by hand", "ann", "Made by hand.")
    assert client.get_namespace("by hand") == made
    changed = client.create_namespace("by hand", "bob")
    assert (changed["ownerName"], changed["description"]) == ("bob", "Made by hand.")
    names = [item["name"] for item in client.list_namespaces()["namespaces"]]
    assert names == sorted(names)
    assert {"by hand", "default", DB, LAKE, JOBS} <= set(names)
    assert [item["name"] for item in client.list_namespaces(limit=1, offset=1)["namespaces"]] == [names[1]]
    with refused("Namespace 'nowhere' not found."):
        client.get_namespace("nowhere")


def test_sources(client: MarquezClient) -> None:
    made = client.create_source("pg", "postgresql", "jdbc:postgresql://localhost:5432/db", "the shop's")
    assert client.get_source("pg") == made
    assert (made["type"], made["connectionUrl"]) == ("POSTGRESQL", "jdbc:postgresql://localhost:5432/db")
    found = {item["name"]: item["connectionUrl"] for item in client.list_sources()["sources"]}
    assert found == {"pg": "jdbc:postgresql://localhost:5432/db", "shop": DB, "default": ""}
    with refused("Source 'none' not found."):
        client.get_source("none")


def test_datasets(client: MarquezClient) -> None:
    found = client.get_dataset(LAKE, "staged/orders")
    assert found["id"] == {"namespace": LAKE, "name": "staged/orders"}
    assert [field["name"] for field in found["fields"]] == ["id", "amount"]
    assert found["fields"][0] == {"name": "id", "type": "INT", "tags": [], "description": "the id"}
    assert found["facets"]["schema"]["_producer"] == "https://example.com/producer"
    assert {item["name"] for item in found["columnLineage"]} == {"id", "amount"}
    page = client.list_datasets(LAKE)
    assert [item["name"] for item in page["datasets"]] == ["marts/totals", "staged/orders"]
    assert page["totalCount"] == 2
    assert client.list_datasets(LAKE, limit=1, offset=1)["datasets"] == [page["datasets"][1]]
    versions = client.list_dataset_versions(LAKE, "marts/totals")
    assert [item["createdByRun"]["id"] for item in versions["versions"]] == [run_id(3), run_id(2)]
    assert versions["totalCount"] == 2
    totals = client.get_dataset(LAKE, "marts/totals")
    assert totals["currentVersion"] == versions["versions"][0]["version"]
    for version in versions["versions"]:
        assert client.get_dataset_version(LAKE, "marts/totals", version["version"]) == version
    with refused("Dataset 'none' not found."):
        client.get_dataset(LAKE, "none")


def test_a_dataset_and_a_job_by_hand(client: MarquezClient) -> None:
    client.create_namespace("hand", "ann")
    client.create_source("hand source", "mysql", "jdbc:mysql://localhost:3306/db")
    fields = [{"name": "a", "type": "INTEGER", "tags": ["PII"], "description": "first"}]
    table = client.create_dataset(
        "hand", "t1", DatasetType.DB_TABLE, "public.t1", "hand source", "a table", fields=fields, tags=["SENSITIVE"]
    )
    assert (table["physicalName"], table["sourceName"], table["description"]) == ("public.t1", "hand source", "a table")
    assert table["fields"] == [{"name": "a", "type": "INTEGER", "tags": ["PII"], "description": "first"}]
    assert (table["tags"], table["facets"], table["columnLineage"]) == (["SENSITIVE"], {}, None)
    client.create_dataset("hand", "t2", DatasetType.DB_TABLE, "public.t2", "hand source")
    job = client.create_job(
        "hand",
        "copy",
        JobType.BATCH,
        "https://example.com/copy.sql",
        [DatasetId("hand", "t1")],
        [DatasetId("hand", "t2")],
        "copies",
    )
    assert job["inputs"] == [{"namespace": "hand", "name": "t1"}]
    assert job["outputs"] == [{"namespace": "hand", "name": "t2"}]
    assert (job["location"], job["description"]) == ("https://example.com/copy.sql", "copies")
    assert (job["latestRun"], job["currentVersion"]) == (None, None)
    with refused("Source 'none' not found."):
        client.create_dataset("hand", "t3", DatasetType.DB_TABLE, "t3", "none")
    with refused("Dataset 'none' not found."):
        client.create_job("hand", "bad", JobType.BATCH, inputs=[DatasetId("hand", "none")])


def test_runs_by_hand(client: MarquezClient) -> None:
    client.create_namespace("run by hand", "ann")
    client.create_job("run by hand", "job", JobType.BATCH)
    made = client.create_job_run(
        "run by hand", "job", run_id(70), "2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z", {"day": "today"}
    )
    assert (made["id"], made["state"], made["args"]) == (run_id(70), "NEW", {"day": "today"})
    assert made["nominalStartTime"] == "2026-03-01T00:00:00Z"
    started = client.mark_job_run_as_started(run_id(70), "2026-03-01T00:05:00Z")
    assert (started["state"], started["startedAt"]) == ("RUNNING", "2026-03-01T00:05:00Z")
    done = client.mark_job_run_as_completed(run_id(70), "2026-03-01T00:06:00Z")
    assert (done["state"], done["durationMs"]) == ("COMPLETED", 60_000)
    assert client.get_job_run(run_id(70)) == done
    with refused("already exists"):
        client.create_job_run("run by hand", "job", run_id(70))
    failed = client.create_job_run("run by hand", "job", mark_as_running=True)
    assert (UUID(failed["id"]).version, failed["state"]) == (4, "RUNNING")
    assert client.mark_job_run_as_failed(failed["id"])["state"] == "FAILED"
    aborted = client.create_job_run("run by hand", "job")
    assert client.mark_job_run_as_aborted(aborted["id"])["state"] == "ABORTED"
    page = client.list_job_runs("run by hand", "job")
    assert page["totalCount"] == 3
    assert {run["state"] for run in page["runs"]} == {"COMPLETED", "FAILED", "ABORTED"}


def test_jobs(client: MarquezClient) -> None:
    page = client.list_jobs(JOBS)
    assert [job["name"] for job in page["jobs"]] == ["nightly", "sum", "nightly.load"]
    assert page["totalCount"] == 3
    load = client.get_job(JOBS, "nightly.load")
    assert load == page["jobs"][2]
    assert (load["simpleName"], load["parentJobName"]) == ("load", "nightly")
    assert (load["description"], load["labels"]) == ("Loads orders.", ["APPLICATION", "SPARK"])
    assert load["latestRun"]["args"] == {"run_id": run_id(90), "name": "nightly", "namespace": JOBS}
    assert client.list_jobs(JOBS, limit=1, offset=2)["jobs"] == [load]
    runs = client.list_job_runs(JOBS, "sum")
    assert [(run["id"], run["state"]) for run in runs["runs"]] == [(run_id(3), "COMPLETED"), (run_id(2), "FAILED")]
    assert runs["runs"][1]["facets"]["errorMessage"]["message"] == "boom"
    assert client.list_jobs("nowhere") == {"jobs": [], "totalCount": 0}


def test_column_lineage(client: MarquezClient) -> None:
    total = f"datasetField:{LAKE}:marts/totals:total"
    by_field = client.get_column_lineage_by_dataset_field(LAKE, "marts/totals", "total")["graph"]
    assert [node["id"] for node in by_field] == [
        f"datasetField:{DB}:shop.public.orders:amount",
        total,
        f"datasetField:{LAKE}:staged/orders:amount",
    ]
    node = by_field[1]
    assert node["inEdges"] == [{"origin": total, "destination": f"datasetField:{LAKE}:staged/orders:amount"}]
    assert node["data"]["inputFields"][0]["transformationType"] == "AGGREGATION"
    assert client.get_column_lineage_by_dataset(LAKE, "marts/totals")["graph"] == by_field
    assert client.get_column_lineage_by_job(JOBS, "sum")["graph"] == by_field
    assert len(client.get_column_lineage_by_dataset(LAKE, "marts/totals", depth=1)["graph"]) == 2
    impact = client.get_column_lineage_by_dataset_field(DB, "shop.public.orders", "amount", with_downstream=True)
    assert impact["graph"] == by_field


def test_tags(client: MarquezClient) -> None:
    assert client.create_tag("gold", "the best") == {"name": "gold", "description": "the best"}
    assert {"name": "gold", "description": "the best"} in client.list_tags()["tags"]
    assert client.tag_dataset(DB, "shop.public.orders", "gold")["tags"] == ["gold"]
    tagged = client.tag_dataset_field(DB, "shop.public.orders", "id", "gold")
    assert tagged["fields"][0]["tags"] == ["GOLD"]
    assert client.get_dataset(DB, "shop.public.orders")["fields"][0]["tags"] == ["GOLD"]
    with refused("Field 'none' not found for dataset 'shop.public.orders'."):
        client.tag_dataset_field(DB, "shop.public.orders", "none", "gold")


def test_events(client: MarquezClient) -> None:
    """The client asks for two routes that Marquez does not have."""
    assert len(client.list_events(limit=3)["events"]) == 3
    assert client.list_events("nowhere")["events"] == []
