"""What is asked wrongly, or is not there, is said with the status and in the words of Marquez."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import httpx
import pytest

from tests.api.marquez.events import JOBS, LAKE, SHOP, run_id
from tests.server import Server

NOT_FOUND = {"code": 404, "message": "HTTP 404 Not Found"}
NOWHERE = "0197a5b0-0000-4000-8000-0000000009ff"
STAGED = f"/api/v1/namespaces/{quote(LAKE, safe='')}/datasets/staged%2Forders"
SUM = f"/api/v1/namespaces/{quote(JOBS, safe='')}/jobs/sum"
STATES = "NEW, RUNNING, COMPLETED, ABORTED, FAILED"


def said(message: str) -> dict[str, Any]:
    return {"code": 400, "message": message}


@pytest.mark.parametrize(
    ("path", "status", "body"),
    [
        ("/api/v1/no/such/route", 404, NOT_FOUND),
        (f"{STAGED}/versions/nonsense", 404, NOT_FOUND),
        (f"{STAGED}/versions/{NOWHERE}", 404, {"code": 404, "message": f"Dataset version '{NOWHERE}' not found."}),
        (f"{SUM}/versions/nonsense", 404, NOT_FOUND),
        (f"{SUM}/versions/{NOWHERE}", 404, {"code": 404, "message": f"Job version '{NOWHERE}' not found."}),
        ("/api/v1/jobs/runs/nonsense/facets?type=run", 404, NOT_FOUND),
        (
            f"/api/v1/jobs/runs/{run_id(3)}/facets?type=x",
            400,
            said("query param type must be one of [RUN, JOB, DATASET]"),
        ),
        ("/api/v1/runlineage/upstream", 400, {"errors": ["query param runId must not be null"]}),
        ("/api/v1/runlineage/upstream?runId=nonsense", 404, NOT_FOUND),
        ("/api/v1/jobs?limit=1.5", 404, NOT_FOUND),
        ("/api/v1/jobs?limit=1_0", 404, NOT_FOUND),
        ("/api/v1/jobs?limit=9999999999", 404, NOT_FOUND),
        ("/api/v1/jobs?lastRunStates=LOST", 400, said(f"query param lastRunStates must be one of [{STATES}]")),
        ("/api/v1/search?q=%20", 400, {"errors": ["query param q must not be blank"]}),
        ("/api/v1/search?q=a&filter=run", 400, said("query param filter must be one of [DATASET, JOB]")),
        ("/api/v1/search?q=a&sort=size", 400, said("query param sort must be one of [NAME, UPDATE_AT]")),
        (
            "/api/v1/search?q=a&after=2026-03-01T00:00:00Z",
            400,
            {"errors": ['query param after must match "^\\d{4}-\\d{2}-\\d{2}$"']},
        ),
        ("/api/v1/search?q=a&before=2026-02-30", 400, said("query param before is not in a valid format.")),
        ("/api/v1/events/lineage?before=tomorrow", 400, said("query param before is not in a valid format.")),
        ("/api/v1/events/lineage?after=2026-03-01", 400, said("query param after is not in a valid format.")),
        ("/api/v1/events/lineage?sortDirection=up", 400, said("query param sortDirection must be one of [DESC, ASC]")),
        ("/api/v1/stats/jobs", 400, "Invalid period"),
        ("/api/v1/stats/jobs?period=YEAR", 400, said("query param period must be one of [DAY, WEEK]")),
        ("/api/v1/stats/lineage-events?period=WEEK", 400, "Timezone must be specified for period 'WEEK'"),
        ("/api/v2beta/search/jobs", 400, {"errors": ["query param q must not be blank"]}),
    ],
)
def test_refused(shop: Server, path: str, status: int, body: Any) -> None:
    answer = httpx.get(f"{shop.url}{path}")
    assert (answer.status_code, answer.json()) == (status, body)


def test_another_method(shop: Server) -> None:
    answer = httpx.patch(f"{shop.url}/api/v1/jobs", json={})
    assert (answer.status_code, answer.json()) == (405, {"code": 405, "message": "HTTP 405 Method Not Allowed"})
    assert httpx.get(f"{shop.url}/api/v3/no").json()["error"] == "not_found"


@pytest.mark.parametrize(
    ("path", "count"),
    [
        ("/api/v1/jobs?limit=", 3),
        ("/api/v1/jobs?limit=0", 0),
        ("/api/v1/jobs?limit=%2B2", 2),
        ("/api/v1/jobs?limit=1&limit=2", 1),
        ("/api/v1/jobs?offset=3", 0),
        ("/api/v1/jobs?lastRunStates=", 3),
        (f"{SUM}/runs?limit=0", 0),
        (f"{STAGED}/versions?offset=5", 0),
        (f"/api/v1/events/lineage?limit=2&offset={len(SHOP) - 1}", 1),
        ("/api/v1/events/lineage?before=&after=", len(SHOP)),
        ("/api/v1/events/lineage?after=2026-03-01T01:30:00%2B00:00", 3),
        ("/api/v1/search?q=s&sort=update-at&filter=job", 1),
        ("/api/v1/search?q=o&limit=0", 0),
    ],
)
def test_taken(shop: Server, path: str, count: int) -> None:
    """Nothing is the default, words have any case, and past the end is an empty page."""
    answer = httpx.get(f"{shop.url}{path}")
    assert answer.status_code == 200, answer.text
    listed = next(value for value in answer.json().values() if isinstance(value, list))
    assert len(listed) == count


def test_days_of_a_search(shop: Server) -> None:
    """`before` a day is before it began; what was written changed when it came in."""

    def names(query: str) -> list[str]:
        found = httpx.get(f"{shop.url}/api/v1/search?q=s&{query}").json()["results"]
        return [item["name"] for item in found]

    assert names("before=2026-03-01") == []
    assert names("before=2026-03-02&filter=job") == ["sum"]
    assert names("after=2026-03-01&filter=job") == ["sum"]
    assert names("after=2026-03-02&filter=job") == []


def test_facets_of_datasets_are_none(shop: Server) -> None:
    answer = httpx.get(f"{shop.url}/api/v1/jobs/runs/{run_id(3)}/facets?type=dataset")
    assert (answer.status_code, answer.content) == (200, b"")
