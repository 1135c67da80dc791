"""Examples of requests and answers of Marquez' routes, for the reference of the API."""

from __future__ import annotations

from typing import Any

__all__ = [
    "COLUMN_GRAPH",
    "DATASET",
    "DATASET_BODY",
    "DATASET_HITS",
    "DATASET_VERSION",
    "EVENT",
    "EVENT_COUNTS",
    "JOB",
    "JOB_BODY",
    "JOB_HITS",
    "JOB_VERSION",
    "LINEAGE",
    "NAMESPACE",
    "NODE_COUNTS",
    "RUN",
    "RUN_BODY",
    "SEARCH",
    "SOURCE",
    "SOURCE_BODY",
    "TAG",
    "UPSTREAM",
]

_START, _END = "2026-01-15T08:00:00Z", "2026-01-15T08:01:00Z"
_RUN_ID = "0197a5b0-7c4e-7d3a-9f21-5c6d7e8f9a0b"
_VERSION = "3d9937e1-8668-520d-a19e-367b21ec608d"
_ORDERS = {"namespace": "postgres://db:5432", "name": "shop.public.orders"}
_DAILY = {"namespace": "s3://lake", "name": "sales/daily"}
_JOB = {"namespace": "shop", "name": "build_daily_sales"}

NAMESPACE: dict[str, Any] = {
    "name": "shop",
    "createdAt": _START,
    "updatedAt": _START,
    "ownerName": "anonymous",
    "description": None,
    "isHidden": False,
}
SOURCE_BODY: dict[str, Any] = {
    "type": "POSTGRESQL",
    "connectionUrl": "postgres://db:5432/shop",
    "description": "The shop's database.",
}
SOURCE: dict[str, Any] = {**SOURCE_BODY, "name": "shop", "createdAt": _START, "updatedAt": _START}
TAG: dict[str, Any] = {"name": "PII", "description": "Personally identifiable information"}
_FIELD = {"name": "amount", "type": "DECIMAL", "tags": [], "description": "In euros."}
DATASET_BODY: dict[str, Any] = {
    "type": "DB_TABLE",
    "physicalName": "sales/daily",
    "sourceName": "shop",
    "fields": [_FIELD],
    "tags": ["PII"],
    "description": "Revenue by day.",
}
_DATASET: dict[str, Any] = {
    "id": _DAILY,
    "type": "DB_TABLE",
    "name": _DAILY["name"],
    "physicalName": _DAILY["name"],
    "createdAt": _START,
    "namespace": _DAILY["namespace"],
    "sourceName": "default",
    "fields": [_FIELD],
    "tags": [],
    "description": "Revenue by day.",
}
_SOURCE_COLUMN: dict[str, Any] = {
    "namespace": _ORDERS["namespace"],
    "dataset": _ORDERS["name"],
    "field": "amount",
    "transformationDescription": None,
    "transformationType": "AGGREGATION",
}
DATASET: dict[str, Any] = {
    **_DATASET,
    "updatedAt": _END,
    "lastModifiedAt": None,
    "lastLifecycleState": "",
    "currentVersion": _VERSION,
    "columnLineage": [
        {
            "name": "amount",
            "inputFields": [_SOURCE_COLUMN],
            "transformationDescription": None,
            "transformationType": "AGGREGATION",
        }
    ],
    "facets": {},
    "deleted": False,
}
RUN_BODY: dict[str, Any] = {"id": _RUN_ID, "nominalStartTime": _START, "nominalEndTime": _END, "args": {"retries": "1"}}
RUN: dict[str, Any] = {
    "id": _RUN_ID,
    "createdAt": _START,
    "updatedAt": _END,
    "nominalStartTime": None,
    "nominalEndTime": None,
    "state": "COMPLETED",
    "startedAt": _START,
    "endedAt": _END,
    "durationMs": 60_000,
    "args": {},
    "jobVersion": {**_JOB, "version": _VERSION},
    "inputDatasetVersions": [{"datasetVersionId": {**_ORDERS, "version": _VERSION}, "facets": {}}],
    "outputDatasetVersions": [{"datasetVersionId": {**_DAILY, "version": _VERSION}, "facets": {}}],
    "facets": {},
}
DATASET_VERSION: dict[str, Any] = {
    **_DATASET,
    "version": _VERSION,
    "lifecycleState": "",
    "currentSchemaVersion": _VERSION,
    "createdByRun": RUN,
    "facets": {},
}
JOB_BODY: dict[str, Any] = {
    "type": "BATCH",
    "inputs": [_ORDERS],
    "outputs": [_DAILY],
    "location": "https://example.com/shop/build_daily_sales.py",
    "description": "Adds up the day.",
}
_PLAIN_JOB: dict[str, Any] = {
    **JOB_BODY,
    "id": _JOB,
    "name": _JOB["name"],
    "simpleName": _JOB["name"],
    "parentJobName": None,
    "parentJobUuid": None,
    "createdAt": _START,
    "updatedAt": _END,
    "namespace": _JOB["namespace"],
    "latestRun": RUN,
}
JOB: dict[str, Any] = {
    **_PLAIN_JOB,
    "latestRuns": [RUN],
    "facets": {},
    "currentVersion": _VERSION,
    "labels": ["JOB", "SPARK"],
    "tags": [],
}
JOB_VERSION: dict[str, Any] = {
    "id": {**_JOB, "version": _VERSION},
    "name": _JOB["name"],
    "createdAt": _END,
    "version": _VERSION,
    "namespace": _JOB["namespace"],
    "location": None,
    "inputs": [_ORDERS],
    "outputs": [_DAILY],
    "latestRun": RUN,
}
_JOB_NODE, _DATASET_NODE = "job:shop:build_daily_sales", "dataset:s3://lake:sales/daily"
_EDGE = {"origin": _JOB_NODE, "destination": _DATASET_NODE}
LINEAGE: dict[str, Any] = {
    "graph": [
        {"id": _DATASET_NODE, "type": "DATASET", "data": _DATASET, "inEdges": [_EDGE], "outEdges": []},
        {"id": _JOB_NODE, "type": "JOB", "data": _PLAIN_JOB, "inEdges": [], "outEdges": [_EDGE]},
    ]
}
_COLUMN_NODE = "datasetField:s3://lake:sales/daily:amount"
_ORIGIN_NODE = "datasetField:postgres://db:5432:shop.public.orders:amount"
COLUMN_GRAPH: dict[str, Any] = {
    "graph": [
        {
            "id": _COLUMN_NODE,
            "type": "DATASET_FIELD",
            "data": {
                "namespace": _DAILY["namespace"],
                "dataset": _DAILY["name"],
                "datasetVersion": _VERSION,
                "field": "amount",
                "fieldType": "DECIMAL",
                "transformationDescription": None,
                "transformationType": "AGGREGATION",
                "inputFields": [{**_SOURCE_COLUMN, "datasetVersion": _VERSION}],
            },
            "inEdges": [{"origin": _COLUMN_NODE, "destination": _ORIGIN_NODE}],
            "outEdges": [],
        }
    ]
}
UPSTREAM: dict[str, Any] = {
    "runs": [
        {
            "job": {**_JOB, "version": _VERSION},
            "run": {"id": _RUN_ID, "start": _START, "end": _END, "status": "COMPLETED"},
            "inputs": [{**_ORDERS, "version": _VERSION, "producedByRunId": None}],
        }
    ]
}
EVENT: dict[str, Any] = {
    "eventType": "COMPLETE",
    "eventTime": _END,
    "run": {"runId": _RUN_ID, "facets": {"nominalTime": None, "parent": None}},
    "job": {**_JOB, "facets": {}},
    "inputs": [],
    "outputs": [],
    "producer": "https://example.com/shop",
    "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
}
SEARCH: dict[str, Any] = {
    "totalCount": 1,
    "results": [{"type": "DATASET", **_DAILY, "updatedAt": _END, "nodeId": _DATASET_NODE}],
}
_HIT: dict[str, Any] = {"run_id": _RUN_ID, "eventType": "COMPLETE", "facets": {}}
JOB_HITS: dict[str, Any] = {
    "hits": [{**_HIT, **_JOB, "type": "BATCH", "runFacets": {}}],
    "highlights": [{"name": ["build_daily_<em>sales</em>"]}],
}
DATASET_HITS: dict[str, Any] = {
    "hits": [{**_HIT, **_DAILY, "inputFacets": {}, "outputFacets": {}}],
    "highlights": [{"name": ["<em>sales</em>/daily"]}],
}
_HOUR = {"startInterval": "2026-01-15T08:00:00Z", "endInterval": "2026-01-15T09:00:00Z"}
EVENT_COUNTS: list[dict[str, Any]] = [{**_HOUR, "fail": 0, "start": 1, "complete": 1, "abort": 0}]
NODE_COUNTS: list[dict[str, Any]] = [{**_HOUR, "count": 12}]
