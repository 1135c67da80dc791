"""Objects of Gravitino's REST API as events, in the form of those of its listener."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any

from headwater.pipeline.gravitino.rest import named

__all__ = ["EventMaker"]

_PRODUCER = "https://github.com/apache/gravitino/headwater-sync"
_AUDIT = {
    "creator": "creator",
    "createTime": "createTime",
    "lastModifier": "lastModifier",
    "lastModifiedTime": "lastModifiedTime",
}


class EventMaker:
    """Events of one reading. The same object gives the same bytes, so that a repeated reading adds nothing."""

    def __init__(self, tenant: int, code: str, metalake: str, cutover: str) -> None:
        self._tenant, self._code, self.metalake, self._cutover = tenant, code, metalake, cutover

    def started(self) -> bytes:
        return self._event("sync_started", f"gravitino://{self.metalake}", self.metalake, {})

    def ready(self) -> bytes:
        return self._event("sync_ready", f"gravitino://{self.metalake}", self.metalake, {})

    def catalog(self, found: Mapping[str, Any]) -> bytes:
        facet = {**self._common(found), "type": found.get("type"), "provider": found.get("provider")}
        return self._event("load_catalog", f"gravitino://{self.metalake}", found["name"], {"gravitino": facet})

    def schema(self, catalog: str, found: Mapping[str, Any]) -> bytes:
        return self._event("load_schema", self._place(catalog), found["name"], {"gravitino": self._common(found)})

    def table(self, catalog: str, schema: str, found: Mapping[str, Any]) -> bytes:
        columns = list(named(found.get("columns")))
        facet = {
            **self._common(found),
            "partitions": _text(found.get("partitioning")),
            "distribution": _text(found.get("distribution")),
            "sortOrders": _text(found.get("sortOrders")),
            "indexes": _text(found.get("indexes")),
            "columns": [
                {
                    "name": column["name"],
                    "nullable": column.get("nullable"),
                    "autoIncrement": column.get("autoIncrement"),
                    "defaultValue": _text(column.get("defaultValue")),
                }
                for column in columns
            ],
        }
        fields = [
            {"name": column["name"], "type": _text(column.get("type")), "description": column.get("comment")}
            for column in columns
        ]
        facets = {"schema": {"fields": fields}, "gravitino": facet}
        return self._event("load_table", self._place(catalog), f"{schema}.{found['name']}", facets)

    def term(self, operation: str, catalog: str, schema: str, found: Mapping[str, Any]) -> bytes:
        """A metric, word root, modifier, unit or value domain: its values stand in the fields of a schema."""
        facets = {"schema": {"fields": _fields(found)}}
        return self._event(operation, self._place(catalog), f"{schema}.{found['code']}", facets)

    def tag(self, found: Mapping[str, Any]) -> bytes:
        values = {"name": found["name"], "comment": found.get("comment")}
        pairs = found.get("properties")
        if isinstance(pairs, dict) and pairs:
            values["properties"] = ",".join(f"{key}={value}" for key, value in sorted(pairs.items()))
        facets = {"schema": {"fields": _fields(values)}}
        return self._event("create_tag", f"gravitino://{self.metalake}", found["name"], facets)

    def tags_of(self, kind: str, path: tuple[str, ...], tags: list[str]) -> bytes:
        """The tags that an object has; `path` begins with its catalog."""
        namespace = f"gravitino://{self.metalake}" if kind == "CATALOG" else f"gravitino://{self.metalake}/{path[0]}"
        facets = {"gravitinoTag": {"objectType": kind, "associatedTags": sorted(tags)}}
        return self._event("associate_tags", namespace, ".".join(path[1:]) or path[0], facets)

    def gone(self, operation: str, namespace: str, name: str) -> bytes:
        """An object that was there before, and is not any more."""
        return self._event(operation, namespace, name, {"lifecycleStateChange": {"lifecycleStateChange": "DROP"}})

    def _place(self, catalog: str) -> str:
        return f"gravitino://tenant/{self._tenant}/{self.metalake}/{catalog}"

    def _common(self, found: Mapping[str, Any]) -> dict[str, Any]:
        audit = found.get("audit") if isinstance(found.get("audit"), dict) else {}
        told = {name: audit.get(sent) for sent, name in _AUDIT.items()} if audit else {}
        return {
            "tenantId": self._tenant,
            "tenantCode": self._code,
            "description": found.get("comment"),
            "properties": found.get("properties"),
            **told,
        }

    def _event(self, operation: str, namespace: str, name: str, facets: Mapping[str, Any]) -> bytes:
        dataset = {"namespace": namespace, "name": name, "facets": _without_nulls(facets)}
        body: dict[str, Any] = {
            "eventTime": self._cutover,
            "eventType": "COMPLETE",
            "producer": _PRODUCER,
            "run": {},
            "job": {"namespace": f"gravitino://tenant/{self._tenant}", "name": f"gravitino.{operation}"},
            "inputs": [],
            "outputs": [dataset],
        }
        body["run"] = {"runId": str(uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(body, sort_keys=True)))}
        return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _fields(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {"name": key, "type": "STRING", "description": value if isinstance(value, str) else json.dumps(value)}
        for key, value in values.items()
        if value is not None and key != "audit"
    ]


def _text(value: Any) -> str | None:
    if value is None or value in ([], {}):
        return None
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), sort_keys=True)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value
