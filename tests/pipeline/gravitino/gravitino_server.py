"""A small HTTP server that speaks the documented REST paths of Gravitino, over objects in memory."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlsplit

__all__ = ["GravitinoServer", "generated"]

AUDIT = {"creator": "ann", "createTime": "2026-01-01T00:00:00Z"}


def generated(tables: int = 200, columns: int = 25) -> dict[str, Any]:
    """A metalake of two catalogs and so many tables."""
    found: dict[str, Any] = {"catalogs": {}, "tags": {}}
    for catalog in ("hive", "ice"):
        schemas: dict[str, Any] = {}
        for schema in ("sales", "ops"):
            schemas[schema] = {
                f"t{number}": [
                    {
                        "name": f"c{place}",
                        "type": "long" if place else "decimal(10,2)",
                        "nullable": bool(place),
                        "autoIncrement": False,
                    }
                    for place in range(columns)
                ]
                for number in range(tables // 4)
            }
        found["catalogs"][catalog] = schemas
    found["tags"] = {"pii": [("COLUMN", "hive.sales.t0.c1"), ("TABLE", "hive.sales.t1")], "gold": [("CATALOG", "ice")]}
    return found


class GravitinoServer:
    """Use as a context manager. `fail` makes the next requests fail with these statuses."""

    def __init__(self, metalake: dict[str, Any], token: str | None = None) -> None:
        self.lake, self.token = metalake, token
        self.fail: list[int] = []
        self.requests: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.terms: dict[tuple[str, str, str], tuple[str, list[dict[str, Any]]]] = {}
        """By catalog, schema and path of the list: the name of the list in answers, and its items."""
        self.largest_page = 20
        self.redirect = ""
        self.on_request: Any = None
        self.instead: Callable[[str], tuple[int, bytes] | None] = lambda _: None
        """Status and body to answer with to a path; None for what is right."""
        self.types: dict[str, str] = {}
        """Types of catalogs, where they are not relational."""
        self.disabled: set[str] = set()

    def __enter__(self) -> Self:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                owner.requests.append(self.path)
                owner.headers.append({name.lower(): value for name, value in self.headers.items()})
                if owner.redirect:
                    self.send_response(307)
                    self.send_header("location", owner.redirect)
                    self.send_header("content-length", "0")
                    self.end_headers()
                    return
                if owner.on_request is not None:
                    owner.on_request(self.path)
                if owner.token and self.headers.get("authorization") != f"Bearer {owner.token}":
                    status, body = 401, {"code": 1, "message": "who are you"}
                elif owner.fail:
                    status, body = owner.fail.pop(0), {"code": 1, "message": "broken on purpose"}
                else:
                    status, body = owner.answer(self.path)
                sent = json.dumps(body).encode()
                status, sent = owner.instead(self.path) or (status, sent)
                self.send_response(status)
                self.send_header("content-type", "application/vnd.gravitino.v1+json")
                self.send_header("content-length", str(len(sent)))
                self.end_headers()
                self.wfile.write(sent)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str) -> tuple[int, dict[str, Any]]:
        parts = urlsplit(path)
        words = [unquote(word) for word in parts.path.strip("/").split("/")]
        details = parse_qs(parts.query).get("details") == ["true"]
        if words == ["api", "version"]:
            version = {"version": "1.3.1", "compileDate": "2026-01-01T00:00:00Z", "gitCommit": "0"}
            return 200, {"code": 0, "version": version}
        if words == ["api", "metalakes", "lake"]:
            return 200, {"code": 0, "metalake": {"name": "lake", "comment": "", "properties": {}, "audit": AUDIT}}
        found_terms = self._terms(words[3:], parse_qs(parts.query))
        if found_terms is not None:
            return 200, {"code": 0, **found_terms}
        match words[3:]:
            case ["catalogs"]:
                found = [self._catalog(name) for name in self.lake["catalogs"]]
                ids = [{"namespace": ["lake"], "name": item["name"]} for item in found]
                return 200, {"code": 0, "catalogs": found} if details else {"code": 0, "identifiers": ids}
            case ["catalogs", catalog] if catalog in self.lake["catalogs"]:
                return 200, {"code": 0, "catalog": self._catalog(catalog)}
            case ["catalogs", catalog, "schemas", *_] if catalog in self.disabled:
                return 409, {"code": 1010, "type": "CatalogNotInUseException", "message": f"{catalog} is not in use"}
            case ["catalogs", catalog, "schemas", _, "tables"] if catalog in self.types:
                return 405, {"code": 1006, "type": "UnsupportedOperationException", "message": "no tables"}
            case ["catalogs", catalog, "schemas"]:
                return self._ids(["lake", catalog], self.lake["catalogs"].get(catalog))
            case ["catalogs", catalog, "schemas", schema] if schema in self.lake["catalogs"].get(catalog, {}):
                found_schema = {"name": schema, "comment": f"all of {schema}", "properties": {"k": "v"}, "audit": AUDIT}
                return 200, {"code": 0, "schema": found_schema}
            case ["catalogs", catalog, "schemas", schema, "tables"]:
                return self._ids(["lake", catalog, schema], self.lake["catalogs"].get(catalog, {}).get(schema))
            case ["catalogs", catalog, "schemas", schema, "tables", table]:
                columns = self.lake["catalogs"].get(catalog, {}).get(schema, {}).get(table)
                if columns is not None:
                    return 200, {
                        "code": 0,
                        "table": {
                            "name": table,
                            "comment": f"table {table}",
                            "columns": columns,
                            "properties": {},
                            "audit": AUDIT,
                            "distribution": {"strategy": "none", "number": 0, "funcArgs": []},
                            "sortOrders": [],
                            "partitioning": [],
                            "indexes": [],
                        },
                    }
            case ["tags"]:
                found = [
                    {"name": name, "comment": f"tag {name}", "properties": {}, "audit": AUDIT}
                    for name in self.lake["tags"]
                ]
                return 200, {"code": 0, "tags": found} if details else {"code": 0, "names": list(self.lake["tags"])}
            case ["tags", tag, "objects"] if tag in self.lake["tags"]:
                objects = [{"type": kind, "fullName": name} for kind, name in self.lake["tags"][tag]]
                return 200, {"code": 0, "metadataObjects": objects}
        return 404, {"code": 1003, "type": "NotFoundException", "message": f"no {path}"}

    def _terms(self, words: list[str], query: dict[str, list[str]]) -> dict[str, Any] | None:
        """A page of a list of terms, or one version of a metric."""
        match words:
            case ["catalogs", catalog, "schemas", schema, "metrics", code, "versions", number]:
                _, metrics = self.terms.get((catalog, schema, "metrics"), ("", []))
                found = [metric for metric in metrics if metric["code"] == code]
                return {"version": {"version": int(number), **found[0]["inside"]}} if found else None
            case ["catalogs", catalog, "schemas", schema, *path] if (catalog, schema, "/".join(path)) in self.terms:
                member, items = self.terms[catalog, schema, "/".join(path)]
                start, limit = int(query["offset"][0]), min(int(query["limit"][0]), self.largest_page)
                page = [{key: value for key, value in item.items() if key != "inside"} for item in items]
                return {member: page[start : start + limit], "total": len(items), "offset": start, "limit": limit}
        return None

    def _catalog(self, name: str) -> dict[str, Any]:
        provider = "hive" if name == "hive" else "lakehouse-iceberg"
        return {
            "name": name,
            "type": self.types.get(name, "relational"),
            "provider": provider,
            "comment": f"catalog {name}",
            "properties": {"uri": "thrift://x", "in-use": str(name not in self.disabled).lower()},
            "audit": AUDIT,
        }

    def _ids(self, namespace: list[str], found: dict[str, Any] | None) -> tuple[int, dict[str, Any]]:
        if found is None:
            return 404, {"code": 1003, "type": "NotFoundException", "message": "gone"}
        return 200, {"code": 0, "identifiers": [{"namespace": namespace, "name": name} for name in found]}
