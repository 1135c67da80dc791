"""The official clients send to Headwater unchanged."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from openlineage.client import OpenLineageClient, OpenLineageClientOptions
from openlineage.client.event_v2 import (
    Dataset,
    DatasetEvent,
    InputDataset,
    Job,
    JobEvent,
    OutputDataset,
    Run,
    RunEvent,
    RunState,
)
from openlineage.client.facet_v2 import column_lineage_dataset, parent_run, schema_dataset
from openlineage.client.transport import get_default_factory
from openlineage.client.uuid import generate_new_uuid

from tests.server import Server

pytestmark = [pytest.mark.clients, pytest.mark.filterwarnings("ignore::DeprecationWarning")]
PRODUCER = "https://example.com/tests"


def run_events(job: str) -> list[RunEvent]:
    run = str(generate_new_uuid())
    parent = parent_run.ParentRunFacet.create(str(generate_new_uuid()), "scheduler", "etl")
    lineage = column_lineage_dataset.ColumnLineageDatasetFacet(
        fields={
            "total": column_lineage_dataset.Fields(
                inputFields=[
                    column_lineage_dataset.InputField(
                        "postgres://shop:5432",
                        "shop.public.orders",
                        "amount",
                        [column_lineage_dataset.Transformation("DIRECT", "AGGREGATION", "sum", masking=False)],
                    )
                ]
            )
        }
    )
    schema = schema_dataset.SchemaDatasetFacet(
        fields=[schema_dataset.SchemaDatasetFacetFields("total", "decimal(18,2)")]
    )
    source = InputDataset("postgres://shop:5432", "shop.public.orders")
    target = OutputDataset(
        "postgres://shop:5432", f"shop.mart.{job}", facets={"schema": schema, "columnLineage": lineage}
    )
    shared = {
        "eventTime": datetime.now(UTC).isoformat(),
        "producer": PRODUCER,
        "job": Job("clients", job),
        "inputs": [source],
    }
    return [
        RunEvent(run=Run(run, {"parent": parent}), eventType=RunState.START, **shared),
        RunEvent(run=Run(run, {"parent": parent}), eventType=RunState.COMPLETE, outputs=[target], **shared),
    ]


def check(server: Server, job: str) -> None:
    shown = server.get("/api/v2/show", name=f"job:clients:{job}").json()
    assert [run["status"] for run in shown["runs"]] == ["SUCCEEDED"]
    assert shown["inputs"] == ["dataset:postgres://shop:5432:shop.public.orders"]
    assert shown["outputs"] == [f"dataset:postgres://shop:5432:shop.mart.{job}"]
    assert shown["parent"] == "job:scheduler:etl"
    dataset = server.get("/api/v2/show", name=shown["outputs"][0]).json()
    assert dataset["columns"][0]["source_column"] == "amount"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("plain", {}),
        ("gzip", {"compression": "gzip"}),
        ("key", {"auth": {"type": "api_key", "apiKey": "a-secret-key"}}),
        ("headers", {"custom_headers": {"X-Team": "orders"}}),
        ("endpoint", {"endpoint": "api/openlineage"}),
    ],
)
def test_http_transport(server: Server, name: str, options: dict) -> None:
    transport = get_default_factory().create({"type": "http", "url": server.url, **options})
    client = OpenLineageClient(transport=transport)
    for event in run_events(name):
        client.emit(event)
    client.close()
    check(server, name)


@pytest.mark.parametrize("compression", [None, "gzip"])
def test_async_transport(server: Server, compression: str | None) -> None:
    name = f"async_{compression}"
    config = {"type": "async_http", "url": server.url, "auth": {"type": "api_key", "apiKey": "k"}}
    client = OpenLineageClient(transport=get_default_factory().create({**config, "compression": compression}))
    for event in run_events(name):
        client.emit(event)
    assert client.close(timeout=60)
    check(server, name)


def test_client_from_the_environment(server: Server, monkeypatch) -> None:
    monkeypatch.setenv("OPENLINEAGE_URL", server.url)
    monkeypatch.setenv("OPENLINEAGE_API_KEY", "a-secret-key")
    client = OpenLineageClient()
    for event in run_events("environment"):
        client.emit(event)
    check(server, "environment")


def test_job_and_dataset_events(server: Server) -> None:
    client = OpenLineageClient(url=server.url, options=OpenLineageClientOptions(timeout=60))
    now = datetime.now(UTC).isoformat()
    client.emit(
        JobEvent(
            eventTime=now, producer=PRODUCER, job=Job("clients", "static"), outputs=[OutputDataset("n", "static.out")]
        )
    )
    client.emit(DatasetEvent(eventTime=now, producer=PRODUCER, dataset=Dataset("n", "alone")))
    assert server.get("/api/v2/show", name="job:clients:static").json()["outputs"] == ["dataset:n:static.out"]
    assert server.get("/api/v2/show", name="dataset:n:alone").json()["kind"] == "dataset"


def test_no_secret_is_logged(server: Server) -> None:
    assert "a-secret-key" not in server.log()
