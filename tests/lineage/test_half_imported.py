"""While an import runs, runs are there whose shapes are not: nobody stumbles over them."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote
from uuid import UUID

from headwater.graph.facts import Run
from headwater.graph.fold import Graph, fold
from tests.application import InProcess
from tests.conftest import entry_of
from tests.store.test_contract import recorded


def test_runs_whose_shapes_are_missing_are_no_errors(tmp_path: Path) -> None:
    bodies = recorded()
    everything = fold(fact for body in bodies for fact in entry_of(body).interpretation.facts())
    known = fold(fact for body in bodies[::2] for fact in entry_of(body).interpretation.facts())
    runs: Graph = {kind: table for kind, table in everything.items() if kind.is_of_run}
    with InProcess(tmp_path) as server:
        server.store.merge({**known, **runs})
        places = [place["name"] for place in server.get("/api/v1/namespaces?limit=1000").json()["namespaces"]]
        asked = ["/api/v2/runs", "/api/v2/operations", "/api/v2/jobs", "/api/v2/datasets", "/api/v1/jobs"]
        for run in sorted(key[1] for key in runs[Run])[:80]:
            name = UUID(bytes=run)
            asked += [f"/api/v2/runs/{name}", f"/api/v1/jobs/runs/{name}", f"/api/v2/operations/{name}"]
            asked += [f"/api/v1/runlineage/upstream?runId={name}", f"/api/v2/lineage?name=run:{name}"]
        for place in places[:40]:
            beginning = f"/api/v1/namespaces/{quote(place, safe='')}"
            for kind in ("jobs", "datasets"):
                for one in server.get(f"{beginning}/{kind}?limit=3").json()[kind]:
                    of_it = f"{beginning}/{kind}/{quote(one['name'], safe='')}"
                    asked += [
                        of_it,
                        f"{of_it}/versions",
                        f"/api/v1/lineage?nodeId={quote(kind[:-1] + ':' + place + ':' + one['name'])}",
                    ]
                    asked += [f"{of_it}/runs"] if kind == "jobs" else []
        answers = {path: server.get(path).status_code for path in asked}
    assert [path for path, status in answers.items() if status >= 500] == []
    assert list(answers.values()).count(200) > len(asked) // 2
