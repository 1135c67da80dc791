"""Asks a server that knows the demo shop, and keeps its answers as the examples of the API's reference.

python scripts/record/examples.py

Routes whose examples are written by hand, beside their declarations, are left alone.
"""

from __future__ import annotations

import json
import re
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from headwater.api.openapi.document import EXAMPLES
from headwater.demo.shop import shop_events
from tests.application import InProcess

_LOADED = datetime(2026, 1, 31, 12, tzinfo=UTC)
_ORDERS, _REVENUE = "dataset:s3://shop-lake:clean/orders", "dataset:s3://shop-lake:reports/daily_revenue"
_KEPT = 2
"""Members of a list."""
_LONGEST = 300
"""Characters of a text."""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, InProcess(Path(folder)) as server:
        for body in shop_events(_LOADED):
            server.send(body)
        server.send(b"no event")
        answers = {route: _short(answer) for route, answer in _ask(server)}
    target = Path(EXAMPLES)
    target.write_text(json.dumps(dict(sorted(answers.items())), indent=1, ensure_ascii=False) + "\n")
    print(f"{len(answers)} examples in {target}")


def _ask(server: InProcess) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []

    def ask(route: str, *, path: str | None = None, **more: Any) -> Any:
        method, _, template = route.partition(" ")
        answer: httpx.Response = server.ask(method, path or template, **more)
        assert answer.is_success, (route, answer.text)
        is_json = answer.headers.get("content-type") == "application/json"
        found.append((route, answer.json() if is_json else answer.text))
        return found[-1][1]

    for kind in ("datasets", "jobs", "runs", "operations", "locations", "users", "sql"):
        listed = server.get(f"/api/v2/{kind}").json()["items"]
        if listed:
            ask(f"GET /api/v2/{kind}/{{id}}", path=f"/api/v2/{kind}/{_escaped(listed[0]['id'])}")
    ask("GET /api/v2/users")
    ask("GET /api/v2/sql")
    ask("GET /api/v2/tags")
    ask("GET /api/v2/show", params={"name": _ORDERS})
    ask("GET /api/v2/lineage", params={"name": _REVENUE, "depth": 1})
    ask("GET /api/v2/impact", params={"name": _ORDERS})
    ask("GET /api/v2/paths", params={"from": _ORDERS, "to": _REVENUE})
    ask("GET /api/v2/diff", params={"from": "2025-12-01", "to": "2026-02-01"})
    ask("GET /api/v2/dump")
    ask("GET /api/v2/pipeline")
    ask("GET /")
    for name in ("live", "ready", "status"):
        ask(f"GET /health/{name}")
    ask("GET /metrics")
    ask("POST /api/v1/lineage/batch", json=[])
    ask("POST /api/openlineage/batch", json=[])
    _operate(server, ask)
    return found


def _operate(server: InProcess, ask: Any) -> None:
    """What operators do; the keys come last, since they end the time in which nobody needs one."""
    places = ["s3://shop-lake", "postgres://db.shop.example.com:5432"]
    ask("POST /api/v2/locations/merge", json={"namespaces": places})
    ask("POST /api/v2/locations/split", json={"namespaces": places[1:]})
    address = {"location": places[1], "addresses": ["postgres://10.0.0.7:5432"]}
    ask("POST /api/v2/locations/addresses", json=address)
    ask("POST /api/v2/locations/external-id", json={"location": places[1], "external_id": "core_postgres"})
    letter = server.get("/api/v2/dead-letters").json()["dead_letters"][0]["id"]
    ask("GET /api/v2/dead-letters")
    ask("GET /api/v2/dead-letters/groups")
    ask("GET /api/v2/dead-letters/{id}", path=f"/api/v2/dead-letters/{letter}")
    ask("POST /api/v2/dead-letters/{id}/retry", path=f"/api/v2/dead-letters/{letter}/retry")
    ask("POST /api/v2/dead-letters/retry")
    ask("DELETE /api/v2/dead-letters/{id}", path=f"/api/v2/dead-letters/{letter}")
    ask("DELETE /api/v2/dead-letters")
    ask("POST /api/v2/tenants", json={"code": "sales", "name": "Sales"})
    ask("GET /api/v2/tenants")
    ask("GET /api/v2/tenants/{code}", path="/api/v2/tenants/sales")
    ask("POST /api/v2/tenants/{code}/limit", path="/api/v2/tenants/sales/limit", json={"rate": 100, "burst": 500})
    for word in ("disable", "enable"):
        ask(f"POST /api/v2/tenants/{{code}}/{word}", path=f"/api/v2/tenants/sales/{word}")
    admin = ask("POST /api/v2/keys", json={"tenant": "sales", "source": "SPARK", "roles": ["admin"], "name": "nightly"})
    server.key = admin["key"]
    ask("GET /api/v2/keys")
    other = server.post("/api/v2/keys", json={"tenant": "sales", "source": "SPARK", "roles": ["writer"]}).json()
    ask("POST /api/v2/keys/{id}/rotate", path=f"/api/v2/keys/{other['id']}/rotate", json={"grace": 3600})
    ask("POST /api/v2/keys/{id}/revoke", path=f"/api/v2/keys/{other['id']}/revoke")


def _escaped(text: str) -> str:
    return str(httpx.URL("http://x/").copy_with(path=f"/{text}").raw_path.decode())[1:]


def _short(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _short(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_short(member) for member in value[:_KEPT]]
    if isinstance(value, str):
        value = re.sub(r"hw_[A-Za-z0-9_-]{8,}", "hw_...", value)
        return value if len(value) <= _LONGEST else value[:_LONGEST].rpartition("\n")[0] + "\n"
    return value


if __name__ == "__main__":
    main()
