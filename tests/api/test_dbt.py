"""dbt-ol sends to Headwater unchanged: a real project is seeded, run, tested and built."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.server import Server

SCRIPT = Path(__file__).parents[2] / "scripts" / "record" / "dbt.py"


@pytest.mark.slow
@pytest.mark.clients
@pytest.mark.timeout(600)
def test_dbt_ol(tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        done = subprocess.run(
            [sys.executable, SCRIPT, "--to", server.url], capture_output=True, text=True, timeout=580, check=False
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        assert "Traceback" not in server.log()
        found = server.get("/api/v1/events/lineage", limit=1000).json()
        assert found["totalCount"] > 10
        jobs = {event["job"]["name"] for event in found["events"]}
        assert {"dbt-run-shop", "shop.analytics.shop.customer_totals"} <= jobs
        job = "job:dbt_recorded:shop.analytics.shop.customer_totals"
        shown = server.get("/api/v2/show", name=job).json()
        assert [run["status"] for run in shown["runs"]] == ["SUCCEEDED"]
        assert any(name.endswith("stg_orders") for name in shown["inputs"])
        (output,) = shown["outputs"]
        lineage = server.get("/api/v2/lineage", name=output, direction="upstream", depth=3).json()["upstream"]
        assert any(node["id"].endswith("stg_orders") for node in lineage["nodes"])
