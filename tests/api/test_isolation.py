"""For every route: tenant A can neither see, count nor change what is B's, with the same names on both sides.

The routes are taken from the application, so a new one without a case here fails.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from headwater.api.routes import ROUTES
from headwater.interpret.facets.statement import normalise_sql
from headwater.openlineage.identity import digest
from headwater.store.tables import metadata
from headwater.store.tasks.models import ModelKey
from headwater.store.tasks.records import NewTask, TaskOutcome
from headwater.store.tasks.task_store import TaskStore
from headwater.store.write.log import Tenant
from headwater.tasks.schedule import DELAYS, together
from tests.api.marquez.isolation import MARQUEZ
from tests.application import InProcess
from tests.emit.filled import fill_emit, letter_of
from tests.store.test_isolation import rows_of
from tests.usage import sum_up

A, B = Tenant(7, "a", "a"), Tenant(8, "b", "b")
KEYS = {"admin", "editor", "reader", "writer"}
RUN = "0197833d-511d-7034-be27-078fb128ca59"
RUN_OF_B = "0197833d-511d-7034-be27-078fb128ca60"
SQL_OF_B = f"sql:{digest('sql', normalise_sql('SELECT 1 FROM secret_of_b')).hex()}"

OPEN = {"GET /health/live", "GET /health/ready", "GET /health/status", "GET /metrics"}
OPEN |= {"GET /openapi.json", "GET /docs", "GET /health/load"}
OPEN |= {f"{method} /api/v2/session" for method in ("GET", "POST", "DELETE")}
"""What is told of a session is in `test_session`."""
RAW = "urn:li:dataset:(urn:li:dataPlatform:db,raw.orders,PROD)"
CHART_OF_B = "urn:li:chart:(bi,of-b)"
PATCH_OF_B = {
    "proposal": {
        "entityUrn": CHART_OF_B,
        "changeType": "PATCH",
        "aspectName": "chartInfo",
        "aspect": {"value": json.dumps([{"op": "add", "path": f"/inputEdges/{RAW}"}])},
    }
}
SCROLL_OF_B = {
    "query": "query q($i: I!) { scrollAcrossLineage(input: $i) { nextScrollId } }",
    "variables": {"i": {"urn": CHART_OF_B, "direction": "UPSTREAM"}},
}
UPDATE_OF_B = {
    "query": "mutation m($i: I!) { updateLineage(input: $i) }",
    "variables": {"i": {"edgesToAdd": [{"downstreamUrn": CHART_OF_B, "upstreamUrn": RAW}]}},
}
CASES: dict[str, list[tuple[str, dict[str, Any] | None]]] = {
    # By route: what A asks, with B's names and ids ({key}, {letter}) wherever a name or id is asked for.
    "GET /": [("/", None)],
    "GET /api/v2/show": [
        ("/api/v2/show?name=job:etl:load", None),
        ("/api/v2/show?name=only-b", None),
        (f"/api/v2/show?name={RUN}", None),
    ],
    "GET /api/v2/lineage": [
        ("/api/v2/lineage?name=stage.orders", None),
        ("/api/v2/lineage?name=only-b", None),
        ("/api/v2/lineage?name=raw.orders&granularity=RUN", None),
        ("/api/v2/lineage?name=raw.orders&granularity=DATASET&columns=true&as_of=2027-01-01T00:00:00Z", None),
        (f"/api/v2/lineage?name=run:{RUN}", None),
    ],
    "GET /api/v2/impact": [("/api/v2/impact?name=raw.orders", None), ("/api/v2/impact?name=only-b", None)],
    "GET /api/v2/paths": [
        ("/api/v2/paths?from=raw.orders&to=stage.orders", None),
        ("/api/v2/paths?from=raw.orders&to=job:etl:only-b", None),
    ],
    "GET /api/v2/diff": [("/api/v2/diff?from=2026-01-01T00:00:00Z&to=2027-01-01T00:00:00Z", None)],
    "GET /api/v2/assets": [("/api/v2/assets?q=only-b", None), ("/api/v2/assets?limit=1000", None)],
    "GET /api/v2/assets/show": [
        ("/api/v2/assets/show?name=only-b-table", None),
        ("/api/v2/assets/show?name=stage.orders", None),
    ],
    "GET /api/v2/assets/tree": [("/api/v2/assets/tree?depth=5", None), ("/api/v2/assets/tree?name=only-b-table", None)],
    "GET /api/v2/assets/walk": [("/api/v2/assets/walk?name=stage.orders", None)],
    "GET /api/v2/picture": [
        ("/api/v2/picture?name=stage.orders&steps=3", None),
        ("/api/v2/picture?name=only-b-table", None),
        ("/api/v2/picture?name=job:etl:only-b&granularity=JOB", None),
    ],
    "POST /api/v2/picture": [
        ("/api/v2/picture", {"name": "stage.orders", "columns": "all"}),
        ("/api/v2/picture", {"name": "only-b-table"}),
    ],
    "GET /api/v2/edge": [
        ("/api/v2/edge?from=raw.orders&to=stage.orders", None),
        ("/api/v2/edge?from=raw.orders&to=stage.orders&via=job:etl:only-b", None),
        ("/api/v2/edge?from=raw.orders&to=only-b-table", None),
    ],
    "GET /api/v2/changes": [
        ("/api/v2/changes?since=2026-01-01&until=2026-01-04", None),
        ("/api/v2/changes?since=2026-01-01&until=2026-01-04&name=stage.orders", None),
        ("/api/v2/changes?since=2026-01-01&until=2026-01-04&name=only-b", None),
    ],
    "GET /api/v2/failures": [("/api/v2/failures?since=2026-01-01&until=2026-01-04", None)],
    "GET /api/v2/overdue": [("/api/v2/overdue?as_of=2026-01-05", None)],
    "GET /api/v2/runs/{id:path}/events": [(f"/api/v2/runs/{RUN_OF_B}/events", None)],
    "GET /api/v2/series": [
        ("/api/v2/series?since=2026-01-01&until=2026-01-04&by=hour", None),
        ("/api/v2/series?since=2026-01-01&until=2026-01-04&by=hour&name=job:etl:only-b", None),
        ("/api/v2/series?name=job:etl:load", None),
        ("/api/v2/series?name=stage.orders", None),
        ("/api/v2/series?name=only-b", None),
        ("/api/v2/series?name=only-b-table", None),
    ],
    "GET /api/v2/dump": [("/api/v2/dump", None)],
    "GET /api/v2/pipeline": [("/api/v2/pipeline", None)],
    "GET /api/v2/search": [
        ("/api/v2/search?q=secret", None),
        ("/api/v2/search?q=only", None),
        ("/api/v2/search?q=orders&namespace=db", None),
        ("/api/v2/search?q=secret&mode=hybrid", None),
    ],
    "GET /api/v2/datasets": [
        ("/api/v2/datasets", None),
        ("/api/v2/datasets?job=only-b", None),
        ("/api/v2/datasets?tag=of-b", None),
        ("/api/v2/datasets?owner=of-b&hidden=true", None),
    ],
    "GET /api/v2/datasets/{id:path}": [("/api/v2/datasets/only-b-table", None)],
    "GET /api/v2/jobs": [("/api/v2/jobs", None), ("/api/v2/jobs?name=only-b", None)],
    "GET /api/v2/jobs/{id:path}": [("/api/v2/jobs/job:etl:only-b", None)],
    "GET /api/v2/runs": [("/api/v2/runs", None), ("/api/v2/runs?job=only-b", None), ("/api/v2/runs?user=of-b", None)],
    "GET /api/v2/runs/{id:path}": [(f"/api/v2/runs/{RUN_OF_B}", None)],
    "GET /api/v2/operations": [("/api/v2/operations", None), (f"/api/v2/operations?run={RUN}", None)],
    "GET /api/v2/operations/{id:path}": [(f"/api/v2/operations/{RUN_OF_B}", None)],
    "GET /api/v2/locations": [("/api/v2/locations", None)],
    "GET /api/v2/locations/{id:path}": [("/api/v2/locations/location:of-b", None)],
    "POST /api/v2/locations/merge": [("/api/v2/locations/merge", {"namespaces": ["etl", "of-b"]})],
    "POST /api/v2/locations/split": [("/api/v2/locations/split", {"namespaces": ["of-b"]})],
    "POST /api/v2/locations/addresses": [
        ("/api/v2/locations/addresses", {"location": "of-b", "addresses": ["kafka://b:9092"]})
    ],
    "POST /api/v2/locations/external-id": [
        ("/api/v2/locations/external-id", {"location": "of-b", "external_id": "mine"})
    ],
    "POST /api/v2/tag": [
        ("/api/v2/tag", {"name": "only-b-table", "add": ["mine"]}),
        ("/api/v2/tag", {"name": "dataset:db:only-b-table", "remove": ["of-b"]}),
    ],
    "POST /api/v2/describe": [("/api/v2/describe", {"name": "only-b-table", "description": "mine"})],
    "POST /api/v2/own": [("/api/v2/own", {"name": "location:of-b", "add": ["mine"]})],
    "POST /api/v2/hide": [("/api/v2/hide", {"name": "job:etl:only-b"})],
    "GET /api/v2/edits": [("/api/v2/edits", None)],
    "GET /config": [("/config", None)],
    "GET /aspects/{urn:path}": [
        ("/aspects/urn:li:chart:(bi,of-b)?aspect=chartInfo", None),
        ("/aspects/urn:li:dataset:(urn:li:dataPlatform:db,only-b-table,PROD)?aspect=datasetKey", None),
    ],
    "POST /aspects": [("/aspects?action=ingestProposal", PATCH_OF_B)],
    "POST /api/graphql": [("/api/graphql", SCROLL_OF_B), ("/api/graphql", UPDATE_OF_B)],
    "POST /api/v2/edits/lineage": [
        ("/api/v2/edits/lineage", {"add": [{"source": "raw.orders", "target": "dataset:db:only-b-table"}]}),
        ("/api/v2/edits/lineage", {"remove": [{"source": "raw.orders", "target": "dataset:db:only-b-table"}]}),
        ("/api/v2/edits/lineage", {"hide": [{"source": "raw.orders", "target": "stage.orders"}]}),
        ("/api/v2/edits/lineage", {"add": [{"source": "raw.orders", "target": "chart:bi:of-b"}]}),
    ],
    "GET /api/v2/edits/edges": [("/api/v2/edits/edges", None), ("/api/v2/edits/edges?name=raw.orders", None)],
    "GET /api/v2/edits/rules": [("/api/v2/edits/rules", None)],
    "POST /api/v2/edits/create": [
        ("/api/v2/edits/create", {"name": "dashboard:bi:d", "charts": ["chart:bi:of-b"]}),
        ("/api/v2/edits/create", {"name": "chart:bi:of-b", "title": "mine"}),
    ],
    "POST /api/v2/edits/undo": [("/api/v2/edits/undo", {"id": "{edit}"})],
    "GET /api/v2/users": [("/api/v2/users", None)],
    "GET /api/v2/users/{id:path}": [("/api/v2/users/of-b", None)],
    "GET /api/v2/tags": [("/api/v2/tags", None)],
    "GET /api/v2/sql": [
        ("/api/v2/sql", None),
        ("/api/v2/sql?text=secret", None),
        ("/api/v2/sql?order=-runs&since=2026-01-01", None),
    ],
    "GET /api/v2/sql/{id:path}": [(f"/api/v2/sql/{SQL_OF_B}", None)],
    "GET /api/v2/models": [("/api/v2/models", None)],
    "GET /api/v2/models/estimate": [("/api/v2/models/estimate", None)],
    "POST /api/v2/models/{kind}": [
        ("/api/v2/models/summary", {"provider": "outline"}),
        ("/api/v2/models/embedding", {"provider": "openai"}),
    ],
    "POST /api/v2/models/{kind}/test": [("/api/v2/models/summary/test", {})],
    "POST /api/v2/models/{kind}/remove": [("/api/v2/models/summary/remove", {})],
    "GET /api/v2/tenants": [("/api/v2/tenants", None)],
    "POST /api/v2/tenants": [("/api/v2/tenants", {"code": "b"}), ("/api/v2/tenants", {"code": "new", "id": 8})],
    "GET /api/v2/tenants/{code}": [("/api/v2/tenants/b", None)],
    "GET /api/v2/tenants/{code}/status": [("/api/v2/tenants/b/status", None)],
    "POST /api/v2/tenants/{code}/sources": [("/api/v2/tenants/b/sources", {"metalake": "m", "url": "http://g:1"})],
    "POST /api/v2/tenants/{code}/sources/remove": [("/api/v2/tenants/b/sources/remove", {"metalake": "m"})],
    "POST /api/v2/tenants/{code}/sync": [("/api/v2/tenants/b/sync", {"metalake": "m"})],
    "POST /api/v2/tenants/{code}/disable": [("/api/v2/tenants/b/disable", {})],
    "POST /api/v2/tenants/{code}/limit": [("/api/v2/tenants/b/limit", {"rate": 1})],
    "POST /api/v2/tenants/{code}/enable": [("/api/v2/tenants/b/enable", {})],
    "GET /api/v2/policy": [("/api/v2/policy", None)],
    "POST /api/v2/policy/set": [
        ("/api/v2/policy/set", {"rules": [{"namespaces": ["a-own"], "mode": "deny"}]}),
    ],
    "POST /api/v2/policy/clear": [("/api/v2/policy/clear", {})],
    "POST /api/v2/policy/test": [
        ("/api/v2/policy/test", {"event": {"job": {"namespace": "of-b", "name": "x"}, "eventTime": 1}})
    ],
    "GET /api/v2/keys": [("/api/v2/keys", None)],
    "POST /api/v2/keys": [("/api/v2/keys", {"tenant": "b", "roles": ["admin"]})],
    "POST /api/v2/keys/{id}/revoke": [("/api/v2/keys/{key}/revoke", {})],
    "POST /api/v2/keys/{id}/rotate": [("/api/v2/keys/{key}/rotate", {})],
    "GET /api/v2/dead-letters": [("/api/v2/dead-letters?state=any", None)],
    "DELETE /api/v2/dead-letters": [("/api/v2/dead-letters?state=any", None)],
    "GET /api/v2/dead-letters/groups": [("/api/v2/dead-letters/groups?state=any", None)],
    "POST /api/v2/demo": [("/api/v2/demo", None)],
    "POST /api/v2/page-reports": [("/api/v2/page-reports", {"errors": [{"kind": "thrown", "message": "x"}]})],
    "POST /api/v2/dead-letters/retry": [("/api/v2/dead-letters/retry", {})],
    "GET /api/v2/dead-letters/{id}": [("/api/v2/dead-letters/{letter}", None)],
    "DELETE /api/v2/dead-letters/{id}": [("/api/v2/dead-letters/{letter}", None)],
    "POST /api/v2/dead-letters/{id}/retry": [("/api/v2/dead-letters/{letter}/retry", {})],
    "GET /api/v2/tasks": [("/api/v2/tasks", None), ("/api/v2/tasks?state=PENDING&type=EMBEDDING", None)],
    "GET /api/v2/tasks/batches": [("/api/v2/tasks/batches", None)],
    "POST /api/v2/tasks/retry": [("/api/v2/tasks/retry?state=DEAD&state=CANCELED", {})],
    "POST /api/v2/tasks/cancel": [("/api/v2/tasks/cancel", {})],
    "POST /api/v2/tasks/resume": [("/api/v2/tasks/resume", {})],
    "GET /api/v2/tasks/{id}": [("/api/v2/tasks/{task}", None)],
    "POST /api/v2/tasks/{id}/retry": [("/api/v2/tasks/{task}/retry", {})],
    "POST /api/v2/tasks/{id}/cancel": [("/api/v2/tasks/{task}/cancel", {})],
    "POST /adapter/openlineage/publish": [
        ("/adapter/openlineage/publish", {"versionId": "emit-of-b", "overlay": "emit-of-b"}),
        ("/adapter/openlineage/publish", {"versionId": "version of emit-of-b"}),
    ],
    "POST /adapter/openlineage/recall": [
        ("/adapter/openlineage/recall", {"versionId": "version of emit-of-b", "overlay": "emit-of-b"})
    ],
    "POST /api/v2/emit/verify": [
        ("/api/v2/emit/verify", {"version": "version of emit-of-b", "overlay": "emit-of-b"}),
    ],
    "POST /api/v2/emit/publish": [("/api/v2/emit/publish", {"versionId": "v", "overlay": "emit-of-b"})],
    "POST /api/v2/emit/recall": [("/api/v2/emit/recall", {"versionId": "v", "overlay": "emit-of-b"})],
    "GET /api/v2/emit/overlays": [("/api/v2/emit/overlays", None)],
    "POST /api/v2/emit/overlays": [
        ("/api/v2/emit/overlays", {"name": "of-b", "url": "https://b.invalid", "producer_host": "h"})
    ],
    "DELETE /api/v2/emit/overlays/{name}": [("/api/v2/emit/overlays/emit-of-b", None)],
    "GET /api/v2/emit/sinks": [("/api/v2/emit/sinks", None)],
    "POST /api/v2/emit/sinks": [("/api/v2/emit/sinks", {"name": "of-b"})],
    "DELETE /api/v2/emit/sinks/{name}": [("/api/v2/emit/sinks/emit-of-b", None)],
    "POST /api/v2/emit/sinks/{name}/resume": [("/api/v2/emit/sinks/emit-of-b/resume", {})],
    "GET /api/v2/emit/versions": [
        ("/api/v2/emit/versions", None),
        ("/api/v2/emit/versions?overlay=emit-of-b", None),
        ("/api/v2/emit/versions?overlay=emit-of-b&version=version+of+emit-of-b", None),
    ],
    "POST /api/v2/emit/check": [("/api/v2/emit/check?overlay=emit-of-b", {})],
    "POST /api/v2/emit/work": [("/api/v2/emit/work", {})],
    "GET /api/v2/emit/dlq": [("/api/v2/emit/dlq", None), ("/api/v2/emit/dlq?sink=emit-of-b", None)],
    "GET /api/v2/emit/dlq/{id}": [(f"/api/v2/emit/dlq/{letter_of('emit-of-b')}", None)],
    "POST /api/v2/emit/dlq/retry": [("/api/v2/emit/dlq/retry?sink=emit-of-b", {}), ("/api/v2/emit/dlq/retry", {})],
    "POST /api/v2/emit/dlq/{id}/retry": [(f"/api/v2/emit/dlq/{letter_of('emit-of-b')}/retry", {})],
    "POST /api/v1/lineage": [("/api/v1/lineage", {"event": 1})],
    "POST /api/openlineage": [("/api/openlineage", {"event": 1})],
    "POST /api/v1/lineage/batch": [("/api/v1/lineage/batch", {"event": 1})],
    "POST /api/openlineage/batch": [("/api/openlineage/batch", {"event": 1})],
    "POST /": [("/", {"event": 1})],
}
CASES |= MARQUEZ
FOREIGN = {name for name in CASES if "{" in name and name not in MARQUEZ and "/models/" not in name} | {
    "POST /api/v2/tenants",
    "POST /api/v2/keys",
}
SUMMED = {"GET /api/v2/series", "GET /api/v2/sql"}
"""What the pipeline sums up is read by these."""
FOREIGN |= {f"POST /api/v2/locations/{word}" for word in ("merge", "split", "addresses", "external-id")}
FOREIGN |= {f"POST /api/v2/{word}" for word in ("tag", "describe", "own", "hide", "edits/undo")}
"""Here A asks for what is B's by its id or code, and must be refused."""


def event(job: str, secret: str) -> bytes:
    body = {
        "eventTime": "2026-01-02T03:04:05Z",
        "eventType": "COMPLETE",
        "producer": f"https://{secret}.example",
        "run": {"runId": RUN},
        "job": {"namespace": "etl", "name": job, "facets": {"documentation": {"description": secret}}},
        "inputs": [{"namespace": "db", "name": "raw.orders"}],
        "outputs": [
            {
                "namespace": "db",
                "name": "stage.orders",
                "facets": {"documentation": {"description": secret}, "schema": {"fields": [{"name": secret}]}},
            }
        ],
    }
    return json.dumps(body).encode()


def event_of_b() -> bytes:
    """Names that only B has."""
    facets = {"sql": {"query": "SELECT 1 FROM secret_of_b"}, "tags": {"tags": [{"key": "of-b"}]}}
    body = {
        "eventTime": "2026-01-02T03:04:06Z",
        "eventType": "COMPLETE",
        "run": {"runId": RUN_OF_B, "facets": {"dataRentgen_run": {"started_by_user": "of-b"}}},
        "job": {"namespace": "of-b", "name": "secret-of-b", "facets": facets},
        "outputs": [{"namespace": "db", "name": "only-b-table", "facets": {"tags": facets["tags"]}}],
    }
    return json.dumps(body).encode()


def fill(app: InProcess, tenant: Tenant, secret: str) -> str:
    """The same names for everybody; only the secrets differ, and one job that only B has."""
    app.make_tenant(tenant.code, tenant.id)
    key = app.make_key(tenant=tenant.code, roles=sorted(KEYS), name=secret)
    for body in [event("load", secret), *([event("only-b", secret), event_of_b()] if tenant is B else [])]:
        assert app.send(body, key=key).status_code == 201
    assert app.send(f'{{"{secret}": 1}}'.encode(), key=key).status_code == 400
    fill_tasks(app, tenant, secret)
    fill_emit(app.store.engine, tenant.id, f"emit-of-{tenant.code}", secret)
    if tenant is B:
        change = {"name": "job:of-b:secret-of-b", "add": ["of-b-by-hand"], "reason": secret}
        assert app.post("/api/v2/tag", json=change, key=key).status_code == 200
        made = {"name": "chart:bi:of-b", "title": secret, "reason": secret}
        assert app.post("/api/v2/edits/create", json=made, key=key).status_code == 200
        edge = {"add": [{"source": "raw.orders", "target": "chart:bi:of-b", "note": secret}]}
        assert app.post("/api/v2/edits/lineage", json=edge, key=key).status_code == 200
    return key


def fill_tasks(app: InProcess, tenant: Tenant, secret: str) -> None:
    """A task of the same content, one that B alone has, a batch, and a paused model."""
    store = TaskStore(*app.store.engines.values(), DELAYS)
    new = [NewTask("EMBEDDING", "Table", "same", "0" * 64, "same")]
    if tenant is B:
        new.append(NewTask("EMBEDDING", "Table", "secret-of-b", "1" * 64, "same"))
    store.add(tenant, new)
    model = ModelKey(tenant.id, "EMBEDDING", "same")
    claim = store.claim(tenant, model, worker="w", lease=3600, size=1, choose=together)
    assert claim is not None
    store.settle(
        claim, [TaskOutcome(claim.work[0].task, ok=False, error_type="no", error=secret)], [], lambda *_: [], 1
    )
    store.pause(model, "no", secret, None)


@pytest.fixture
def both(tmp_path: Path) -> Iterator[tuple[InProcess, InProcess]]:
    """Two servers: on the first A is alone, on the second B is there too."""
    with InProcess(tmp_path / "alone") as alone, InProcess(tmp_path / "shared") as shared:
        for app in (alone, shared):
            app.key = app.make_key(roles=["admin"], name="operator")
        yield alone, shared


def known_routes() -> set[str]:
    from headwater.api import ingest

    found = {f"{method} {route.path}" for route in ROUTES for method in (route.methods or set()) - {"HEAD"}}
    return found | {f"POST {path}" for path in (*ingest._SINGLE, *ingest._BATCH, "/")}


def test_every_route_has_a_case() -> None:
    assert known_routes() - OPEN == set(CASES)


def comparable(text: str) -> str:
    """Without what differs between any two servers: ids of keys and times of the clock."""
    times = "since|next_run_at|started_at|finished_at|updated_at|batch|created_at|received_at|last_used_at|key|retried_at|first_at|last_at|createdAt|updatedAt|startedAt|endedAt"
    times += "|[a-z]+Interval|requested_at|dead_since"
    text = re.sub(rf'"({times})":"[^"]*"', r'"\1":"..."', text)
    text = re.sub(r'"lag_seconds":[^,]*', '"lag_seconds":0', text)
    text = re.sub(r'"id":"[0-9a-hjkmnp-tv-z]{13}"', '"id":"..."', text)  # of dead letters
    text = re.sub(r'"next":"[0-9a-hjkmnp-tv-z]{13}"', '"next":"..."', text)  # of tasks
    text = re.sub(r"edit:[0-9a-f]{32}", "edit:...", text)  # made of the time
    return re.sub(r"[0-9a-f]{12}", "...", text)


@pytest.mark.parametrize("route", sorted(CASES))
def test_isolated(both: tuple[InProcess, InProcess], route: str) -> None:
    _, shared = both
    method = route.partition(" ")[0]
    keys = {app: fill(app, A, "secret-of-a") for app in both}
    of_b = fill(shared, B, "secret-of-b")
    names = {
        "key": of_b.split("_")[1],
        "letter": shared.get("/api/v2/dead-letters?tenant=b").json()["dead_letters"][0]["id"],
        "task": shared.get("/api/v2/tasks?tenant=b").json()["tasks"][0]["id"],
    }
    names["edit"] = shared.get("/api/v2/edits?tenant=b").json()["items"][0]["id"]
    if route in SUMMED:
        for app in both:
            sum_up(app.store, (A.id, B.id))
    before, everything = rows_of(shared.store, B), count_all(shared)
    for path, body in CASES[route]:
        answers = []
        for app in both:
            place = path.replace("{key}", names["key"]).replace("{letter}", str(names["letter"]))
            place = place.replace("{task}", names["task"])
            more: dict[str, Any] = {}
            if body == {"event": 1}:
                sent = event("only-b", "secret-of-a")
                more["content"] = b"[" + sent + b"]" if path.endswith("batch") else sent
            elif body is not None:
                more["json"] = {name: names["edit"] if value == "{edit}" else value for name, value in body.items()}
            answers.append(app.ask(method, place, key=keys[app], **more))
        apart, together = answers
        assert "secret-of-b" not in together.text
        assert together.status_code < 500
        assert rows_of(shared.store, B) == before
        assert (together.status_code, comparable(together.text)) == (apart.status_code, comparable(apart.text))
        if route in FOREIGN:
            assert together.status_code in (403, 404)
            assert count_all(shared) == everything
        for named in ({"x-headwater-tenant": "b"}, {}):
            query = "" if named else ("&" if "?" in place else "?") + "tenant=b"
            if method == "GET":
                answer = shared.ask(method, place + query, key=keys[shared], headers={**named})
                assert (answer.status_code, answer.json()["error"]) == (403, "other_tenant")


def count_all(app: InProcess) -> dict[str, int]:
    with app.store.engine.connect() as connection:
        return {
            table.name: connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
            for table in metadata.sorted_tables
        }


def test_b_sees_its_own(both: tuple[InProcess, InProcess]) -> None:
    """So that the test above cannot pass because nothing is there."""
    _, shared = both
    fill(shared, A, "secret-of-a")
    key = fill(shared, B, "secret-of-b")
    paths = ("/api/v2/dump", "/api/v2/show?name=only-b", "/api/v1/events/lineage", "/api/v2/keys")
    sum_up(shared.store, (A.id, B.id))
    assert shared.get("/api/v2/series?name=secret-of-b", key=key).json()["days"][0]["runs"] == 1
    own = ("/api/v2/edits", "/api/v2/search?q=secret", "/api/v2/datasets", "/api/v2/jobs", f"/api/v2/runs/{RUN_OF_B}")
    for path in ("/api/v2/users/of-b", "/api/v2/locations/of-b", f"/api/v2/sql/{SQL_OF_B}", "/api/v2/tags"):
        answer = shared.get(path, key=key)
        assert answer.status_code == 200, answer.text
        assert "of-b" in answer.text
    for path in paths + own:
        answer = shared.get(path, key=key)
        assert "secret-of-b" in answer.text
        assert "secret-of-a" not in answer.text
