"""What tenant A asks of Marquez' API in the test of isolation; `only-b` is there for B alone."""

from __future__ import annotations

from typing import Any

RUN = "0197833d-511d-7034-be27-078fb128ca59"
OTHER_RUN = "0197833d-511d-7034-be27-078fb128ca60"
_V1 = "/api/v1"
_NS, _DATASET, _JOB = f"{_V1}/namespaces/db", f"{_V1}/namespaces/db/datasets/stage.orders", f"{_V1}/namespaces/etl/jobs"
_MADE = {"type": "DB_TABLE", "physicalName": "p", "sourceName": "default"}


def _asked(*paths: str, body: dict[str, Any] | None = None) -> list[tuple[str, dict[str, Any] | None]]:
    return [(path, body) for path in paths]


MARQUEZ: dict[str, list[tuple[str, dict[str, Any] | None]]] = {
    "GET /api/v1/namespaces": _asked(f"{_V1}/namespaces?limit=1000"),
    "GET /api/v1/namespaces/{namespace}": _asked(_NS, f"{_V1}/namespaces/none"),
    "PUT /api/v1/namespaces/{namespace}": _asked(_NS, body={"ownerName": "a", "description": "d"}),
    "DELETE /api/v1/namespaces/{namespace}": _asked(_NS),
    "GET /api/v1/sources": _asked(f"{_V1}/sources"),
    "GET /api/v1/sources/{source}": _asked(f"{_V1}/sources/default"),
    "PUT /api/v1/sources/{source}": _asked(f"{_V1}/sources/s", body={"type": "MYSQL", "connectionUrl": "u"}),
    "GET /api/v1/tags": _asked(f"{_V1}/tags"),
    "PUT /api/v1/tags/{tag}": _asked(f"{_V1}/tags/t", body={"description": "d"}),
    "GET /api/v1/namespaces/{namespace}/datasets": _asked(f"{_NS}/datasets"),
    "GET /api/v1/namespaces/{namespace}/datasets/{dataset}": _asked(_DATASET, f"{_NS}/datasets/only-b"),
    "PUT /api/v1/namespaces/{namespace}/datasets/{dataset}": _asked(_DATASET, body=_MADE),
    "DELETE /api/v1/namespaces/{namespace}/datasets/{dataset}": _asked(f"{_NS}/datasets/only-b", _DATASET),
    "GET /api/v1/namespaces/{namespace}/datasets/{dataset}/versions": _asked(f"{_DATASET}/versions"),
    "GET /api/v1/namespaces/{namespace}/datasets/{dataset}/versions/{version}": _asked(f"{_DATASET}/versions/{RUN}"),
    "POST /api/v1/namespaces/{namespace}/datasets/{dataset}/tags/{tag}": _asked(f"{_DATASET}/tags/t"),
    "DELETE /api/v1/namespaces/{namespace}/datasets/{dataset}/tags/{tag}": _asked(f"{_DATASET}/tags/t"),
    "POST /api/v1/namespaces/{namespace}/datasets/{dataset}/fields/{field}/tags/{tag}": _asked(
        f"{_DATASET}/fields/secret-of-a/tags/t", f"{_DATASET}/fields/secret/tags/t"
    ),
    "DELETE /api/v1/namespaces/{namespace}/datasets/{dataset}/fields/{field}/tags/{tag}": _asked(
        f"{_DATASET}/fields/secret-of-a/tags/t"
    ),
    "GET /api/v1/jobs": _asked(f"{_V1}/jobs", f"{_V1}/jobs?lastRunStates=COMPLETED"),
    "GET /api/v1/namespaces/{namespace}/jobs": _asked(_JOB),
    "GET /api/v1/namespaces/{namespace}/jobs/{job}": _asked(f"{_JOB}/load", f"{_JOB}/only-b"),
    "PUT /api/v1/namespaces/{namespace}/jobs/{job}": _asked(f"{_JOB}/load", f"{_JOB}/new", body={"type": "BATCH"}),
    "DELETE /api/v1/namespaces/{namespace}/jobs/{job}": _asked(f"{_JOB}/only-b", f"{_JOB}/load"),
    "GET /api/v1/namespaces/{namespace}/jobs/{job}/versions": _asked(f"{_JOB}/load/versions"),
    "GET /api/v1/namespaces/{namespace}/jobs/{job}/versions/{version}": _asked(f"{_JOB}/load/versions/{RUN}"),
    "POST /api/v1/namespaces/{namespace}/jobs/{job}/tags/{tag}": _asked(f"{_JOB}/only-b/tags/t", f"{_JOB}/load/tags/t"),
    "DELETE /api/v1/namespaces/{namespace}/jobs/{job}/tags/{tag}": _asked(f"{_JOB}/load/tags/t"),
    "GET /api/v1/namespaces/{namespace}/jobs/{job}/runs": _asked(f"{_JOB}/load/runs", f"{_JOB}/only-b/runs"),
    "POST /api/v1/namespaces/{namespace}/jobs/{job}/runs": _asked(f"{_JOB}/load/runs", body={"id": OTHER_RUN}),
    "GET /api/v1/jobs/runs/{run}": _asked(f"{_V1}/jobs/runs/{RUN}", f"{_V1}/jobs/runs/{OTHER_RUN}"),
    "GET /api/v1/jobs/runs/{run}/facets": _asked(f"{_V1}/jobs/runs/{RUN}/facets?type=job"),
    **{
        f"POST /api/v1/jobs/runs/{{run}}/{word}": _asked(f"{_V1}/jobs/runs/{RUN}/{word}?at=2026-01-02T04:00:00Z")
        for word in ("start", "complete", "fail", "abort")
    },
    "GET /api/v1/lineage": _asked(f"{_V1}/lineage?nodeId=job:etl:load", f"{_V1}/lineage?nodeId=job:etl:only-b"),
    "GET /openlineage/lineage": _asked("/openlineage/lineage?node=dataset:db:stage.orders"),
    "GET /api/v1/column-lineage": _asked(f"{_V1}/column-lineage?nodeId=dataset:db:stage.orders&withDownstream=true"),
    "GET /api/v1/runlineage/upstream": _asked(f"{_V1}/runlineage/upstream?runId={RUN}"),
    "GET /api/v1/events/lineage": _asked(f"{_V1}/events/lineage?limit=1000"),
    "GET /api/v1/events": _asked(f"{_V1}/events?limit=1000"),
    "GET /api/v1/events/{namespace}": _asked(f"{_V1}/events/etl"),
    "GET /api/v1/search": _asked(f"{_V1}/search?q=o&limit=100"),
    "GET /api/v2beta/search/jobs": _asked("/api/v2beta/search/jobs?q=o"),
    "GET /api/v2beta/search/datasets": _asked("/api/v2beta/search/datasets?q=o"),
    **{
        f"GET /api/v1/stats/{name}": _asked(f"{_V1}/stats/{name}?period=WEEK")
        for name in ("lineage-events", "jobs", "datasets", "sources")
    },
}
