"""Every call of Marquez' web page, with the parameters that it sends."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import httpx
import pytest

from tests.api.marquez.events import DB, JOBS, LAKE, SHOP, run_event, run_id
from tests.server import Server

NS, NAME = quote(LAKE, safe=""), quote("staged/orders", safe="")


def get(server: Server, path: str) -> Any:
    answer = httpx.get(f"{server.url}{path}", timeout=30)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_lists(shop: Server) -> None:
    assert {item["name"] for item in get(shop, "/api/v1/namespaces?limit=25&offset=0")["namespaces"]} >= {DB, LAKE}
    page = get(shop, "/api/v1/jobs?limit=2&offset=0")
    assert (len(page["jobs"]), page["totalCount"]) == (2, 3)
    assert [job["name"] for job in get(shop, "/api/v1/jobs?lastRunStates=COMPLETED&lastRunStates=NEW")["jobs"]] == [
        "nightly",
        "sum",
        "nightly.load",
    ]
    assert get(shop, "/api/v1/jobs?lastRunStates=FAILED")["jobs"] == []
    path = f"/api/v1/namespaces/{quote(JOBS, safe='')}/jobs?limit=20&offset=0"
    assert get(shop, path)["totalCount"] == 3
    assert get(shop, f"/api/v1/namespaces/{NS}/datasets?limit=20&offset=0")["totalCount"] == 2


def test_pages_of_one_thing(shop: Server) -> None:
    dataset = get(shop, f"/api/v1/namespaces/{NS}/datasets/{NAME}")
    versions = get(shop, f"/api/v1/namespaces/{NS}/datasets/{NAME}/versions?limit=100&offset=0")
    assert dataset["currentVersion"] == versions["versions"][0]["version"]
    job = f"/api/v1/namespaces/{quote(JOBS, safe='')}/jobs/nightly.load"
    assert get(shop, job)["latestRun"]["id"] == run_id(1)
    assert get(shop, f"{job}/runs?limit=10&offset=0")["totalCount"] == 1
    run = f"/api/v1/jobs/runs/{run_id(1)}/facets"
    assert set(get(shop, f"{run}?type=run")["facets"]) == {"parent"}
    assert set(get(shop, f"{run}?type=job")["facets"]) == {"documentation", "sourceCodeLocation", "jobType"}
    nothing = httpx.get(f"{shop.url}/api/v1/jobs/runs/{run_id(3)}/facets?type=run")
    assert (nothing.status_code, nothing.content) == (200, b"")


def test_lineage(shop: Server) -> None:
    node = f"dataset:{LAKE}:staged/orders"
    graph = get(shop, f"/api/v1/lineage?nodeId={quote(node, safe='')}&depth=2")["graph"]
    by_id = {item["id"]: item for item in graph}
    assert list(by_id) == [
        f"dataset:{DB}:shop.public.orders",
        f"dataset:{LAKE}:marts/totals",
        node,
        f"job:{JOBS}:nightly.load",
        f"job:{JOBS}:sum",
    ]
    assert by_id[node]["inEdges"] == [{"origin": f"job:{JOBS}:nightly.load", "destination": node}]
    assert by_id[node]["outEdges"] == [{"origin": node, "destination": f"job:{JOBS}:sum"}]
    assert by_id[f"job:{JOBS}:sum"]["data"]["latestRun"]["state"] == "COMPLETED"
    alone = get(shop, f"/api/v1/lineage?nodeId={quote(node, safe='')}&depth=0")["graph"]
    assert [item["type"] for item in alone] == ["DATASET", "DATASET", "JOB"]
    for path in (f"/api/v1/lineage/?nodeId={node}", f"/openlineage/lineage?node={quote(node, safe='')}&depth=20"):
        assert get(shop, path)["graph"] == graph
    column = f"/api/v1/column-lineage?nodeId={quote(node, safe='')}&depth=2&withDownstream=true"
    assert len(get(shop, column)["graph"]) == 5
    upstream = get(shop, f"/api/v1/runlineage/upstream?runId={run_id(3)}")["runs"]
    assert [item["run"]["id"] for item in upstream] == [run_id(3), run_id(1)]
    assert upstream[0]["inputs"][0]["producedByRunId"] == run_id(1)


def test_events(shop: Server) -> None:
    window = "after=2026-03-01T00:00:00.000Z&before=2026-03-02T00:00:00.000Z"
    page = get(shop, f"/api/v1/events/lineage?{window}&limit=2&offset=0&sortDirection=desc")
    assert page["totalCount"] == len(SHOP)
    assert [event["eventTime"] for event in page["events"]] == ["2026-03-01T02:00:00Z", "2026-03-01T01:31:30Z"]
    event = page["events"][1]
    assert event["run"]["facets"] == {"nominalTime": None, "parent": None}
    assert event["inputs"][0]["facets"]["symlinks"] is None
    assert (event["inputs"][0]["inputFacets"], event["outputs"][0]["outputFacets"]) == (None, None)
    first = get(shop, f"/api/v1/events/lineage?{window}&limit=1&sortDirection=asc")["events"][0]
    assert first["eventType"] == "START"


def test_search(shop: Server) -> None:
    found = get(shop, "/api/v1/search?q=ORDERS&sort=NAME&limit=100")
    assert [(item["type"], item["name"]) for item in found["results"]] == [
        ("DATASET", "shop.public.orders"),
        ("DATASET", "staged/orders"),
    ]
    assert found["totalCount"] == 2
    assert found["results"][0]["nodeId"] == f"dataset:{DB}:shop.public.orders"
    assert get(shop, "/api/v1/search?q=o&limit=1")["totalCount"] > 1
    jobs = get(shop, "/api/v1/search?q=load&filter=JOB")["results"]
    assert [item["nodeId"] for item in jobs] == [f"job:{JOBS}:nightly.load"]
    newest = get(shop, "/api/v1/search?q=o&filter=DATASET&sort=UPDATE_AT&limit=100")["results"]
    assert newest[0]["name"] == "marts/totals"
    assert get(shop, f"/api/v1/search?q=o&namespace={quote(DB, safe='')}")["totalCount"] == 1
    assert get(shop, "/api/v1/search?q=orders&after=2026-03-02")["totalCount"] == 0
    assert get(shop, "/api/v1/search?q=orders&before=2026-03-02")["totalCount"] == 2
    hits = get(shop, "/api/v2beta/search/jobs?q=sum")
    assert hits["hits"][0]["run_id"] == run_id(3)
    assert hits["highlights"] == [{"name": ["<em>sum</em>"]}]
    assert get(shop, "/api/v2beta/search/datasets?q=total")["hits"][0]["name"] == "marts/totals"


def test_statistics(shop: Server) -> None:
    for name in ("lineage-events", "jobs", "datasets", "sources"):
        assert len(get(shop, f"/api/v1/stats/{name}?period=DAY&timezone=UTC")) == 24
        assert len(get(shop, f"/api/v1/stats/{name}?period=WEEK&timezone=Europe/Berlin")) == 7
    assert get(shop, "/api/v1/stats/jobs?period=DAY")[-1]["count"] == 3
    assert get(shop, "/api/v1/stats/datasets?period=DAY")[-1]["count"] == 3
    assert httpx.get(f"{shop.url}/api/v1/stats/jobs").status_code == 400
    assert httpx.get(f"{shop.url}/api/v1/stats/jobs?period=DAY&timezone=Mars").status_code == 400


@pytest.mark.parametrize("kind", ["datasets", "jobs"])
def test_delete_hides_until_it_is_heard_of_again(shop: Server, kind: str) -> None:
    place = f"to delete {kind}"
    written = [{"namespace": place, "name": "gone"}]
    shop.send_all([run_event("COMPLETE", "03:00:00", 50, "gone", [], written, namespace=place)])
    here = f"/api/v1/namespaces/{quote(place)}/{kind}"
    path = f"{shop.url}{here}/gone"
    assert httpx.delete(path).json()["name"] == "gone"
    assert httpx.get(path).status_code == 404
    assert get(shop, here) == {kind: [], "totalCount": 0}
    assert get(shop, f"/api/v1/search?q=gone&filter={kind[:-1]}&namespace={quote(place)}")["results"] == []
    node = f"{kind[:-1]}:{place}:gone"
    assert httpx.get(f"{shop.url}/api/v1/lineage", params={"nodeId": node}).status_code == 404
    again = run_event("COMPLETE", "03:00:00", 51, "gone", [], written, namespace=place)
    shop.send_all([again.replace(b"2026-03-01", b"2999-03-01")])
    assert httpx.get(path).status_code == 200


def test_tags(shop: Server) -> None:
    table = f"{shop.url}/api/v1/namespaces/{NS}/datasets/{NAME}"
    assert httpx.post(f"{table}/tags/blue").json()["tags"] == ["blue"]
    assert httpx.post(f"{table}/fields/id/tags/blue").json()["fields"][0]["tags"] == ["BLUE"]
    assert httpx.delete(f"{table}/tags/blue").json()["tags"] == []
    assert httpx.delete(f"{table}/fields/id/tags/blue").json()["fields"][0]["tags"] == []
    job = f"{shop.url}/api/v1/namespaces/{quote(JOBS, safe='')}/jobs/nightly.load"
    assert httpx.post(f"{job}/tags/blue").json()["tags"] == ["blue"]
    assert httpx.get(job).json()["tags"] == ["blue"]
    assert httpx.delete(f"{job}/tags/blue").json()["tags"] == []
    assert {"name": "blue", "description": None} in get(shop, "/api/v1/tags")["tags"]


def test_delete_of_a_namespace(shop: Server) -> None:
    shop.send_all([run_event("COMPLETE", "04:00:00", 60, "j", namespace="old")])
    assert httpx.delete(f"{shop.url}/api/v1/namespaces/old").json()["isHidden"] is False
    assert get(shop, "/api/v1/namespaces/old")["isHidden"] is True
    assert get(shop, "/api/v1/namespaces/old/jobs")["jobs"] == []
    assert "j" not in [job["name"] for job in get(shop, "/api/v1/jobs")["jobs"]]
    assert httpx.put(f"{shop.url}/api/v1/namespaces/old", json={"ownerName": "me"}).json()["isHidden"] is False
    assert len(get(shop, "/api/v1/namespaces/old/jobs")["jobs"]) == 1
