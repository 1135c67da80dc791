"""What Marquez' routes answer is what is declared beside them: every member, and no other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
from starlette.routing import Match

from headwater.api.marquez.routes import ROUTES
from headwater.api.openapi.declare import declaration_of
from tests.api.marquez.events import DB, JOBS, LAKE, SHOP, run_id
from tests.application import InProcess

NAMESPACE, PLACE = f"/api/v1/namespaces/{quote(JOBS, safe='')}", f"/api/v1/namespaces/{quote(LAKE, safe='')}"
STAGED, SUM = f"{PLACE}/datasets/staged%2Forders", f"{NAMESPACE}/jobs/sum"
TOTAL = quote(f"datasetField:{LAKE}:marts/totals:total")
ASKED = [
    ("GET", "/api/v1/namespaces", None),
    ("GET", NAMESPACE, None),
    ("PUT", "/api/v1/namespaces/mine", {"ownerName": "me"}),
    ("GET", "/api/v1/sources", None),
    ("GET", "/api/v1/sources/shop", None),
    ("PUT", "/api/v1/sources/lake", {"type": "S3", "connectionUrl": LAKE}),
    ("GET", "/api/v1/tags", None),
    ("PUT", "/api/v1/tags/gold", {}),
    ("GET", f"{PLACE}/datasets", None),
    ("GET", STAGED, None),
    ("PUT", f"{PLACE}/datasets/made", {"type": "DB_TABLE", "physicalName": "made", "sourceName": "lake"}),
    ("POST", f"{STAGED}/tags/gold", None),
    ("POST", f"{STAGED}/fields/id/tags/gold", None),
    ("GET", f"{STAGED}/versions", None),
    ("GET", f"{STAGED}/versions/{{version}}", None),
    ("GET", "/api/v1/jobs", None),
    ("GET", f"{NAMESPACE}/jobs", None),
    ("GET", SUM, None),
    ("POST", f"{SUM}/tags/gold", None),
    ("DELETE", f"{SUM}/tags/gold", None),
    ("GET", f"{SUM}/versions", None),
    ("GET", f"{SUM}/runs", None),
    ("PUT", f"{NAMESPACE}/jobs/made", {"type": "BATCH"}),
    ("POST", f"{NAMESPACE}/jobs/made/runs", {"id": run_id(800)}),
    ("POST", f"/api/v1/jobs/runs/{run_id(800)}/start", None),
    ("POST", f"/api/v1/jobs/runs/{run_id(800)}/abort", None),
    ("GET", f"/api/v1/jobs/runs/{run_id(1)}", None),
    ("GET", f"/api/v1/jobs/runs/{run_id(1)}/facets?type=run", None),
    ("GET", f"/api/v1/lineage?nodeId={quote(f'dataset:{DB}:shop.public.orders')}", None),
    ("GET", f"/openlineage/lineage?node={quote(f'job:{JOBS}:sum')}", None),
    ("GET", f"/api/v1/column-lineage?nodeId={TOTAL}&withDownstream=true", None),
    ("GET", f"/api/v1/runlineage/upstream?runId={run_id(3)}", None),
    ("GET", "/api/v1/events/lineage", None),
    ("GET", f"/api/v1/events/{quote(JOBS, safe='')}", None),
    ("GET", "/api/v1/search?q=s", None),
    ("GET", "/api/v2beta/search/jobs?q=sum", None),
    ("GET", "/api/v2beta/search/datasets?q=orders", None),
    ("GET", "/api/v1/stats/lineage-events?period=DAY", None),
    ("GET", "/api/v1/stats/sources?period=WEEK&timezone=Europe/Berlin", None),
    ("DELETE", SUM, None),
    ("DELETE", STAGED, None),
    ("DELETE", NAMESPACE, None),
]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    with InProcess(tmp_path_factory.mktemp("declared")) as started:
        for body in SHOP:
            started.send(body)
        yield started


def declared(method: str, path: str) -> Any:
    scope = {"type": "http", "method": method, "path": path, "raw_path": path.encode()}
    route = next(route for route in ROUTES if route.matches(scope)[0] is Match.FULL)
    found = declaration_of(route.endpoint)
    assert found is not None
    return found


def test_every_member_is_declared(app: InProcess) -> None:
    """One after the other: what an earlier request makes is asked for by later ones."""
    for method, asked, body in ASKED:
        path = asked.replace("{version}", app.get(STAGED).json()["currentVersion"]) if "{version}" in asked else asked
        answer = app.ask(method, path, json=body)
        said = declared(method, path.partition("?")[0])
        assert answer.status_code == said.status, (method, path, answer.text)
        assert msgspec.to_builtins(msgspec.convert(answer.json(), said.answer)) == answer.json(), (method, path)
