"""Events in the shape of Gravitino's listener."""

from __future__ import annotations

import json
import uuid
from typing import Any


def gravitino_event(
    tenant: int | None = 7,
    *,
    facet: dict[str, Any] | None = None,
    dataset: int | None = None,
    job: int | None = None,
    name: str = "orders",
    producer: str = "https://github.com/apache/gravitino/openlineage-listener",
) -> bytes:
    """`create_table`; tenants by place can be set apart, and None leaves a place without."""
    places = {"dataset": tenant if dataset is None else dataset, "job": tenant if job is None else job}
    where = {key: f"gravitino://tenant/{value}" if value else "gravitino://lake" for key, value in places.items()}
    facets: dict[str, Any] = {"lifecycleStateChange": {"lifecycleStateChange": "CREATE"}}
    if facet is not None:
        facets["gravitino"] = {"_producer": "https://github.com/apache/gravitino", **facet}
    return json.dumps(
        {
            "eventTime": "2026-03-01T00:00:00.123Z",
            "eventType": "COMPLETE",
            "producer": producer,
            "run": {"runId": str(uuid.uuid4())},
            "job": {"namespace": where["job"], "name": "gravitino.create_table"},
            "inputs": [],
            "outputs": [{"namespace": f"{where['dataset']}/lake/hive", "name": f"sales.{name}", "facets": facets}],
        }
    ).encode()
